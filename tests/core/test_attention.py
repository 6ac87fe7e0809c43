"""Scaled dot-product attention: by hand, against torch, at the edges, and what it refuses."""

import math
from functools import partial
from itertools import product

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core import causal_mask, softmax
from attention_core import scaled_dot_product_attention as attend
from tests.core.refusals import not_refused


def random_case(seed, kind=np.float64, leading=()):
    """Queries, keys, values and a mask of random sizes; some rows of the mask may be False throughout."""
    random = np.random.default_rng(seed)
    n_q, n_k, d_k, d_v = random.integers(1, 9, 4)
    query, key, value = (
        (3 * random.standard_normal((*leading, *shape))).astype(kind)
        for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    )
    return query, key, value, random.random((*leading, n_q, n_k)) < random.random()


def test_two_words_by_hand():
    query, key, value = [[2, 0]], [[0, 7], [math.log(3), 7]], [[4, 0], [0, 8]]
    trace = attend(query, key, value, scale=0.5)
    np.testing.assert_allclose(trace.scores, [[0, 2 * math.log(3)]])
    np.testing.assert_allclose(trace.scaled_scores, [[0, math.log(3)]])
    np.testing.assert_allclose(trace.weights, [[0.25, 0.75]])
    np.testing.assert_allclose(trace.context, [[1, 6]])
    assert (trace.mask, trace.delta) == (None, None)
    assert trace.masked_scores is trace.scaled_scores
    np.testing.assert_array_equal(attend([[1, 2]], [[3, 4]], [[5]]).context, [[5]])


@given(st.integers(0, 2**32 - 1), st.none() | st.floats(-3, 3))
def test_each_field_follows_from_those_before(seed, scale):
    query, key, value, mask = random_case(seed)
    trace = attend(query, key, value, mask, scale)
    for name, array in (("query", query), ("key", key), ("value", value), ("mask", mask)):
        np.testing.assert_array_equal(getattr(trace, name), array)
    assert trace.scale == (query.shape[-1] ** -0.5 if scale is None else scale)
    np.testing.assert_allclose(trace.scores, query @ key.T, atol=1e-12)
    np.testing.assert_allclose(trace.scaled_scores, trace.scores * trace.scale, atol=1e-12)
    np.testing.assert_array_equal(trace.masked_scores, np.where(mask, trace.scaled_scores, -np.inf))
    np.testing.assert_allclose(trace.weights, softmax(trace.masked_scores), atol=1e-12)
    np.testing.assert_allclose(trace.weights.sum(axis=-1), mask.any(axis=-1))
    np.testing.assert_allclose(trace.context, trace.weights @ value, atol=1e-12)
    assert (trace.weights[~mask] == 0).all()


def test_agrees_with_torch():
    kinds = ((np.float32, 2e-4), (np.float64, 1e-9))
    axes = [((), None), ((2,), 2), ((2, 3), 3), ((2, 3), 1), ((6,), 2), ((2, 2, 6), 3)]  # and h_kv
    for (kind, tolerance), (leading, h_kv), seed in product(kinds, axes, range(50)):
        query, key, value, mask = random_case(seed, kind, leading)
        if h_kv:
            key, value = key[..., :h_kv, :, :], value[..., :h_kv, :, :]
        scale = None if seed % 2 else float(np.random.default_rng(seed).uniform(-2, 2))
        tensors = [torch.from_numpy(array) for array in (query, key, value, mask)]
        options = {"scale": scale, "enable_gqa": h_kv is not None}
        peer = torch.nn.functional.scaled_dot_product_attention(*tensors, **options).numpy()
        ours = attend(query, key, value, mask, scale).context
        assert ours.dtype == kind
        np.testing.assert_allclose(ours, peer, rtol=tolerance, atol=tolerance, err_msg=f"seed {seed}")


def test_under_a_causal_mask_a_later_word_changes_nothing_before_it():
    for kind, leading, seed in product((np.float32, np.float64), [(), (3,)], range(60)):
        random = np.random.default_rng(seed)
        n = random.integers(2, 40)
        x = random.standard_normal((*leading, n, 5)).astype(kind)
        changed, place = x.copy(), random.integers(1, n)
        changed[..., place, :] += random.standard_normal(5).astype(kind) * 30
        before, after = (attend(words, words, words, causal_mask(n)).context for words in (x, changed))
        assert (before[..., :place, :] == after[..., :place, :]).all(), "exactly the same"
        assert (before[..., place, :] != after[..., place, :]).any()


