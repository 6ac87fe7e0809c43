"""The shipped translators reach what their records say, and their forward pass is the training's."""

import itertools

import numpy as np
import pytest
import torch

from attention_core import load_translator
from attention_core.models import phrases, translator
from attention_core.models.translator import MEASURED, NAMES, held_out_texts, measure, score
from attention_core.models.weights import FOLDER, load
from tools.training import translator as training

PHRASE = ["the", "fluffy", "blue", "creature"]
every_model = pytest.mark.parametrize("name", NAMES)


@every_model
def test_a_phrase_is_translated_with_its_weights(name):
    model = load_translator(name)
    said = model.translate(PHRASE)
    assert said.words == ("la", "créature", "bleue", "duveteuse")
    assert said.gold == (0, 3, 2, 1)
    assert said.weights.shape == (len(model.parameters["across_W_query"]), 4, 4)
    np.testing.assert_allclose(said.weights.sum(-1), 1, rtol=1e-5)


def network_of(name, parameters):
    network = training.Network(name, torch.Generator())
    network.weights.update({key: torch.nn.Parameter(torch.tensor(each)) for key, each in parameters.items()})
    return network


@every_model
def test_the_forward_pass_is_the_one_that_was_trained(name):
    model = load_translator(name)
    network = network_of(name, model.parameters)
    for text in itertools.islice(phrases.pairs(5, held_out=True), 20):
        said = model.translate(text.english)
        numbers = [phrases.TARGET_WORDS.index(word) for word in (phrases.BEGIN, *said.words)]
        source, _ = training.tables([text])
        with torch.no_grad():
            logits, across = network(source, torch.tensor([numbers]))
        np.testing.assert_allclose(said.next_word, logits[0].softmax(-1).numpy(), atol=1e-5)
        seen = across[0, :, : len(said.words), : len(text.english)].numpy()
        np.testing.assert_allclose(said.weights, seen, atol=1e-5)


@every_model
def test_the_record_is_what_the_weights_reach(name):
    model = load_translator(name)
    found = measure(model, held_out_texts())
    found |= {"exact_unseen": measure(model, held_out_texts(unseen=True))["exact"]}
    assert found == pytest.approx({key: model.record[key] for key in found}, abs=0.002)
    assert model.record["exact"] >= 0.99
    assert model.record["exact_unseen"] >= 0.95
    assert model.record["seeds_tried"][str(model.record["seed"])].items() <= model.record.items()


def test_the_aligned_one_looks_where_it_translates():
    record = load_translator("aligned").record
    assert record["alignment"] >= 0.98
    assert record["right"] >= 0.98
    assert all(tried["alignment"] >= 0.98 for tried in record["seeds_tried"].values())


def test_the_one_through_the_encoder_looks_elsewhere():
    through, aligned = load_translator("through_encoder").record, load_translator("aligned").record
    assert through["alignment"] < aligned["alignment"] - 0.2
    assert through["wrong"] > 0.2


def test_of_two_heads_one_aligns_and_one_looks_at_the_noun():
    record = load_translator("two_heads").record
    assert record["alignment"] >= 0.95
    assert record["on_noun"] >= 0.95


def test_no_file_is_large():
    assert all((FOLDER / f"{name}.npz").stat().st_size <= 110_000 for name in NAMES)


@every_model
def test_training_makes_a_translator_that_has_begun_to_learn(name, tmp_path, monkeypatch, capsys):
    begun, _ = training.train(name, seed=1, steps=1, pool=200)
    weights, _ = training.train(name, seed=1, steps=25, pool=200)
    texts = list(itertools.islice(phrases.pairs(1, held_out=False), 60))
    source, target = training.tables(texts)
    assert loss_of(name, weights, source, target) < loss_of(name, begun, source, target) - 0.2
    again, _ = training.train(name, seed=1, steps=25, pool=200)
    assert all(np.array_equal(weights[key], again[key]) for key in weights)

    monkeypatch.setattr(training, "held_out_texts", lambda unseen=False: texts[:3])
    monkeypatch.setattr(training, "train", lambda name, seed, steps: (weights if seed else begun, 0.1))
    monkeypatch.setattr("sys.argv", ["translator", name, "--seeds", "2", "--folder", str(tmp_path)])
    training.main()
    arrays, record = load(name, NAMES, tmp_path)
    assert set(record["seeds_tried"]) == {"0", "1"}
    chosen = weights if record["seed"] else begun
    assert all(np.array_equal(arrays[key], chosen[key]) for key in chosen)


def loss_of(name, weights, source, target):
    network = network_of(name, weights)
    with torch.no_grad():
        logits, _ = network(source, target[:, :-1])
    wanted = target[:, 1:].flatten()
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted, ignore_index=training.PAD).item()


def test_what_it_cannot_read_is_named():
    model = load_translator()
    with pytest.raises(ValueError, match="'elephant'"):
        model.translate(["the", "elephant"])
    with pytest.raises(ValueError, match="at most 12 words, got 13"):
        model.translate(["the"] * 13)
    with pytest.raises(ValueError, match="no head 1: heads are 0 to 0"):
        model.translate(PHRASE, heads_off=[1])
    with pytest.raises(KeyError, match="aligned, through_encoder, two_heads"):
        load_translator("large")
    assert model.translate([]).words == ()
    assert model.translate([]).weights.shape == (1, 0, 0)


