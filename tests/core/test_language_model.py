"""The shipped language models reach what their records say, and their forward pass is the training's."""

import itertools

import numpy as np
import pytest
import torch

from attention_core import load_language_model
from attention_core.models import grammar
from attention_core.models.language_model import (
    MEASURED,
    NAMES,
    QUESTIONS,
    count_answers,
    count_questions,
    held_out_texts,
    measure_answers,
    measure_heads,
    measure_loss,
)
from tools.training import language_model as training

SENTENCE = ["the", "fluffy", "blue", "creature", "saw", "the", "shiny", "red", "tower", "."]
every_model = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def held_out():
    return held_out_texts()


def beginnings(text):
    """All beginnings of a text, and of each text that it is joined from."""
    begins = [0, *(place + 1 for place, word in enumerate(text.words) if word == ".")]
    return {text.words[begin:end] for begin in begins for end in range(begin + 1, len(text.words) + 1)}


@every_model
def test_no_held_out_text_or_prompt_is_the_beginning_of_a_training_text(name, held_out):
    seed = load_language_model(name).record["seed"]
    trained = itertools.islice(grammar.texts(seed, held_out=False), training.POOL)
    seen = set().union(*map(beginnings, trained))
    assert not [text.words for text in held_out if text.words in seen]
    assert not [slot for text in held_out for slot in text.slots if text.words[: slot.place + 1] in seen]


@pytest.mark.parametrize(("kind", "prompt"), [("tired_or_wide", 11), ("senses", 9)])
def test_where_order_means_nothing_no_reordering_of_a_held_out_prompt_is_trained_on(kind, prompt):
    def questions(side):
        return {frozenset(text.words[:prompt]) - {"a"} for text in side}

    sides = (itertools.islice(grammar.texts(0, held_out, kind), 2000) for held_out in (False, True))
    trained, held_out = map(questions, sides)
    assert held_out
    assert not trained & held_out


def test_every_kind_of_answer_is_held_out_and_trained_on():
    for held_out in (False, True):
        slots = [slot for text in itertools.islice(grammar.texts(1, held_out), 3000) for slot in text.slots]
        assert {slot.kind for slot in slots} == {*set(QUESTIONS) - {"previous"}, "walking_out"}
        for kind, count in {"walking_out": 2, "sense": 7, "trophy_or_box": 5}.items():
            assert len({slot.answers for slot in slots if slot.kind == kind}) == count


def test_figures_are_from_different_texts_and_count_each_question_once(held_out):
    assert len({text.words for text in held_out}) == len(held_out) == MEASURED
    for places in ("slots", "links"):
        asked = [
            (text.words[: (place.place if places == "slots" else place.query) + 1], place.kind)
            for text in held_out
            for place in getattr(text, places)
        ]
        assert len(asked) == len(set(asked))


@every_model
def test_shapes_and_shares(name):
    model = load_language_model(name)
    run = model.run(SENTENCE)
    layers, heads = model.heads
    n, d_model = len(SENTENCE), model.embeddings.shape[1]
    assert run.states.shape == (layers + 1, n, d_model)
    assert len(run.layers) == layers
    assert run.layers[0].heads.weights.shape == (heads, n, n)
    assert run.next_word.shape == (n, len(model.words))
    np.testing.assert_allclose(run.next_word.sum(-1), 1, rtol=1e-5)
    for before, after, layer in zip(run.states, run.states[1:], run.layers, strict=False):
        np.testing.assert_allclose(after, before + layer.deltas.sum(0), atol=1e-5)
    assert not np.triu(run.layers[1].heads.weights, 1).any(), "no word looks ahead"


@every_model
def test_the_forward_pass_is_the_one_that_was_trained(name):
    model = load_language_model(name)
    network = training.Network(False, torch.Generator())
    weights = {key: torch.tensor(getattr(model, key)) for key, _ in network.named_parameters()}
    network.load_state_dict(weights)
    for text in itertools.islice(grammar.texts(5, held_out=True), 20):
        words = torch.tensor(model.places(text.words))[None]
        with torch.no_grad():
            logits, contexts, _ = network(words)
        run = model.run(text.words)
        trained = logits[0].numpy()
        np.testing.assert_allclose(run.logits[-1], trained, rtol=0, atol=1e-5 * np.abs(trained).max())
        for layer, context in zip(run.layers, contexts, strict=True):
            trained = context[0].numpy()
            np.testing.assert_allclose(layer.heads.context, trained, rtol=0, atol=1e-5 * np.abs(trained).max())


