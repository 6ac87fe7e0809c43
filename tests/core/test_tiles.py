"""Softmax in tiles: the worked numbers, plain softmax for any scores and tiles, and what it refuses."""

from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import softmax, softmax_in_tiles
from tests.core.refusals import not_refused

SCORES, VALUES = [1, 3, 2, 7, 0, 4, 5, 6, 1], np.arange(1.0, 10)[:, None]
some_scores = arrays(
    float, st.integers(1, 12), elements=st.floats(-1e308, 1e308) | st.floats(-9, 9) | st.just(-np.inf)
)


def test_the_worked_numbers():
    steps = softmax_in_tiles(SCORES, VALUES, 3)
    np.testing.assert_array_equal(steps.largest, [3, 7, 7])
    np.testing.assert_allclose(steps.factor, [0, np.exp(3 - 7), 1])
    np.testing.assert_allclose(steps.total, [1.5032, 1.0782, 1.5839], atol=5e-5)
    np.testing.assert_allclose(steps.context[:, 0], [2.1547, 4.0461, 5.2246], atol=5e-5)


@given(some_scores, st.integers(1, 13))
def test_the_last_context_is_that_of_plain_softmax(scores, tile):
    values = np.stack([np.arange(len(scores)), np.cos(np.arange(len(scores)))], axis=1)
    steps = softmax_in_tiles(scores, values, tile)
    np.testing.assert_allclose(steps.context[-1], softmax(scores) @ values, rtol=1e-12, atol=1e-12)
    assert len(steps.total) == -(-len(scores) // tile)


def test_each_row_of_scores_is_a_query():
    scores = np.array([SCORES, SCORES[::-1]], float).reshape(2, 1, 9)
    steps = softmax_in_tiles(scores, VALUES, 4)
    assert (steps.largest.shape, steps.context.shape) == ((2, 1, 3), (2, 1, 3, 1))
    np.testing.assert_allclose(steps.context[:, :, -1], softmax(scores) @ VALUES)
    assert not steps.context.flags.writeable


def test_masked_tiles_add_nothing():
    steps = softmax_in_tiles([-np.inf, -np.inf, 2, 1, -np.inf, -np.inf], VALUES[:6], 2)
    np.testing.assert_array_equal(steps.largest, [-np.inf, 2, 2])
    np.testing.assert_array_equal(steps.factor, [1, 0, 1])
    np.testing.assert_array_equal(steps.total[1:], [steps.total[1]] * 2)
    np.testing.assert_array_equal(steps.context[0], [0])


def test_refusals():
    call = partial(partial, softmax_in_tiles)
    cases = [
        (call([1, np.nan], VALUES[:2], 1), "scores must be finite or −inf, got nan"),
        (call([1, np.inf], VALUES[:2], 1), "scores must be finite"),
        (call([1, 2], VALUES, 1), r"values must be \(n, d_v\)"),
        (call([1, 2], [1, 2], 1), r"values must be \(n, d_v\)"),
        (call([], VALUES[:0], 1), "n ≥ 1"),
        (call([1, 2], [[1], [np.nan]], 1), "values must"),
        (call(SCORES, VALUES, 0), "tile must be"),
        (call(SCORES, VALUES, 3.0), "tile must be"),
    ]
    assert not_refused(cases) == []