@pytest.mark.parametrize("damage", ["missing", "cut", "bits", "array", "shape"])
def test_weights_that_are_damaged_are_refused_by_name(damage, tmp_path, monkeypatch):
    whole = (FOLDER / "aligned.npz").read_bytes()
    path = tmp_path / "aligned.npz"
    if damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "bits":
        path.write_bytes(whole[:9000] + bytes(200) + whole[9200:])
    elif damage in ("array", "shape"):
        with np.load(FOLDER / "aligned.npz") as file:
            arrays = dict(file)
        if damage == "array":
            del arrays["across_W_key"]
        else:
            arrays["target"] = arrays["target"][1:]
        np.savez_compressed(path, **arrays)
    monkeypatch.setattr(translator.weights, "load", lambda name, known: load(name, known, tmp_path))
    with pytest.raises(ValueError, match=r"aligned\.npz"):
        load_translator("aligned")


def test_a_head_that_is_off_breaks_it():
    model = load_translator("aligned")
    assert model.translate(PHRASE, heads_off=[0]).words != model.translate(PHRASE).words
    model = load_translator("two_heads")
    broken = [model.translate(PHRASE, heads_off=[head]).words for head in (0, 1)]
    assert len({*broken, model.translate(PHRASE).words}) == 3


def test_a_row_set_by_hand_counts_by_its_shares():
    model = load_translator("aligned")
    said = model.translate(PHRASE, bent=[[2, 0, 0, 30, 0, 10], [9, 0, 1]])
    np.testing.assert_allclose(said.weights[0, 2], [0, 0.75, 0, 0.25])
    np.testing.assert_allclose(said.weights[0, :2], model.translate(PHRASE).weights[0, :2])
    assert said.words != model.translate(PHRASE).words
    row = [2, 0, *model.translate(PHRASE).weights[0, 2]]
    assert model.translate(PHRASE, bent=[row]).words == model.translate(PHRASE).words, "as by itself"
    nothing = model.translate(PHRASE, bent=[[0, 0, 0, 0, 0, 0]])
    assert not nothing.weights[0, 0].any()


def test_a_weight_of_half_or_more_is_a_link():
    weights = np.array([[0.5, 0.5, 0], [0, 0.2, 0.8], [0.4, 0.3, 0.3], [0.6, 0.2, 0.2]])
    assert score(weights, [0, 1, 2]) == (1, 2, 2)
    assert score(weights, [2, 2, 2, -1]) == (1, 3, 2)


def test_the_noun_that_governs_is_the_next_one():
    text = ("the", "big", "cat", "and", "some", "blue", "books")
    assert phrases.governing(text) == (2, 2, -1, -1, 6, 6, -1)
    assert phrases.governing(("the", "big")) == (-1, -1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("the fluffy blue creature", ""),
        ("cats", "determiner"),
        ("the cat and", "determiner"),
        ("the blue big cat", "adjectives"),
        ("the blue green black cat", "adjectives"),
        ("the blue blue cat", "adjectives"),
        ("the some cat", "noun"),
        ("the", "noun"),
        ("a cats", "number"),
        ("some cat", "number"),
        ("the cat see the book", "verb"),
        ("the cat the book", "verb"),
        ("the cat and the book and the house", "more"),
    ],
)
def test_a_text_unlike_all_trained_on_is_told(text, why):
    assert phrases.unlike(tuple(text.split())) == why


def test_no_text_of_the_grammar_is_unlike():
    texts = itertools.islice(phrases.pairs(4, held_out=False), 500)
    assert not [text for text in texts if phrases.unlike(text.english)]


def test_gold_is_by_place_and_each_place_is_taken_once():
    for text in itertools.islice(phrases.pairs(3, held_out=True), 200):
        assert phrases.align(text.english, text.french) == text.gold
    assert phrases.align(("the", "cat"), ("le", "chien")) == (0, -1)


@every_model
def test_no_held_out_text_stands_in_a_training_text_in_any_order(name):
    seed = load_translator(name).record["seed"]
    trained = [text.english for text in itertools.islice(phrases.pairs(seed, held_out=False), training.POOL)]
    beginnings = {english[:end] for english in trained for end in range(1, len(english) + 1)}
    verbs = {form for forms in phrases.VERBS for form, _ in forms}

    def phrases_of(english):
        groups = itertools.groupby(english, verbs.__contains__)
        return {frozenset(words) for is_verb, words in groups if not is_verb}

    trained_phrases = set().union(*map(phrases_of, trained))
    held_out, unseen = held_out_texts(), held_out_texts(unseen=True)
    for texts in (held_out, unseen):
        assert len({text.english for text in texts}) == MEASURED
        assert not [text.english for text in texts if text.english in beginnings]
    assert not [text.english for text in held_out if phrases_of(text.english) & trained_phrases]


def test_what_it_was_trained_on_has_no_couple_that_is_unseen():
    couples = set().union(*(text.couples for text in itertools.islice(phrases.pairs(0, held_out=False), 500)))
    unseen = itertools.islice(phrases.pairs(0, held_out=True, unseen=True), 100)
    assert all(text.couples - couples for text in unseen)
