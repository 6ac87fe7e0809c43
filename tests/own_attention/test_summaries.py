"""What is shown beside the heads themselves: contributions, means, rollout."""

import numpy as np
import pytest

from attention_lab.own_attention.forms import read_attention
from attention_lab.own_attention.from_vectors import attention_of_vectors
from attention_lab.own_attention.summaries import contributions, mean_over_heads, rollout

RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.dirichlet(np.ones(4), size=(3, 2, 4)).astype(np.float32)


def test_a_mean_is_that_of_the_heads_of_a_layer():
    found = mean_over_heads(read_attention(WEIGHTS)["attention"])
    np.testing.assert_allclose(np.stack(found.weights)[:, 0], WEIGHTS.mean(axis=1), rtol=1e-6)


def test_rollout_multiplies_the_layers_with_half_of_each_left_to_the_residual_connection():
    found = rollout(read_attention(WEIGHTS)["attention"])
    expected = np.eye(4)
    for layer in range(3):
        expected = (WEIGHTS[layer].mean(axis=0) + np.eye(4)) / 2 @ expected
        np.testing.assert_allclose(found.weights[layer][0], expected, rtol=1e-5)
    causal = rollout(read_attention(np.tri(4) / np.arange(1, 5)[:, None])["attention"])
    assert causal.is_causal
    with pytest.raises(
        ValueError, match="rollout needs the weights of a text to itself, got 2 queries and 4 keys"
    ):
        rollout(read_attention(WEIGHTS[:, :, :2], ["a", "b"], list("uvwx"))["attention"])


def test_a_contribution_is_the_length_of_what_a_weighted_value_adds():
    query, value, matrix = (RANDOM.normal(size=shape) for shape in ((2, 4, 3), (2, 4, 3), (6, 5)))
    attention = attention_of_vectors(query, query, value, matrix)
    (found,) = contributions(attention).weights
    for head in range(2):
        added = attention.weights[0][head][:, :, None] * (value[head] @ matrix.reshape(2, 3, 5)[head])[None]
        lengths = np.linalg.norm(added, axis=-1)
        np.testing.assert_allclose(found[head], lengths / lengths.sum(axis=-1, keepdims=True), rtol=1e-4)
    with pytest.raises(ValueError, match="contributions need the values"):
        contributions(attention_of_vectors(query, query))
