"""The shipped translators reach what their records say, and their forward pass is the training's."""

import itertools
from functools import partial

import numpy as np
import pytest
import torch

from attention_core import load_translator
from attention_core.models import phrases
from attention_core.models.translator import MEASURED, NAMES, held_out_texts, measure, score
from attention_core.models.weights import FOLDER
from tests.core.refusals import not_refused
from tools.training import translator as training

PHRASE = ["the", "fluffy", "blue", "creature"]
every_model = pytest.mark.parametrize("name", NAMES)


def texts(count, *of, **options):
    return list(itertools.islice(phrases.pairs(*of, **options), count))


def network_of(name, parameters):
    network = training.Network(name, torch.Generator())
    network.weights.update({key: torch.nn.Parameter(torch.tensor(each)) for key, each in parameters.items()})
    return network


@every_model
def test_the_forward_pass_is_the_one_that_was_trained(name):
    model = load_translator(name)
    network = network_of(name, model.parameters)
    for text in texts(20, 5, held_out=True):
        said = model.translate(text.english)
        numbers = [phrases.TARGET_WORDS.index(word) for word in (phrases.BEGIN, *said.words)]
        source, _ = training.tables([text])
        with torch.no_grad():
            logits, across = network(source, torch.tensor([numbers]))
        np.testing.assert_allclose(said.next_word, logits[0].softmax(-1).numpy(), atol=1e-5)
        expected = across[0, :, : len(said.words), : len(text.english)].numpy()
        np.testing.assert_allclose(said.weights, expected, atol=1e-5)
    said = model.translate(PHRASE)
    assert said.words == ("la", "créature", "bleue", "duveteuse")
    assert said.gold == (0, 3, 2, 1)


@every_model
def test_the_record_is_what_the_weights_reach(name):
    model = load_translator(name)
    found = measure(model, held_out_texts())
    found |= {"exact_unseen": measure(model, held_out_texts(unseen=True))["exact"]}
    assert found == pytest.approx({key: model.record[key] for key in found}, abs=0.002)
    assert model.record["exact"] >= 0.99
    assert model.record["exact_unseen"] >= 0.95
    assert model.record["seeds_tried"][str(model.record["seed"])].items() <= model.record.items()
    assert (FOLDER / f"{name}.npz").stat().st_size <= 110_000


def test_the_models_align_as_their_names_say():
    aligned, through, two_heads = (load_translator(name).record for name in NAMES)
    assert min(aligned["alignment"], aligned["right"]) >= 0.98
    assert all(tried["alignment"] >= 0.98 for tried in aligned["seeds_tried"].values())
    assert through["alignment"] < aligned["alignment"] - 0.2
    assert through["wrong"] > 0.2
    assert min(two_heads["alignment"], two_heads["on_noun"]) >= 0.95


@every_model
def test_training_is_repeatable_and_lowers_the_loss(name):
    begun, _ = training.train(name, seed=1, steps=1, pool=200)
    weights, again = (training.train(name, seed=1, steps=25, pool=200)[0] for _ in range(2))
    assert all(np.array_equal(weights[key], again[key]) for key in weights)
    source, target = training.tables(texts(60, 1, held_out=False))

    def loss_of(parameters):
        with torch.no_grad():
            logits, _ = network_of(name, parameters)(source, target[:, :-1])
        expected = target[:, 1:].flatten()
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), expected, ignore_index=training.PAD).item()

    assert loss_of(weights) < loss_of(begun) - 0.2


def test_texts_that_the_model_cannot_read_are_refused_but_not_an_empty_one():
    model = load_translator()
    cases = [
        (partial(model.translate, ["the", "elephant"]), "'elephant'"),
        (partial(model.translate, ["the"] * 13), "at most 12 words, got 13"),
        (partial(model.translate, PHRASE, heads_off=[1]), "no head 1: heads are 0 to 0"),
    ]
    assert not_refused(cases) == []
    with pytest.raises(KeyError, match="aligned, through_encoder, two_heads"):
        load_translator("large")
    assert model.translate([]).words == ()
    assert model.translate([]).weights.shape == (1, 0, 0)


