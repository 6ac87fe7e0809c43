"""Attention heads: by hand, against torch, at the edges, and what they refuse."""

from functools import partial
from itertools import product

import numpy as np

from attention_core import AttentionHead, MultiHeadAttention, causal_mask, padding_mask
from attention_core import scaled_dot_product_attention as attend
from tests.core.refusals import not_refused


def random_heads(seed, h=3, d_model=6, d_k=2, d_v=4, kind=np.float64, h_kv=None):
    random, h_kv = np.random.default_rng(seed), h_kv or h
    shapes = (h, d_model, d_k), (h_kv, d_model, d_k), (h_kv, d_model, d_v), (h, d_v, d_model)
    return MultiHeadAttention(*(random.standard_normal(shape).astype(kind) for shape in shapes))


def one_of(heads, i):
    shared = i // (len(heads.W_query) // len(heads.W_key))
    return AttentionHead(heads.W_query[i], heads.W_key[shared], heads.W_value[shared], heads.W_output[i])


def words(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def test_memory_and_output_matrix_are_optional():
    heads, x = random_heads(1), words(1, 5, 6)
    np.testing.assert_array_equal(heads.attend(x).output, heads.attend(x, memory=x).output)
    head = AttentionHead(heads.W_query[0], heads.W_key[0], heads.W_value[0])
    assert head.W_output is None
    assert head.attend(x).delta is None


def test_several_heads_are_each_head_alone_and_their_updates_add_up():
    for leading, (h, h_kv) in product(((), (2,), (2, 5)), ((3, 3), (4, 2), (3, 1))):
        heads, x, memory = random_heads(3, h, h_kv=h_kv), words(3, *leading, 5, 6), words(4, *leading, 7, 6)
        mask = np.random.default_rng(3).random((h, 5, 7)) < 0.7
        trace = heads.attend(x, memory, mask)
        assert trace.heads.weights.shape == (*leading, h, 5, 7)
        assert trace.heads.value.shape == (*leading, h_kv, 7, 4)
        assert trace.context.shape == (*leading, 5, 4 * h)
        last_two = np.stack([trace.head(h - 2).key, trace.head(-1).key], axis=-3)
        np.testing.assert_array_equal(trace.head(slice(h - 2, None)).key, last_two)
        assert trace.heads.delta is trace.deltas
        np.testing.assert_allclose(trace.context @ heads.W_output.reshape(-1, 6), trace.output, atol=1e-12)
        np.testing.assert_allclose(trace.deltas.sum(axis=-3), trace.output, atol=1e-12)
        for i in range(h):
            head, same = one_of(heads, i), trace.head(i)
            projected = x @ head.W_query, memory @ head.W_key, memory @ head.W_value
            alone = head.attend(x, memory, mask[i])
            np.testing.assert_allclose(alone.context, attend(*projected, mask[i]).context, atol=1e-12)
            np.testing.assert_allclose(alone.delta, alone.context @ head.W_output, atol=1e-12)
            np.testing.assert_allclose(trace.deltas[..., i, :, :], alone.delta, atol=1e-12)
            np.testing.assert_allclose(trace.context[..., 4 * i : 4 * i + 4], alone.context, atol=1e-12)
            assert alone.key_heads is same.key_heads is None
            for name in vars(alone).keys() - {"key_heads"}:
                np.testing.assert_allclose(getattr(same, name), getattr(alone, name), atol=1e-12, err_msg=name)


def test_a_mask_is_for_all_heads_or_one_for_each():
    heads, x = random_heads(0), words(0, 4, 6)
    for_all = heads.attend(x, mask=causal_mask(4))
    each = heads.attend(x, mask=np.stack([causal_mask(4), np.ones((4, 4), bool), np.zeros((4, 4), bool)]))
    np.testing.assert_array_equal(for_all.deltas[0], each.deltas[0])
    np.testing.assert_array_equal(heads.attend(x).deltas[1], each.deltas[1])
    np.testing.assert_array_equal(each.deltas[2], np.zeros((4, 6)))
    batch_of_masks = np.stack([causal_mask(4), ~causal_mask(4)])[:, None]
    batch = heads.attend(np.stack([x, x]), mask=batch_of_masks)
    np.testing.assert_allclose(batch.output[0], for_all.output)


def test_a_mask_that_could_mean_sentences_or_heads_is_refused():
    x, padding = words(1, 2, 3, 6), padding_mask([[False, False, True], [False, False, False]])
    heads = random_heads(1, h=2)
    cases = [
        (partial(heads.attend, x, mask=padding), r"\(2,\) of mask .* sentences or heads .* pass mask\[:, None\]"),
        (partial(random_heads(1).attend, x, mask=padding), r"pass mask\[:, None\]"),  # fits no heads
        (partial(heads.attend, words(1, 3, 2, 3, 6), mask=padding), r"pass mask\[:, None\]"),
        (partial(heads.attend, words(1, 2, 2, 3, 6), x), r"\(2,\) of memory .* pass memory\[:, None\]"),
    ]
    assert not_refused(cases) == []
    trace = heads.attend(x, mask=padding[:, None])
    for i in range(2):
        np.testing.assert_allclose(trace.output[i], heads.attend(x[i], mask=padding[i]).output)
    assert not trace.heads.weights[0, :, :, 2].any()
    per_head = heads.attend(x, mask=padding[None])
    np.testing.assert_allclose(per_head.output[1], heads.attend(x[1], mask=padding).output)


def test_no_words_give_empty_or_zero_updates():
    for mask in (None, causal_mask(0)):
        trace = random_heads(0).attend(np.ones((0, 6)), mask=mask)
        assert trace.output.shape == (0, 6)
        assert trace.context.shape == (0, 12)
    trace = random_heads(0).attend(np.ones((2, 3, 6)), memory=np.ones((2, 0, 6)))
    np.testing.assert_array_equal(trace.output, np.zeros((2, 3, 6)))


def test_matrices_and_traces_are_copies():
    W, x = np.ones((2, 2)), np.ones((3, 2))
    head = AttentionHead(W, W, W, W)
    trace = head.attend(x)
    W[...] = 9
    x[...] = 9
    assert (head.W_query == 1).all()
    assert (trace.query == 2).all()


def test_matrices_that_do_not_fit_are_refused_with_both_shapes():
    fitting = {"W_query": (2, 4, 3), "W_key": (2, 4, 3), "W_value": (2, 4, 5), "W_output": (2, 5, 4)}
    matrices = {name: np.ones(shape) for name, shape in fitting.items()}
    cases = []
    for name, shape, said in (
        ("W_query", (2, 3, 3), r"W_key must have shape \(2, 3, 3\) to fit W_query .* got \(2, 4, 3\)"),
        ("W_key", (2, 4, 2), r"W_key .* \(2, 4, 3\) to fit W_query of shape \(2, 4, 3\), got \(2, 4, 2\)"),
        ("W_query", (3, 4, 3), r"W_query .* as many heads as W_key, or a multiple.* \(3, 4, 3\) and \(2, 4, 3\)"),
        ("W_key", (1, 4, 3), r"W_value must have shape \(1, 4, 5\) to fit W_key .* got \(2, 4, 5\)"),
        ("W_value", (2, 3, 5), r"W_value must have shape \(2, 4, 5\) to fit W_key .* got \(2, 3, 5\)"),
        ("W_output", (2, 4, 5), r"W_output must have shape \(2, 5, 4\) to fit W_value .* got \(2, 4, 5\)"),
        ("W_output", (3, 5, 4), r"W_output must have shape \(2, 5, 4\)"),
        ("W_query", (4, 3), r"W_query must have shape \(heads, d_in, d_out\).* got \(4, 3\)"),
        ("W_key", (2, 0, 3), r"W_key must have shape .* no size zero, got \(2, 0, 3\)"),
    ):
        cases.append((partial(MultiHeadAttention, **matrices | {name: np.ones(shape)}), said))
    single = {name: np.ones(shape[1:]) for name, shape in fitting.items()}
    for name, shape, said in (
        ("W_query", (3, 3), r"W_key must have shape \(3, 3\)"),
        ("W_key", (4, 2), r"W_key must have shape \(4, 3\)"),
        ("W_value", (3, 5), r"W_value must have shape \(4, 5\)"),
        ("W_output", (4, 5), r"W_output must have shape \(5, 4\)"),
    ):
        cases.append((partial(AttentionHead, **single | {name: np.ones(shape)}), said))
    for name, shape in fitting.items():
        infinite = np.ones(shape)
        infinite[1, 2, 0] = np.inf
        infinite_said = rf"{name} must be finite, got inf at index \(1, 2, 0\)"
        cases.append((partial(MultiHeadAttention, **matrices | {name: infinite}), infinite_said))
        cases.append((partial(MultiHeadAttention, **matrices | {name: None}), f"{name} must hold real numbers"))
    assert not_refused(cases) == []


def test_words_that_do_not_fit_are_refused():
    cases = []
    for x, memory, said in (
        (np.ones(6), None, r"x must have shape \(…, n, d\).* got \(6,\)"),
        (np.ones((2, 5)), None, r"x must have shape .*d_model = 6.* W_query of shape .* got \(2, 5\)"),
        (np.ones((2, 6)), np.ones((2, 5)), r"memory must have shape .*d_model = 6.* got \(2, 5\)"),
        (np.ones((2, 1, 6)), np.ones((3, 1, 6)), r"x and memory .* \(2, 1, 6\) and \(3, 1, 6\)"),
        (np.full((2, 6), np.nan), None, "x must be finite, got nan"),
        (np.ones((2, 6)), np.full((2, 6), np.inf), "memory must be finite, got inf"),
        (np.full((2, 6), 1e308), None, "overflow"),
    ):
        for heads in (random_heads(0), one_of(random_heads(0), 0)):
            cases.append((partial(heads.attend, x, memory), said))
    assert not_refused(cases) == []


def test_an_overflow_is_refused_where_it_happens():
    W, x = np.eye(2), np.full((2, 2), 1e300)
    small, large = 1e-300 * W, 1e200 * W
    several = MultiHeadAttention(*(np.stack([M, M]) for M in (small, W, W, 1.5e8 * W)))
    cases = [
        (lambda: AttentionHead(large, W, W).attend(x), "query overflows float64"),
        (lambda: AttentionHead(small, W, large).attend(x), "value overflows float64"),
        (lambda: AttentionHead(small, small, W, large).attend(x), "delta = context @ W_output must be finite"),
        (lambda: several.attend(x), "output must be finite"),
    ]
    assert not_refused(cases) == []