def test_extreme_scales_and_scores():
    query, key, value = [[1, 2]], [[1, 0], [0, 1]], [[1, 0], [0, 1]]
    for scale, weights in ((0, [0.5, 0.5]), (1e300, [0, 1]), (-1e300, [1, 0]), (1e-320, [0.5, 0.5])):
        np.testing.assert_array_equal(attend(query, key, value, scale=scale).weights, [weights])
    single = np.float32(query), np.float32(key), np.float32(value)
    np.testing.assert_array_equal(attend(*single, scale=1e-300).weights, [[0.5, 0.5]])
    for size in (1000, -1000, 1e150, -1e150):
        winner = 1 if size > 0 else 2
        trace = attend([[1.0], [-1.0]], [[size], [-size]], [[1.0], [2.0]])
        np.testing.assert_array_equal(trace.context, [[winner], [3 - winner]])
    masked = attend([[1.0]], [[1e300], [1]], [[1e300], [5]], [[False, True]])
    np.testing.assert_array_equal(masked.context, [[5]])
    # The squares of these overflow, so the quick check does not suffice.
    np.testing.assert_allclose(attend([[1e160]], [[1e140], [1]], [[1e300], [-1e300]]).context, [[1e300]])
    np.testing.assert_allclose(attend([[0]], [[0], [0]], [[1.7e308], [1.7e308]]).context, [[1.7e308]])


def test_no_words_give_empty_or_zero_contexts():
    for leading, (n_q, n_k), masked in product([(), (2,), (0,)], [(0, 3), (3, 0), (0, 0)], (False, True)):
        query, key, value = (np.ones((*leading, *shape)) for shape in ((n_q, 2), (n_k, 2), (n_k, 5)))
        trace = attend(query, key, value, np.ones((n_q, n_k), bool) if masked else None)
        assert trace.weights.shape == (*leading, n_q, n_k)
        np.testing.assert_array_equal(trace.context, np.zeros((*leading, n_q, 5)))


def test_a_trace_shares_no_memory_with_its_inputs():
    for kind in ("float16", "float32", "float64", "int32"):
        inputs = [np.arange(6).reshape(3, 2).astype(kind) for _ in range(3)] + [causal_mask(3)]
        arrays = [array for array in vars(attend(*inputs)).values() if isinstance(array, np.ndarray)]
        assert not any(np.shares_memory(array, own) for array in inputs for own in arrays)
        assert all(array.flags.writeable for array in inputs)


def test_leading_axes_broadcast():
    random = np.random.default_rng(5)
    query, key, value = (random.standard_normal(shape) for shape in ((4, 1, 3, 2), (1, 5, 6, 2), (5, 6, 7)))
    trace = attend(query, key, value, random.random((3, 6)) < 0.8)
    assert trace.context.shape == (4, 5, 3, 7)
    for i, j in np.ndindex(4, 5):
        alone = attend(query[i, 0], key[0, j], value[j], trace.mask[i, j])
        np.testing.assert_allclose(trace.context[i, j], alone.context)


