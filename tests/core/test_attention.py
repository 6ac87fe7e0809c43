import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    AttentionTrace,
    causal_mask,
    convex_hull,
    inside_hull,
    scaled_dot_product_attention,
    softmax,
)

seeds = st.integers(0, 2**32 - 1)
ARRAYS = ("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "context")


def random_case(seed, kind=np.float64, leading=()):
    """Queries, keys, values and a mask of random sizes; some rows of the mask may be closed altogether."""
    random = np.random.default_rng(seed)
    n_q, n_k, d_k, d_v = random.integers(1, 9, 4)
    query, key, value = (
        (3 * random.standard_normal((*leading, *shape))).astype(kind)
        for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    )
    return query, key, value, random.random((*leading, n_q, n_k)) < random.random()


def attend(seed, **changes):
    query, key, value, mask = random_case(seed)
    given = {"query": query, "key": key, "value": value, "mask": mask} | changes
    return scaled_dot_product_attention(**given)


def test_two_words_by_hand():
    query, key, value = [[2, 0]], [[0, 7], [math.log(3), 7]], [[4, 0], [0, 8]]
    trace = scaled_dot_product_attention(query, key, value, scale=0.5)
    np.testing.assert_allclose(trace.scores, [[0, 2 * math.log(3)]])
    np.testing.assert_allclose(trace.scaled_scores, [[0, math.log(3)]])
    np.testing.assert_allclose(trace.weights, [[0.25, 0.75]])
    np.testing.assert_allclose(trace.context, [[1, 6]])
    assert trace.mask is None
    assert trace.delta is None
    assert trace.masked_scores is trace.scaled_scores


@given(seeds)
def test_each_field_follows_from_those_before(seed):
    query, key, value, mask = random_case(seed)
    trace = scaled_dot_product_attention(query, key, value, mask)
    for name, array in (("query", query), ("key", key), ("value", value), ("mask", mask)):
        np.testing.assert_array_equal(getattr(trace, name), array)
    assert trace.scale == query.shape[-1] ** -0.5
    np.testing.assert_allclose(trace.scores, query @ key.T, atol=1e-12)
    np.testing.assert_allclose(trace.scaled_scores, trace.scores / math.sqrt(query.shape[-1]), atol=1e-12)
    np.testing.assert_array_equal(trace.masked_scores, np.where(mask, trace.scaled_scores, -np.inf))
    np.testing.assert_allclose(trace.weights, softmax(trace.masked_scores), atol=1e-12)
    np.testing.assert_allclose(trace.context, trace.weights @ value, atol=1e-12)


@given(seeds)
def test_each_row_of_weights_sums_to_one_or_has_nothing_to_look_at(seed):
    query, key, value, mask = random_case(seed)
    trace = scaled_dot_product_attention(query, key, value, mask)
    some = mask.any(axis=-1)
    np.testing.assert_allclose(trace.weights.sum(axis=-1), some)
    assert (trace.weights[~mask] == 0).all()
    assert (trace.weights[~some] == 0).all()
    assert (trace.context[~some] == 0).all()


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize(("kind", "rtol"), [(np.float32, 2e-4), (np.float64, 1e-9)])
def test_agrees_with_torch(kind, rtol, leading):
    for seed in range(50):
        query, key, value, mask = random_case(seed, kind, leading)
        scale = None if seed % 2 else float(np.random.default_rng(seed).uniform(-2, 2))
        tensors = [torch.from_numpy(array) for array in (query, key, value, mask)]
        peer = torch.nn.functional.scaled_dot_product_attention(*tensors, scale=scale).numpy()
        ours = scaled_dot_product_attention(query, key, value, mask, scale).context
        assert ours.dtype == kind
        np.testing.assert_allclose(ours, peer, rtol=rtol, atol=rtol, err_msg=f"seed {seed}")


@given(seeds)
def test_shuffled_words_give_the_same_vectors_shuffled(seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((random.integers(1, 9), 4))
    order = random.permutation(len(x))
    straight = scaled_dot_product_attention(x, x, x).context
    shuffled = scaled_dot_product_attention(x[order], x[order], x[order]).context
    np.testing.assert_allclose(shuffled, straight[order], atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("leading", [(), (3,)])
def test_under_a_causal_mask_a_later_word_changes_nothing_before_it(kind, leading):
    for seed in range(60):
        random = np.random.default_rng(seed)
        n = random.integers(2, 40)
        x = random.standard_normal((*leading, n, 5)).astype(kind)
        changed = x.copy()
        place = random.integers(1, n)
        changed[..., place, :] += random.standard_normal(5).astype(kind) * 30
        before, after = (
            scaled_dot_product_attention(words, words, words, causal_mask(n)).context for words in (x, changed)
        )
        assert (before[..., :place, :] == after[..., :place, :]).all(), "exactly the same"
        assert (before[..., place, :] != after[..., place, :]).any()


@given(seeds)
def test_every_context_lies_inside_the_hull_of_the_values(seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((random.integers(1, 8), 2)) * 10 ** random.uniform(-3, 3)
    assert inside_hull(scaled_dot_product_attention(x, x, x).context, convex_hull(x)).all()


def test_a_closed_row_beside_an_open_one():
    trace = scaled_dot_product_attention(
        np.ones((2, 2)), np.ones((2, 2)), [[1, 2], [3, 4]], [[False, False], [False, True]]
    )
    np.testing.assert_array_equal(trace.masked_scores[0], [-np.inf, -np.inf])
    np.testing.assert_array_equal(trace.weights, [[0, 0], [0, 1]])
    np.testing.assert_array_equal(trace.context, [[0, 0], [3, 4]])


def test_a_closed_key_counts_for_nothing_however_large_its_score():
    trace = scaled_dot_product_attention([[1.0]], [[1e300], [1]], [[1e300], [5]], [[False, True]])
    np.testing.assert_array_equal(trace.context, [[5]])


@given(seeds, st.floats(-3, 3))
def test_scale_multiplies(seed, scale):
    trace = attend(seed, scale=scale)
    assert trace.scale == scale
    np.testing.assert_allclose(trace.scaled_scores, trace.scores * scale)


def test_extreme_scales():
    query, key, value = [[1, 2]], [[1, 0], [0, 1]], [[1, 0], [0, 1]]
    for scale, weights in ((0, [[0.5, 0.5]]), (1e300, [[0, 1]]), (-1e300, [[1, 0]]), (1e-320, [[0.5, 0.5]])):
        np.testing.assert_array_equal(
            scaled_dot_product_attention(query, key, value, scale=scale).weights, weights
        )
    single = np.float32(query), np.float32(key), np.float32(value)
    np.testing.assert_array_equal(scaled_dot_product_attention(*single, scale=1e-300).weights, [[0.5, 0.5]])
    with pytest.raises(ValueError, match="scores overflow float32"):
        scaled_dot_product_attention(*single, scale=1e300)


def test_large_scores_of_either_sign():
    for size in (1000, -1000, 1e150, -1e150):
        trace = scaled_dot_product_attention([[1.0], [-1.0]], [[size], [-size]], [[1.0], [2.0]])
        winner = 1 if size > 0 else 2
        np.testing.assert_array_equal(trace.context, [[winner], [3 - winner]])


def test_leading_axes_broadcast():
    random = np.random.default_rng(5)
    query, key, value = (random.standard_normal(shape) for shape in ((4, 1, 3, 2), (1, 5, 6, 2), (5, 6, 7)))
    trace = scaled_dot_product_attention(query, key, value, random.random((3, 6)) < 0.8)
    assert trace.context.shape == (4, 5, 3, 7)
    for i, j in np.ndindex(4, 5):
        alone = scaled_dot_product_attention(query[i, 0], key[0, j], value[j], trace.mask[i, j])
        np.testing.assert_allclose(trace.context[i, j], alone.context)


@pytest.mark.parametrize("shape", [(), (4,), (1, 4), (3, 1), (3, 4), (2, 1, 1), (2, 3, 4)])
def test_the_mask_broadcasts_and_the_trace_shows_it_in_full(shape):
    random = np.random.default_rng(2)
    query, key = random.standard_normal((2, 3, 5)), random.standard_normal((2, 4, 5))
    mask = random.random(shape) < 0.5
    trace = scaled_dot_product_attention(query, key, key, mask)
    np.testing.assert_array_equal(trace.mask, np.broadcast_to(mask, (2, 3, 4)))
    np.testing.assert_array_equal(trace.weights > 0, trace.mask)


@pytest.mark.parametrize(("n_q", "n_k"), [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("leading", [(), (2,), (0,)])
def test_no_words(n_q, n_k, masked, leading):
    mask = np.ones((n_q, n_k), bool) if masked else None
    trace = scaled_dot_product_attention(
        np.ones((*leading, n_q, 2)), np.ones((*leading, n_k, 2)), np.ones((*leading, n_k, 5)), mask
    )
    assert trace.weights.shape == (*leading, n_q, n_k)
    np.testing.assert_array_equal(trace.context, np.zeros((*leading, n_q, 5)))


@pytest.mark.parametrize(
    ("kinds", "result"),
    [
        (("float32", "float32", "float32"), "float32"),
        (("float16", "float16", "float16"), "float32"),
        (("float16", "float32", "float16"), "float32"),
        (("float32", "float32", "float64"), "float64"),
        (("int64", "int64", "int64"), "float64"),
        (("float32", "int8", "float32"), "float64"),
        (("float64", "float64", "float64"), "float64"),
    ],
)
def test_number_types(kinds, result):
    trace = scaled_dot_product_attention(
        *(np.ones((2, 3), kind) for kind in kinds), mask=causal_mask(2), scale=0.5
    )
    assert {getattr(trace, name).dtype for name in ARRAYS} == {np.dtype(result)}


def test_lists_will_do():
    np.testing.assert_array_equal(scaled_dot_product_attention([[1, 2]], [[3, 4]], [[5]]).context, [[5]])


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int32"])
def test_a_trace_is_its_own(kind):
    given = [np.arange(6).reshape(3, 2).astype(kind) for _ in range(3)] + [causal_mask(3)]
    before = [array.copy() for array in given]
    trace = scaled_dot_product_attention(*given)
    kept = {name: getattr(trace, name).copy() for name in (*ARRAYS, "mask")}
    for array, old in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, old, "no input is changed")
        assert array.flags.writeable, "nor frozen"
        array[...] = 1
    for name, old in kept.items():
        np.testing.assert_array_equal(getattr(trace, name), old, "changing an input changes no trace")


def test_a_trace_is_read_only():
    trace = attend(0)
    for name in (*ARRAYS, "mask"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(trace, name)[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.weights = None
    assert [field.name for field in dataclasses.fields(AttentionTrace)] == list(vars(trace))


def test_read_only_and_strided_inputs_will_do():
    query, key, value, mask = random_case(3, leading=(2,))
    expected = scaled_dot_product_attention(query, key, value, mask).context
    strided = [np.asfortranarray(array) for array in (query, key, value, mask)]
    for array in strided:
        array.setflags(write=False)
    np.testing.assert_allclose(scaled_dot_product_attention(*strided).context, expected)
    flipped = scaled_dot_product_attention(query[:, ::-1], key, value, mask[:, ::-1])
    np.testing.assert_allclose(flipped.context[:, ::-1], expected)


def shaped(*shapes):
    return [np.ones(shape) for shape in shapes]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (shaped((3,), (2, 3), (2, 4)), r"query must have shape \(…, n, d\).* got \(3,\)"),
        (shaped((1, 3), (3,), (2, 4)), r"key must have shape .* got \(3,\)"),
        (shaped((1, 3), (2, 3), (2,)), r"value must have shape .* got \(2,\)"),
        (shaped((), (2, 3), (2, 3)), r"query must have shape .* got \(\)"),
        (shaped((1, 3), (2, 4), (2, 4)), r"query and key .* shapes \(1, 3\) and \(2, 4\)"),
        (shaped((1, 3), (2, 3), (5, 4)), r"key and value .* shapes \(2, 3\) and \(5, 4\)"),
        (shaped((2, 1, 3), (3, 1, 3), (1, 3)), r"query and key .* \(2, 1, 3\) and \(3, 1, 3\)"),
        (shaped((2, 1, 3), (1, 3), (3, 1, 3)), r"query and value .* \(2, 1, 3\) and \(3, 1, 3\)"),
        (shaped((1, 3), (2, 1, 3), (3, 1, 3)), r"key and value .* \(2, 1, 3\) and \(3, 1, 3\)"),
        (
            shaped((2, 0), (2, 0), (2, 1)),
            r"query must have vectors of at least one component, got shape \(2, 0\)",
        ),
        ([[[1j]], [[1]], [[1]]], "query must hold real numbers"),
        ([[[1]], [["k"]], [[1]]], "key must hold real numbers"),
        ([[[1]], [[1]], [[None]]], "value must hold real numbers"),
        ([[[1]], [[1], [2, 3]], [[1]]], "key is not an array of numbers"),
    ],
)
def test_shapes_that_do_not_fit_are_both_stated(given, said):
    with pytest.raises(ValueError, match=said):
        scaled_dot_product_attention(*given)


@pytest.mark.parametrize("mask", [[[1, 0], [1, 1]], [[0.0, -np.inf]] * 2, [["yes", "no"]] * 2, None])
def test_a_mask_is_boolean_or_absent(mask):
    x = np.ones((2, 2))
    if mask is None:
        assert scaled_dot_product_attention(x, x, x, None).mask is None
    else:
        with pytest.raises(ValueError, match="mask must be boolean"):
            scaled_dot_product_attention(x, x, x, mask)


@pytest.mark.parametrize("shape", [(3,), (3, 2), (2, 3), (2, 2, 2), (5, 2, 2)])
def test_a_mask_that_does_not_fit_states_both_shapes(shape):
    x = np.ones((2, 2))
    with pytest.raises(
        ValueError, match=rf"mask of shape \({', '.join(map(str, shape))},?\) .* scores of shape \(2, 2\)"
    ):
        scaled_dot_product_attention(x, x, x, np.ones(shape, bool))


@pytest.mark.parametrize("scale", [math.nan, math.inf, -math.inf, "1", [2.0], 10**400, 1j])
def test_an_impossible_scale_is_refused(scale):
    with pytest.raises(ValueError, match="scale must be a finite number"):
        attend(0, scale=scale)


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("masked", ["none", "causal", "all closed"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_is_not_finite_is_refused_by_name(name, bad, masked, kind):
    """Wherever it is, and even where no one may attend to it."""
    mask = {"none": None, "causal": causal_mask(3), "all closed": np.zeros((3, 3), bool)}[masked]
    for sign in (1, -1):  # with keys all negative an infinite query has only scores of −inf
        for place in np.ndindex(3, 2):
            given = {other: np.ones((3, 2), kind) for other in ("query", "key", "value")}
            given["key"] *= kind(sign)
            given[name][place] = bad
            with pytest.raises(
                ValueError, match=rf"{name} must be finite, got .* at index \({place[0]}, {place[1]}\)"
            ):
                scaled_dot_product_attention(**given, mask=mask)


@pytest.mark.parametrize("name", ["query", "key", "value"])
def test_what_is_not_finite_is_refused_without_any_score(name):
    given = {"query": np.ones((2, 2)), "key": np.ones((0, 2)), "value": np.ones((0, 2))}
    if name != "query":
        given = {"query": np.ones((0, 2)), "key": np.ones((2, 2)), "value": np.ones((2, 2))}
    given[name][1, 1] = np.nan
    with pytest.raises(ValueError, match=f"{name} must be finite"):
        scaled_dot_product_attention(**given)


@pytest.mark.parametrize("sign", [1, -1])
def test_scores_that_overflow_are_refused_by_name(sign):
    x = np.full((2, 2), 1e200)
    with pytest.raises(ValueError, match="scores overflow float64"):
        scaled_dot_product_attention(x, sign * x, x)
    with pytest.raises(ValueError, match="scores overflow float32"):
        scaled_dot_product_attention(*[np.float32([[1e20], [sign * 1e20]])] * 3)


def test_huge_finite_numbers_are_welcome():
    """The quick check squares them and overflows; the careful one behind it finds nothing wrong."""
    trace = scaled_dot_product_attention([[1e160], [1]], [[1e140], [1]], [[1e300], [-1e300]])
    np.testing.assert_allclose(trace.context, [[1e300], [1e300]])
    trace = scaled_dot_product_attention([[0]], [[0], [0]], [[1.7e308], [1.7e308]])
    np.testing.assert_allclose(trace.context, [[1.7e308]])
