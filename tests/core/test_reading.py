"""One text in a trained model: dimmed heads, what is handed over, what an exchanged word changes."""

import numpy as np
import pytest

from attention_core import load_language_model
from attention_core.models import grammar
from attention_core.models.reading import as_model, changes_between, last_states, read_text

TEXT = ["the", "soccer", "player", "took", "a", "deep", "breath", "and", "walked", "out", "onto", "the"]
OTHER = ["the", "musician", "player", "took", "a", "deep", "breath", "and", "walked", "out", "onto", "the"]
STRENGTHS = np.array([[1, 0.5, 1, 0, 1], [0.25, 1, 1, 1, 0.75]])


@pytest.fixture(scope="module")
def model():
    return load_language_model()


def numbers(words):
    return [grammar.PLACE_OF[word] for word in words]


def test_a_dimmed_head_adds_so_much_less(model):
    whole, dimmed = model.run(TEXT), model.run(TEXT, strengths=STRENGTHS)
    parts = STRENGTHS[0][:, None, None] * whole.layers[0].deltas
    np.testing.assert_allclose(dimmed.states[1] - dimmed.states[0], parts.sum(0), atol=1e-5)
    np.testing.assert_array_equal(dimmed.layers[0].heads.weights, whole.layers[0].heads.weights)


def test_no_strength_is_off_and_full_strength_is_on(model):
    np.testing.assert_array_equal(model.run(TEXT, strengths=np.ones((2, 5))).logits, model.run(TEXT).logits)
    off = np.ones((2, 5))
    off[0, 3] = 0
    np.testing.assert_array_equal(
        model.run(TEXT, strengths=off).logits, model.run(TEXT, heads_off=[(0, 3)]).logits
    )
    with pytest.raises(ValueError, match=r"\(2, 5\), got \(5, 2\)"):
        model.run(TEXT, strengths=np.ones((5, 2)))


def test_a_reading_is_the_models_run(model):
    run, read = model.run(TEXT, strengths=STRENGTHS), read_text(model, numbers(TEXT), STRENGTHS)
    np.testing.assert_allclose(read.states, run.states, atol=1e-5)
    np.testing.assert_allclose(
        read.weights, np.concatenate([layer.heads.weights for layer in run.layers]), atol=1e-6
    )
    np.testing.assert_allclose(read.next_word[-1], run.next_word[-1], atol=1e-6)
    np.testing.assert_allclose(read.logits, run.logits[:, -1], atol=1e-4)


def test_what_words_hand_over_makes_every_step(model):
    """Weights times what is handed over, over all heads of a layer, is what the layer adds."""
    read = read_text(model, numbers(TEXT), STRENGTHS)
    for layer in range(2):
        heads = slice(5 * layer, 5 * layer + 5)
        added = (read.weights[heads] @ read.updates[heads]).sum(axis=0)
        np.testing.assert_allclose(read.states[layer + 1] - read.states[layer], added, atol=1e-5)


def test_an_exchanged_word_changes_nothing_before_it_and_at_first_nothing_but_itself(model):
    before, after = (read_text(model, numbers(text), np.ones((2, 5))) for text in (TEXT, OTHER))
    change = changes_between(before, after)
    assert change.states[0, 1] > 0
    assert not np.delete(change.states[0], 1).any()
    assert not change.states[:, 0].any()
    assert change.states[2, -1] > 0.1
    moved = np.linalg.norm(after.states[2, -1] - before.states[2, -1])
    assert change.states[2, -1] == pytest.approx(moved / np.linalg.norm(before.states[2, -1]))
    by_whom = [
        sum(
            after.weights[h, -1, 1] * after.updates[h, 1] - before.weights[h, -1, 1] * before.updates[h, 1]
            for h in range(5, 10)
        )
    ]
    assert change.carried[1, -1, 1] == pytest.approx(np.linalg.norm(by_whom), rel=1e-5)
    assert not np.triu(change.carried[1], 1).any()
    same = changes_between(before, before)
    assert not same.states.any()
    assert not same.carried.any()


@pytest.mark.parametrize("count", [1, 5, 23])
def test_last_states_of_texts_are_those_of_each(model, count):
    texts = np.random.default_rng(1).integers(len(grammar.WORDS), size=(count, 9))
    found = last_states(model, texts, STRENGTHS)
    assert found.shape == (3, count, 40)
    for k, text in enumerate(texts):
        np.testing.assert_allclose(found[:, k], read_text(model, text, STRENGTHS).states[:, -1], atol=1e-5)


def test_weights_alone_are_a_model_whose_words_are_numbers(model):
    again = as_model({name: array for name, array in vars(model).items() if isinstance(array, np.ndarray)})
    np.testing.assert_array_equal(
        again.run(["1", "117"]).states, model.run([grammar.WORDS[1], grammar.WORDS[117]]).states
    )