def test_heads_may_share_keys_and_values():
    random = np.random.default_rng(6)
    axes = ((6,), (2,)), ((5, 6), (3,)), ((1, 6), (4, 2)), ((6,), (4, 3)), ((4, 6), (1,))
    for leading, (*batch, h_kv) in axes:
        query, key, value = (
            random.standard_normal(shape)
            for shape in ((*leading, 3, 2), (*batch, h_kv, 4, 2), (*batch, h_kv, 4, 5))
        )
        mask, group = random.random((6, 3, 4)) < 0.7, 6 // h_kv
        trace = attend(query, key, value, mask)
        peer = attend(query, key.repeat(group, axis=-3), value.repeat(group, axis=-3), mask)
        assert trace.key_heads == tuple(i // group for i in range(6))
        assert (trace.key.shape, trace.value.shape) == (key.shape, value.shape)
        for name in ("query", "mask", "scale", "scores", "scaled_scores", "masked_scores", "weights", "context"):
            np.testing.assert_allclose(getattr(trace, name), getattr(peer, name), atol=1e-12, err_msg=name)
    assert attend(query, key, value.repeat(6, axis=-3)).key_heads is None, "each head has a value of its own"


def test_the_mask_broadcasts_and_the_trace_has_all_of_it():
    random = np.random.default_rng(2)
    query, key = random.standard_normal((2, 3, 5)), random.standard_normal((2, 4, 5))
    for shape in [(), (4,), (1, 4), (3, 1), (3, 4), (2, 1, 1), (2, 3, 4)]:
        mask = random.random(shape) < 0.5
        trace = attend(query, key, key, mask)
        np.testing.assert_array_equal(trace.mask, np.broadcast_to(mask, (2, 3, 4)))
        np.testing.assert_array_equal(trace.weights > 0, trace.mask)


def shaped(*shapes):
    return [np.ones(shape) for shape in shapes]


def test_inputs_that_do_not_fit_are_refused_with_both_shapes():
    square = shaped((2, 2), (2, 2), (2, 2))
    cases = [
        (shaped((3,), (2, 3), (2, 4)), r"query must have shape \(…, n, d\).* got \(3,\)"),
        (shaped((1, 3), (3,), (2, 4)), r"key must have shape .* got \(3,\)"),
        (shaped((1, 3), (2, 3), (2,)), r"value must have shape .* got \(2,\)"),
        (shaped((), (2, 3), (2, 3)), r"query must have shape .* got \(\)"),
        (shaped((1, 3), (2, 4), (2, 4)), r"query and key .* shapes \(1, 3\) and \(2, 4\)"),
        (shaped((1, 3), (2, 3), (5, 4)), r"key and value .* shapes \(2, 3\) and \(5, 4\)"),
        (shaped((2, 1, 3), (3, 1, 3), (1, 3)), r"query and key .* \(2, 1, 3\) and \(3, 1, 3\)"),
        (shaped((2, 1, 3), (1, 3), (3, 1, 3)), r"query and value .* \(2, 1, 3\) and \(3, 1, 3\)"),
        (shaped((1, 3), (2, 1, 3), (3, 1, 3)), r"key and value .* \(2, 1, 3\) and \(3, 1, 3\)"),
        (shaped((2, 1, 3), (4, 1, 3), (4, 1, 3)), r"query and key .* \(2, 1, 3\) and \(4, 1, 3\)"),
        (shaped((4, 1, 3), (2, 1, 3), (1, 1, 3)), r"query and key .* \(4, 1, 3\) and \(2, 1, 3\)"),
        (shaped((6, 1, 3), *[(4, 1, 3)] * 2), r"query must have .* multiple .* \(6, 1, 3\) and \(4, 1, 3\)"),
        (shaped((2, 4, 1, 3), *[(3, 2, 1, 3)] * 2), r"query and key .* \(2, 4, 1, 3\) and \(3, 2, 1, 3\)"),
        (shaped((2, 4, 1, 3), *[(2, 1, 3)] * 2), r"\(2,\) of key could mean sentences or heads of \(2, 4\)"),
        (shaped((4, 1, 3), *[(4, 2, 1, 3)] * 2), r"\(4,\) of query could mean sentences or heads of \(4, 2\)"),
        (shaped((2, 0), (2, 0), (2, 1)), r"query must have vectors of at least one component, .*\(2, 0\)"),
        ([[[1j]], [[1]], [[1]]], "query must hold real numbers"),
        ([[[1]], [["k"]], [[1]]], "key must hold real numbers"),
        ([[[1]], [[1]], [[None]]], "value must hold real numbers"),
        ([[[1]], [[1], [2, 3]], [[1]]], "key is not an array of numbers"),
    ]
    for mask in ([[1, 0], [1, 1]], [[0.0, -np.inf]] * 2, [["yes", "no"]] * 2):
        cases.append(([*square, mask], "mask must be boolean.*; True = may attend; .*pass mask == 0"))
    for shape in ("3,", "3, 2", "2, 3", "2, 2, 2", "5, 2, 2"):
        mask = np.ones([int(size) for size in shape.rstrip(",").split(",")], bool)
        cases.append(([*square, mask], rf"mask of shape \({shape}\) .* scores of shape \(2, 2\)"))
    for scale in (math.nan, math.inf, -math.inf, "1", [2.0], 10**400, 1j):
        cases.append(([*square, None, scale], "scale must be a finite number"))
    for (kind, size), sign in product((("float64", 1e200), ("float32", 1e20)), (1, -1)):
        large = np.full((2, 2), size, kind)
        cases.append(([large, sign * large, large], f"scores overflow {kind}"))
    cases.append(([*map(np.float32, square), None, 1e300], "scores overflow float32"))
    assert not_refused((partial(attend, *case), said) for case, said in cases) == []


def test_numbers_that_are_not_finite_are_refused_by_name_and_index():
    """Wherever they are, and even where no query may attend to them."""
    masks = (None, causal_mask(3), np.zeros((3, 3), bool))
    cases = []
    bad_numbers, kinds = (math.nan, math.inf, -math.inf), (np.float32, np.float64)
    for bad, mask, kind, sign in product(bad_numbers, masks, kinds, (1, -1)):
        for name, (i, j) in product(("query", "key", "value"), np.ndindex(3, 2)):
            arrays = {other: np.ones((3, 2), kind) for other in ("query", "key", "value")}
            arrays["key"] *= kind(sign)  # negative keys and an infinite query give scores of −inf
            arrays[name][i, j] = bad
            call = partial(attend, **arrays, mask=mask)
            cases.append((call, rf"{name} must be finite, got .* at index \({i}, {j}\)"))
    bad, none = [[1.0, 1.0], [1.0, math.nan]], np.ones((0, 2))  # nor where there are no scores
    cases += [
        (partial(attend, bad, none, none), "query must be finite"),
        (partial(attend, none, bad, np.ones((2, 2))), "key must be finite"),
        (partial(attend, none, np.ones((2, 2)), bad), "value must be finite"),
    ]
    assert not_refused(cases) == []