@every_model
def test_the_record_is_what_the_weights_reach(name, held_out):
    model = load_language_model(name)
    shares = measure_heads(model, held_out)
    for kind, share in model.record["attention_on_answer"].items():
        assert shares[kind][QUESTIONS[kind]] == pytest.approx(share, abs=0.002), kind
    assert measure_answers(model, held_out) == pytest.approx(model.record["answers_right"], abs=0.002)
    assert measure_loss(model, held_out) == pytest.approx(model.record["loss"]["whole"], abs=0.002)
    counted = {"answers": count_answers(held_out), "questions": count_questions(held_out)}
    assert model.record["counted"] == counted


def test_heads_that_were_asked_a_question_can_be_read_and_answers_are_right(held_out):
    record = load_language_model("readable").record
    assert sum(share >= 0.85 for share in record["attention_on_answer"].values()) >= 6
    assert min(record["answers_right"].values()) >= 0.75
    assert np.mean([*record["answers_right"].values()]) >= 0.9


def test_the_plain_model_was_asked_nothing_and_cannot_be_read():
    readable, plain = (load_language_model(name).record for name in ("readable", "plain"))
    few = sum(share >= 0.85 for share in plain["attention_on_answer"].values())
    assert few < sum(share >= 0.85 for share in readable["attention_on_answer"].values())
    assert 0.8 < np.mean([*plain["answers_right"].values()]) < np.mean([*readable["answers_right"].values()])
    assert plain["loss"]["whole"] < 1.15


def test_who_walks_out_decides_onto_what():
    model = load_language_model()
    for who, onto in (("soccer player", "field"), ("musician", "stage")):
        said = model.run(f"the {who} took a deep breath and walked out onto the".split()).next_word[-1]
        assert model.words[said.argmax()] == onto


def test_a_head_that_is_off_adds_nothing_and_the_others_stay():
    model = load_language_model()
    on, off = model.run(SENTENCE), model.run(SENTENCE, heads_off=[(0, 1)])
    assert not off.layers[0].deltas[1].any()
    np.testing.assert_array_equal(off.layers[0].deltas[2], on.layers[0].deltas[2])
    np.testing.assert_array_equal(off.layers[0].heads.weights, on.layers[0].heads.weights)
    assert (off.next_word != on.next_word).any()


def test_no_words_give_empty_arrays():
    run = load_language_model().run([])
    assert run.next_word.shape == (0, len(grammar.WORDS))
    assert run.layers[0].heads.weights.shape == (5, 0, 0)


def test_what_it_cannot_read_is_named():
    model = load_language_model()
    with pytest.raises(ValueError, match="'elephant'"):
        model.run(["the", "elephant"])
    with pytest.raises(ValueError, match="at most 32 words, got 33"):
        model.run(["the"] * 33)
    with pytest.raises(ValueError, match=r"no head \(2, 0\)"):
        model.run(["the"], heads_off=[(2, 0)])
    with pytest.raises(KeyError, match="readable, plain"):
        load_language_model("large")


def test_its_words_hold_the_sentence_of_the_article_and_all_kinds_of_text():
    for kind in grammar.KINDS:
        for text in itertools.islice(grammar.texts(3, held_out=True, kind=kind), 50):
            assert set(text.words) <= set(grammar.WORDS)
            assert all(link.key < link.query for link in text.links)
            for slot in text.slots:
                assert text.words[slot.place + 1] in slot.answers


def test_the_script_learns(monkeypatch):
    """A few steps: the loss of the next word falls below chance and its weights are read back."""
    monkeypatch.setattr(training, "BATCH", 8)
    weights, _ = training.train("readable", seed=0, steps=40, pool=100)
    begun, _ = training.train("readable", seed=0, steps=0, pool=100)
    words, asked = training.tables(list(itertools.islice(grammar.texts(7, held_out=True), 20)))

    def loss(of):
        network = training.Network(False, torch.Generator())
        network.load_state_dict({key: torch.tensor(value) for key, value in of.items()})
        with torch.no_grad():
            return network.loss(words, asked).item()

    assert loss(weights) < np.log(len(grammar.WORDS)) < loss(begun)