def test_every_head_is_needed():
    for name in ("aligned", "two_heads"):
        model = load_translator(name)
        heads = range(len(model.translate(PHRASE).weights))
        ablated = [model.translate(PHRASE, heads_off=[head]).words for head in heads]
        assert len({*ablated, model.translate(PHRASE).words}) == len(heads) + 1


def test_an_edited_row_is_normalised_and_changes_the_translation():
    model = load_translator("aligned")
    own, edited = model.translate(PHRASE), model.translate(PHRASE, bent=[[2, 0, 0, 30, 0, 10], [9, 0, 1]])
    np.testing.assert_allclose(edited.weights[0, 2], [0, 0.75, 0, 0.25])
    np.testing.assert_allclose(edited.weights[0, :2], own.weights[0, :2])
    assert edited.words != own.words
    assert model.translate(PHRASE, bent=[[2, 0, *own.weights[0, 2]]]).words == own.words
    assert not model.translate(PHRASE, bent=[[0] * 6]).weights[0, 0].any()


def test_a_weight_of_half_or_more_is_a_link():
    weights = np.array([[0.5, 0.5, 0], [0, 0.2, 0.8], [0.4, 0.3, 0.3], [0.6, 0.2, 0.2]])
    assert score(weights, [0, 1, 2]) == (1, 2, 2)
    assert score(weights, [2, 2, 2, -1]) == (1, 3, 2)


def test_the_noun_that_governs_is_the_next_one():
    text = ("the", "big", "cat", "and", "some", "blue", "books")
    assert phrases.governing(text) == (2, 2, -1, -1, 6, 6, -1)
    assert phrases.governing(("the", "big")) == (-1, -1)


def test_what_makes_a_text_unlike_those_of_the_training():
    for text, why in {
        "the fluffy blue creature": "",
        "cats": "determiner",
        "the cat and": "determiner",
        "the blue big cat": "adjectives",
        "the blue green black cat": "adjectives",
        "the blue blue cat": "adjectives",
        "the some cat": "noun",
        "the": "noun",
        "a cats": "number",
        "some cat": "number",
        "the cat see the book": "verb",
        "the cat the book": "verb",
        "the cat and the book and the house": "more",
    }.items():
        assert phrases.unlike(tuple(text.split())) == why
    assert [text for text in texts(500, 4, held_out=False) if phrases.unlike(text.english)] == []


def test_words_are_aligned_by_their_dictionary_and_each_source_once():
    for text in texts(200, 3, held_out=True):
        assert phrases.align(text.english, text.french) == text.gold
    assert phrases.align(("the", "cat"), ("le", "chien")) == (0, -1)


def test_no_held_out_text_occurs_in_a_training_text_in_any_order():
    verbs = {form for forms in phrases.VERBS for form, _ in forms}

    def phrases_of(english):
        groups = itertools.groupby(english, verbs.__contains__)
        return {frozenset(words) for is_verb, words in groups if not is_verb}

    held_out, unseen = held_out_texts(), held_out_texts(unseen=True)
    assert len({text.english for text in held_out}) == len({text.english for text in unseen}) == MEASURED
    for seed in {load_translator(name).record["seed"] for name in NAMES}:
        trained = texts(training.POOL, seed, held_out=False)
        beginnings = {text.english[:end] for text in trained for end in range(1, len(text.english) + 1)}
        trained_phrases = set().union(*(phrases_of(text.english) for text in trained))
        assert [text.english for text in (*held_out, *unseen) if text.english in beginnings] == []
        assert [text.english for text in held_out if phrases_of(text.english) & trained_phrases] == []


def test_an_unseen_couple_of_words_is_in_no_training_text():
    couples = set().union(*(text.couples for text in texts(500, 0, held_out=False)))
    assert all(text.couples - couples for text in texts(100, 0, held_out=True, unseen=True))
