"""Softmax and entropy: by hand, for scores and temperatures of any size, and what they refuse."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import entropy, softmax, softmax_gradient
from tests.core.refusals import not_refused

scores_of_any_size = arrays(float, st.integers(1, 6), elements=st.floats(-1e308, 1e308))
plain_scores = arrays(float, st.integers(1, 6), elements=st.floats(-50, 50))


def test_softmax_by_hand():
    np.testing.assert_allclose(softmax([0, math.log(3)]), [0.25, 0.75])
    np.testing.assert_allclose(softmax([0, math.log(3)], temperature=0.5), [0.1, 0.9])
    np.testing.assert_allclose(softmax([[0, 0], [0, math.log(3)]], axis=0), [[0.5, 0.25], [0.5, 0.75]])


@given(scores_of_any_size, st.floats(1e-300, 1e300))
def test_weights_sum_to_one_and_keep_the_order(scores, temperature):
    weights = softmax(scores, temperature)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights[np.argsort(scores)]) >= 0).all()


@given(plain_scores, st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_only_differences_of_scores_over_temperature_count(scores, shift, temperature):
    exponentials = [math.exp(score / temperature) for score in scores - scores.max()]
    expected = np.array(exponentials) / sum(exponentials)
    np.testing.assert_allclose(softmax(scores + shift, temperature), expected, rtol=1e-9)


def test_extreme_temperatures():
    for kind in (np.float32, np.float64):
        for tiny in (5e-324, 1e-300, 1e-45):
            np.testing.assert_array_equal(softmax(np.array([1, 3, 2], kind), tiny), [0, 1, 0])
            np.testing.assert_array_equal(softmax(np.array([3, 1, 3], kind), tiny), [0.5, 0, 0.5])
        np.testing.assert_array_equal(softmax(np.array([1, 2, 3, 4], kind), 1e300), [0.25] * 4)
        np.testing.assert_array_equal(softmax(np.array([1, -np.inf, 2], kind), 1e300), [0.5, 0, 0.5])
    np.testing.assert_allclose(softmax([0, 5e-324], 5e-324), softmax([0, 1]))


def test_large_scores_of_either_sign():
    np.testing.assert_allclose(softmax([1000, 1000]), [0.5, 0.5])
    np.testing.assert_allclose(softmax([-1000, -1000 + math.log(3)]), [0.25, 0.75])
    np.testing.assert_array_equal(softmax([1000, -1000]), [1, 0])
    np.testing.assert_array_equal(softmax([1.7e308, -1.7e308]), [1, 0])
    np.testing.assert_array_equal(softmax(np.float32([3e38, -3e38])), [1, 0])
    np.testing.assert_allclose(softmax([-1.7976931348623157e308] * 2), [0.5, 0.5])


def test_minus_infinity_gets_no_weight_and_empty_rows_stay_empty():
    np.testing.assert_array_equal(softmax([0, -np.inf, 0]), [0.5, 0, 0.5])
    np.testing.assert_array_equal(softmax([[-np.inf, -np.inf], [-np.inf, 5]]), [[0, 0], [0, 1]])
    for shape in ((0,), (3, 0), (0, 3)):
        assert softmax(np.ones(shape)).shape == shape


def test_entropy_by_hand():
    for weights, bits in (
        ([1, 0, 0], 0), ([0.5, 0.5], 1), ([0.25] * 4, 2), ([0.5, 0.25, 0.25], 1.5), ([0, 0, 0], 0),
        (np.float32([1 + 1e-7, 0]), 0), ([0.333] * 3, pytest.approx(1.585, abs=2e-3)),
    ):  # fmt: skip
        assert entropy(weights) == bits
    assert math.copysign(1, entropy([1.0, 0.0])) == 1, "never −0"
    np.testing.assert_array_equal(entropy([[1, 0.5], [0, 0.5]], axis=0), [0, 1])
    assert entropy(np.ones((2, 0))).tolist() == [0, 0]


@given(plain_scores, st.floats(0.05, 5), st.floats(0.05, 5))
def test_entropy_grows_with_temperature_up_to_that_of_equal_weights(scores, first, second):
    cold, warm = sorted([first, second])
    assert 0 <= entropy(softmax(scores, cold)) <= entropy(softmax(scores, warm)) + 1e-9
    assert entropy(softmax(scores, warm)) <= math.log2(len(scores)) + 1e-12


def test_refusals():
    cases = [
        (lambda: softmax([1, math.nan]), r"scores must .*got nan at index \(1,\)"),
        (lambda: softmax([[1, 2], [math.inf, 3]]), r"scores must .*got inf at index \(1, 0\)"),
        (lambda: softmax(3.0), "scores must .*at least one axis"),
        (lambda: softmax(["a"]), "scores must .*real numbers"),
        (lambda: entropy([0.5, -0.5]), r"weights must .*negative.* index \(1,\); .*softmax"),
        (lambda: entropy([2, 3]), "weights must sum to 1, or to 0, .*got a sum of 5.0; divide"),
        (lambda: entropy([1.5]), "got a sum of 1.5; divide"),
        (lambda: entropy([[0, 0], [20, 30], [1, 0]]), r"got a sum of 50.0 at index \(1,\)"),
        (lambda: entropy([[0.5, 0.5], [0, 0.5]], axis=0), r"along axis 0, got a sum of 0.5 at index \(0,\)"),
        (lambda: softmax([1, 2], 0), "temperature must be above zero, got 0; .*0.01.*argmax"),
        (lambda: entropy([math.nan, 1]), "weights must .*finite"),
        (lambda: entropy([math.inf]), "weights must .*finite"),
        (lambda: entropy(1.0), "weights must .*axis"),
    ]
    for function in (softmax, entropy, softmax_gradient):
        said = r"axis must be a whole number from -2 to 1 for \w+ of shape \(1, 2\), got "
        cases += [(partial(function, [[0.5, 0.5]], axis=axis), f"{said}{axis}") for axis in (2, -3, None, 1.0)]
    for temperature in (0, -1, math.nan, math.inf, -math.inf, "1", None, 10**400, [1.0]):
        cases.append((partial(softmax, [1, 2], temperature), "temperature must be"))
    assert not_refused(cases) == []


def test_a_long_row_of_float32_sums_to_one():
    """As of a vocabulary: thousands of small numbers beside a large one."""
    scores = np.full(200_000, -16.7, np.float32)
    scores[0] = 0
    weights = softmax(scores)
    assert abs(weights.sum(dtype=float) - 1) < 1e-6
    assert abs(weights[0] - softmax(scores.astype(float))[0]) < 1e-6
