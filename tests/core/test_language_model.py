"""The shipped language models reach what their records say, and their forward pass is the training's."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from attention_core import load_language_model
from attention_core.models import grammar
from attention_core.models import language_model as measuring
from attention_core.models.language_model import MEASURED, NAMES, QUESTIONS, held_out_texts
from tests.core.refusals import not_refused
from tools.training import language_model as training
from tools.training.loss import measure_loss

SENTENCE = ["the", "fluffy", "blue", "creature", "saw", "the", "shiny", "red", "tower", "."]


@pytest.fixture(scope="module")
def held_out():
    return held_out_texts()


def texts(count, *of):
    return itertools.islice(grammar.texts(*of), count)


def beginnings(text):
    """All beginnings of a text, and of each text that it is joined from."""
    begins = [0, *(place + 1 for place, word in enumerate(text.words) if word == ".")]
    return {text.words[begin:end] for begin in begins for end in range(begin + 1, len(text.words) + 1)}


def test_no_held_out_text_or_prompt_is_the_beginning_of_a_training_text(held_out):
    trained = texts(training.POOL, load_language_model().record["seed"], False)
    seen = set().union(*map(beginnings, trained))
    assert [text.words for text in held_out if text.words in seen] == []
    assert [slot for text in held_out for slot in text.slots if text.words[: slot.place + 1] in seen] == []


def test_where_order_does_not_matter_no_reordered_prompt_is_trained_on():
    for kind, prompt in (("tired_or_wide", 11), ("senses", 9)):
        trained, held_out = (
            {frozenset(text.words[:prompt]) - {"a"} for text in texts(2000, 0, held_out, kind)}
            for held_out in (False, True)
        )
        assert held_out
        assert not trained & held_out


@pytest.mark.parametrize("held_out", [False, True])
def test_every_kind_of_answer_occurs(held_out):
    slots = [slot for text in texts(3000, 1, held_out) for slot in text.slots]
    assert {slot.kind for slot in slots} == {*set(QUESTIONS) - {"previous"}, "walking_out"}
    for kind, count in {"walking_out": 2, "sense": 7, "trophy_or_box": 5}.items():
        assert len({slot.answers for slot in slots if slot.kind == kind}) == count


def test_annotations_fit_the_words_of_every_kind_of_text():
    for text in itertools.chain(*(texts(50, 3, True, kind) for kind in grammar.KINDS)):
        assert set(text.words) <= set(grammar.WORDS)
        assert all(link.key < link.query for link in text.links)
        assert all(text.words[slot.place + 1] in slot.answers for slot in text.slots)


def test_figures_are_from_different_texts_and_count_each_question_once(held_out):
    assert len({text.words for text in held_out}) == len(held_out) == MEASURED
    slots = [(text.words[: slot.place + 1], slot.kind) for text in held_out for slot in text.slots]
    links = [(text.words[: link.query + 1], link.kind) for text in held_out for link in text.links]
    assert (len(set(slots)), len(set(links))) == (len(slots), len(links))


@pytest.mark.parametrize("name", NAMES)
def test_the_forward_pass_is_the_one_that_was_trained(name):
    model = load_language_model(name)
    network = training.Network(False, torch.Generator())
    network.load_state_dict({key: torch.tensor(getattr(model, key)) for key, _ in network.named_parameters()})
    for text in texts(20, 5, True):
        with torch.no_grad():
            logits, contexts, _ = network(torch.tensor(model.places(text.words))[None])
        run = model.run(text.words)
        pairs = [(run.logits[-1], logits)]
        pairs += [(layer.heads.context, context) for layer, context in zip(run.layers, contexts, strict=True)]
        for ours, trained in pairs:
            trained = trained[0].numpy()
            np.testing.assert_allclose(ours, trained, rtol=0, atol=1e-5 * np.abs(trained).max())
        np.testing.assert_allclose(run.next_word.sum(-1), 1, rtol=1e-5)
        for before, after, layer in zip(run.states, run.states[1:], run.layers, strict=False):
            np.testing.assert_allclose(after, before + layer.deltas.sum(0), atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_record_is_what_the_weights_reach(name, held_out):
    model = load_language_model(name)
    shares, record = measuring.measure_heads(model, held_out), model.record
    for kind, share in record["attention_on_answer"].items():
        assert shares[kind][QUESTIONS[kind]] == pytest.approx(share, abs=0.002), kind
    assert measuring.measure_answers(model, held_out) == pytest.approx(record["answers_right"], abs=0.002)
    assert measure_loss(model, held_out) == pytest.approx(record["loss"]["whole"], abs=0.002)
    counts = measuring.count_answers(held_out), measuring.count_questions(held_out)
    for kind, share in record["answers_right"].items():  # a fraction of that count, not rounded to per mille
        assert round(share * counts[0][kind]) / counts[0][kind] == pytest.approx(share, abs=1e-6), kind
    assert record["counted"] == dict(zip(("answers", "questions"), counts, strict=True))


def test_only_heads_that_were_trained_for_a_question_attend_to_its_answer():
    readable, plain = (load_language_model(name).record for name in ("readable", "plain"))
    attending, few = (
        sum(share >= 0.85 for share in record["attention_on_answer"].values()) for record in (readable, plain)
    )
    assert attending >= 6
    assert few < attending
    right = [np.mean([*record["answers_right"].values()]) for record in (readable, plain)]
    assert min(readable["answers_right"].values()) >= 0.75
    assert right[0] >= 0.9
    assert 0.8 < right[1] < right[0]
    assert plain["loss"]["whole"] < 1.15


def test_a_head_that_is_off_adds_nothing_and_the_others_stay():
    model = load_language_model()
    on, off = model.run(SENTENCE), model.run(SENTENCE, heads_off=[(0, 1)])
    assert not off.layers[0].deltas[1].any()
    np.testing.assert_array_equal(off.layers[0].deltas[2], on.layers[0].deltas[2])
    np.testing.assert_array_equal(off.layers[0].heads.weights, on.layers[0].heads.weights)
    assert (off.next_word != on.next_word).any()


def test_heads_that_share_keys_are_refused_as_each_is_measured_alone():
    model = load_language_model()
    shared = partial(replace, model, W_key=model.W_key[:, :1], W_value=model.W_value[:, :1])
    assert not_refused([(shared, r"W_key must have shape \(2, 5, .* got \(2, 1, ")]) == []


def test_texts_that_the_model_cannot_read_are_refused_but_not_an_empty_one():
    model = load_language_model()
    cases = [
        (partial(model.run, ["the", "elephant"]), "'elephant'"),
        (partial(model.run, ["the"] * 33), "at most 32 words, got 33"),
        (partial(model.run, ["the"], heads_off=[(2, 0)]), r"no head \(2, 0\)"),
    ]
    assert not_refused(cases) == []
    with pytest.raises(KeyError, match="readable, plain"):
        load_language_model("large")
    run = model.run([])
    assert run.next_word.shape == (0, len(grammar.WORDS))
    assert run.layers[0].heads.weights.shape == (5, 0, 0)


def test_training_for_a_few_steps_lowers_the_loss_below_chance(monkeypatch):
    monkeypatch.setattr(training, "BATCH", 8)
    words, asked = training.tables(list(texts(20, 7, True)))

    def loss_after(steps):
        weights, _ = training.train("readable", seed=0, steps=steps, pool=100)
        network = training.Network(False, torch.Generator())
        network.load_state_dict({key: torch.tensor(value) for key, value in weights.items()})
        with torch.no_grad():
            return network.loss(words, asked).item()

    assert loss_after(40) < np.log(len(grammar.WORDS)) < loss_after(0)
