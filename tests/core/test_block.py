"""The rest of a block: layer norm, the feed-forward network, and the order of their steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import FeedForward, MultiHeadAttention, block_steps, layer_norm, random_feed_forward

seeds = st.integers(0, 2**32 - 1)


def heads(random, d):
    return MultiHeadAttention(*(random.normal(size=size) for size in [(2, d, 3)] * 3 + [(2, 3, d)]))


@given(seeds, st.floats(-3, 100))
def test_every_vector_gets_mean_0_and_variance_1(seed, size):
    x = np.random.default_rng(seed).normal(size=(4, 7)) * 10**size
    normed = layer_norm(x, 1e-300)
    np.testing.assert_allclose(normed.mean(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(normed.var(axis=1), 1, rtol=1e-9)


def test_the_formula_by_hand():
    np.testing.assert_allclose(layer_norm([[1.0, 3.0]], 3.0), [[-0.5, 0.5]])
    np.testing.assert_array_equal(layer_norm([[2.0, 2.0, 2.0]]), [[0.0, 0.0, 0.0]])
    assert layer_norm(np.ones((2, 3), np.float32)).dtype == np.float32


def test_agrees_with_torch():
    torch = pytest.importorskip("torch")
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
    with pytest.raises(ValueError, match=r"W_down must have shape \(2, 1\)"):
        FeedForward([[1.0, 1.0]], [[1.0, 1.0]])
    with pytest.raises(ValueError, match="x must have 8 components"):
        many(np.ones((2, 3)))


def test_the_two_orders():
    random = np.random.default_rng(3)
    x, attention, feed = random.normal(size=(5, 6)), heads(random, 6), random_feed_forward(6)
    after = block_steps(x, attention, feed)
    first = layer_norm(x + attention.attend(x).output)
    np.testing.assert_allclose([*after.values()][-1], layer_norm(first + feed(first)))
    before = block_steps(x, attention, feed, norm_first=True)
    middle = x + attention.attend(layer_norm(x)).output
    np.testing.assert_allclose([*before.values()][-1], middle + feed(layer_norm(middle)))
    assert len(after) == len(before) == 7


@pytest.mark.parametrize("x", [[1.0, 2.0], [[np.nan, 1.0]], [[np.inf, 1.0]]])
def test_what_cannot_be_normed_is_refused(x):
    with pytest.raises(ValueError, match="x must"):
        layer_norm(x)
    with pytest.raises(ValueError, match="epsilon must be above zero"):
        layer_norm([[1.0, 2.0]], 0)
