"""The rest of a block: layer norm, the feed-forward network, and the order of their steps."""

from functools import partial

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core import FeedForward, MultiHeadAttention, block_steps, layer_norm, random_feed_forward
from tests.core.refusals import not_refused


@given(st.integers(0, 2**32 - 1), st.floats(-3, 100))
def test_layer_norm_gives_every_vector_mean_0_and_variance_1(seed, size):
    x = np.random.default_rng(seed).normal(size=(4, 7)) * 10**size
    normed = layer_norm(x, 1e-300)
    np.testing.assert_allclose(normed.mean(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(normed.var(axis=1), 1, rtol=1e-9)


def test_layer_norm_by_hand_and_by_torch():
    np.testing.assert_allclose(layer_norm([[1.0, 3.0]], 3.0), [[-0.5, 0.5]])
    np.testing.assert_array_equal(layer_norm([[2.0, 2.0, 2.0]]), [[0.0, 0.0, 0.0]])
    assert layer_norm(np.ones((2, 3), np.float32)).dtype == np.float32
    x = np.random.default_rng(1).normal(size=(3, 5))
    np.testing.assert_allclose(layer_norm(x), torch.nn.functional.layer_norm(torch.tensor(x), (5,)), rtol=1e-12)


def test_a_feed_forward_network_works_on_each_word_alone():
    feed = FeedForward([[1.0, -1.0]], [[2.0], [3.0]])
    np.testing.assert_array_equal(feed([[5.0], [-5.0]]), [[10.0], [15.0]])
    x, many = np.random.default_rng(0).normal(size=(6, 8)), random_feed_forward(8)
    np.testing.assert_allclose(many(x)[2:3], many(x[2:3]))
    assert many.W_up.shape == (8, 32)
    assert many.provenance == "random"
    np.testing.assert_array_equal(many.W_up, random_feed_forward(8).W_up)


def test_a_block_normalises_after_or_before_each_part():
    random = np.random.default_rng(3)
    attention = MultiHeadAttention(*(random.normal(size=size) for size in [(2, 6, 3)] * 3 + [(2, 3, 6)]))
    x, feed = random.normal(size=(5, 6)), random_feed_forward(6)
    after = block_steps(x, attention, feed)
    first = layer_norm(x + attention.attend(x).output)
    np.testing.assert_allclose([*after.values()][-1], layer_norm(first + feed(first)))
    before = block_steps(x, attention, feed, norm_first=True)
    middle = x + attention.attend(layer_norm(x)).output
    np.testing.assert_allclose([*before.values()][-1], middle + feed(layer_norm(middle)))
    assert len(after) == len(before) == 7


def test_refusals():
    bad = [[1.0, 2.0], [[np.nan, 1.0]], [[np.inf, 1.0]]]
    cases = [(partial(layer_norm, x), "x must") for x in bad] + [
        (lambda: layer_norm([[1.0, 2.0]], 0), "epsilon must be above zero"),
        (lambda: FeedForward([[1.0, 1.0]], [[1.0, 1.0]]), r"W_down must have shape \(2, 1\)"),
        (lambda: random_feed_forward(8)(np.ones((2, 3))), "x must have 8 components"),
    ]
    assert not_refused(cases) == []
