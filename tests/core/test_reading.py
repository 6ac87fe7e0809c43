"""Reading one text in a trained model: weakened heads, updates, and the effect of a swapped word."""

import numpy as np
import pytest

from attention_core import load_language_model
from attention_core.models import grammar
from attention_core.models.reading import as_model, changes_between, last_states, read_text

MODEL = load_language_model()
TEXT = ["the", "soccer", "player", "took", "a", "deep", "breath", "and", "walked", "out", "onto", "the"]
STRENGTHS = np.array([[1, 0.5, 1, 0, 1], [0.25, 1, 1, 1, 0.75]])


def read(words, strengths=STRENGTHS):
    return read_text(MODEL, [grammar.PLACE_OF[word] for word in words], strengths)


def test_strengths_multiply_the_updates_of_heads():
    whole, weakened = MODEL.run(TEXT), MODEL.run(TEXT, strengths=STRENGTHS)
    parts = STRENGTHS[0][:, None, None] * whole.layers[0].deltas
    np.testing.assert_allclose(weakened.states[1] - weakened.states[0], parts.sum(0), atol=1e-5)
    np.testing.assert_array_equal(weakened.layers[0].heads.weights, whole.layers[0].heads.weights)
    off = np.ones((2, 5))
    off[0, 3] = 0
    for strengths, heads_off in ((np.ones((2, 5)), []), (off, [(0, 3)])):
        logits = MODEL.run(TEXT, strengths=strengths).logits
        np.testing.assert_array_equal(logits, MODEL.run(TEXT, heads_off=heads_off).logits)
    with pytest.raises(ValueError, match=r"\(2, 5\), got \(5, 2\)"):
        MODEL.run(TEXT, strengths=np.ones((5, 2)))


def test_a_reading_is_the_models_run_and_its_updates_make_every_state():
    run, reading = MODEL.run(TEXT, strengths=STRENGTHS), read(TEXT)
    np.testing.assert_allclose(reading.states, run.states, atol=1e-5)
    weights = np.concatenate([layer.heads.weights for layer in run.layers])
    np.testing.assert_allclose(reading.weights, weights, atol=1e-6)
    np.testing.assert_allclose(reading.next_word[-1], run.next_word[-1], atol=1e-6)
    np.testing.assert_allclose(reading.logits, run.logits[:, -1], atol=1e-4)
    for layer in range(2):
        heads = slice(5 * layer, 5 * layer + 5)
        update = (reading.weights[heads] @ reading.updates[heads]).sum(axis=0)
        np.testing.assert_allclose(reading.states[layer + 1] - reading.states[layer], update, atol=1e-5)


def test_a_swapped_word_changes_nothing_before_it_and_at_first_nothing_but_itself():
    before, after = (read(["the", who, *TEXT[2:]], np.ones((2, 5))) for who in ("soccer", "musician"))
    change = changes_between(before, after)
    assert change.states[0, 1] > 0
    assert not np.delete(change.states[0], 1).any()
    assert not change.states[:, 0].any()
    assert change.states[2, -1] > 0.1
    moved = np.linalg.norm(after.states[2, -1] - before.states[2, -1])
    assert change.states[2, -1] == pytest.approx(moved / np.linalg.norm(before.states[2, -1]))
    passed_on = [(each.weights[5:, -1, 1, None] * each.updates[5:, 1]).sum(axis=0) for each in (before, after)]
    assert change.carried[1, -1, 1] == pytest.approx(np.linalg.norm(passed_on[1] - passed_on[0]), rel=1e-5)
    assert not np.triu(change.carried[1], 1).any()
    same = changes_between(before, before)
    assert not same.states.any()
    assert not same.carried.any()


def test_last_states_of_several_texts_are_those_of_each():
    for count in (1, 23):
        texts = np.random.default_rng(1).integers(len(grammar.WORDS), size=(count, 9))
        found = last_states(MODEL, texts, STRENGTHS)
        expected = [read_text(MODEL, text, STRENGTHS).states[:, -1] for text in texts]
        np.testing.assert_allclose(found, np.stack(expected, axis=1), atol=1e-5)


def test_arrays_are_a_model_whose_words_are_numbers():
    again = as_model({name: array for name, array in vars(MODEL).items() if isinstance(array, np.ndarray)})
    words = [grammar.WORDS[1], grammar.WORDS[117]]
    np.testing.assert_array_equal(again.run(["1", "117"]).states, MODEL.run(words).states)
