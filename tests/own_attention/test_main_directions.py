"""Queries and keys in the plane of their two main directions, and what comes with the course's own traces."""

import numpy as np
import pytest

from attention_core import MultiHeadAttention, scaled_dot_product_attention
from attention_lab.own_attention.forms import read_attention
from attention_lab.own_attention.from_vectors import attention_of_vectors
from attention_lab.own_attention.main_directions import main_directions
from attention_lab.own_attention.movable_plane import movable

RANDOM = np.random.default_rng(0)


def test_no_other_plane_holds_more_of_queries_and_keys():
    query, key = RANDOM.normal(size=(2, 5, 6)), RANDOM.normal(size=(1, 7, 6))
    found = main_directions(query, key)
    for head in range(2):
        both = np.concatenate([query[head], key[0]])
        sizes = np.linalg.svd(both, compute_uv=False) ** 2
        assert found.held[head] == pytest.approx(sizes[:2].sum() / sizes.sum())
        seen = np.concatenate([found.query[head], found.key[head]])
        assert (seen**2).sum() == pytest.approx(sizes[:2].sum())


def test_what_lies_in_a_plane_keeps_its_scores():
    query, key = RANDOM.normal(size=(1, 4, 2)), RANDOM.normal(size=(1, 4, 2))
    turned = np.linalg.qr(RANDOM.normal(size=(5, 5)))[0][:2]
    found = main_directions(query @ turned, key @ turned)
    np.testing.assert_allclose(found.query[0] @ found.key[0].T, query[0] @ key[0].T, atol=1e-12)
    assert found.held.tolist() == pytest.approx([1])
    np.testing.assert_array_equal(main_directions(query, key).key, key)
    assert main_directions(query[..., :1], key[..., :1]).query.shape == (1, 4, 2)


def test_a_trace_brings_its_vectors_and_the_lengths_of_its_values():
    matrices = [RANDOM.normal(size=(4, 6, 3)), *(RANDOM.normal(size=(2, 6, 3)) for _ in range(2))]
    trace = MultiHeadAttention(*matrices, RANDOM.normal(size=(4, 3, 6))).attend(RANDOM.normal(size=(5, 6)))
    found = read_attention(trace)["attention"]
    assert found.shared == [2]
    assert found.lengths == [], "what values add is known with W_output alone, which a trace lacks"
    heads = scaled_dot_product_attention(*(RANDOM.normal(size=(2, 5, 3)) for _ in range(3)))
    lengths = read_attention(heads)["attention"].lengths[0]
    np.testing.assert_allclose(lengths, np.linalg.norm(heads.value, axis=-1), rtol=1e-5)
    same = attention_of_vectors(trace.heads.query, trace.heads.key)
    np.testing.assert_allclose(found.arrows[0].held, same.arrows[0].held, rtol=1e-5)


def test_one_head_of_two_dimensions_can_be_moved():
    vectors = RANDOM.normal(size=(3, 2))
    trace = scaled_dot_product_attention(vectors, vectors, vectors)
    assert movable(trace) is trace
    many = RANDOM.normal(size=(13, 2))
    higher = RANDOM.normal(size=(3, 3))
    for other in (
        scaled_dot_product_attention(many, many, many),
        scaled_dot_product_attention(higher, higher, higher),
        scaled_dot_product_attention(vectors[None], vectors[None], vectors[None]),
        trace.weights,
    ):
        assert movable(other) is None
