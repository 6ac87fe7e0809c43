"""Dot product, cosine similarity, scaled dot product and rank correlation."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import cosine_similarity, dot_product, rank_correlation, scaled_dot_product
from tests.core.refusals import not_refused

MEASURES = [dot_product, cosine_similarity, scaled_dot_product]


def test_three_words_by_hand():
    orange, apple, phone = [0, 3], [2, 2], [4, 0]
    np.testing.assert_array_equal(dot_product([orange, apple], [apple, phone]), [[6, 0], [8, 8]])
    half = 0.5**0.5
    np.testing.assert_allclose(cosine_similarity([orange, apple], [apple, phone]), [[half, 0], [1, half]])
    np.testing.assert_allclose(scaled_dot_product([orange], [apple, phone]), [[6 * half, 0]])
    a = np.full((1, 4), 300, np.float16)
    assert dot_product(a, a)[0, 0] == 360_000  # above float16's 65,504


def test_every_row_of_a_is_compared_with_every_row_of_b():
    random = np.random.default_rng(1)
    a, b = random.standard_normal((5, 1, 3, 4)), random.standard_normal((2, 6, 4))
    for measure in MEASURES:
        whole = measure(a, b)
        assert whole.shape == (5, 2, 3, 6)
        np.testing.assert_allclose(whole[3, 1, 2, 5], measure(a[3, 0, 2:3], b[1, 5:])[0, 0])
        assert measure(np.ones((0, 2)), np.ones((3, 2))).shape == (0, 3)
        assert measure(np.ones((3, 2)), np.ones((0, 2))).shape == (3, 0)


@given(st.floats(0.01, 100), st.floats(-3, 3), st.floats(-3, 3))
def test_cosine_measures_the_angle_alone(length, first, second):
    a, b = [[np.cos(first), np.sin(first)]], [[length * np.cos(second), length * np.sin(second)]]
    assert cosine_similarity(a, b)[0, 0] == pytest.approx(np.cos(first - second), abs=1e-12)
    assert dot_product(a, b)[0, 0] == pytest.approx(length * np.cos(first - second), abs=1e-10)


@given(arrays(float, (4, 3), elements=st.floats(-1e300, 1e300)))
def test_a_cosine_is_within_one_or_undefined(a):
    cosines = cosine_similarity(a, a)
    zero = ~a.any(axis=1)
    np.testing.assert_array_equal(np.isnan(cosines), zero[:, None] | zero)
    assert (np.abs(cosines[~zero][:, ~zero]) <= 1).all()
    np.testing.assert_allclose(np.diag(cosines)[~zero], 1)


def test_cosine_of_tiny_huge_and_zero_vectors():
    h = 0.5**0.5
    for size in (5e-324, 1e-310, 1e-200, 1e200, 1.7e308):
        a = np.array([[size, 0], [size, size], [0, -size]])
        np.testing.assert_allclose(cosine_similarity(a, a), [[1, h, 0], [h, 1, -h], [0, -h, 1]], atol=1e-15)
    cosines = cosine_similarity([[0, 0], [1, 0]], [[3, 0], [0, 0]])
    np.testing.assert_array_equal(cosines, [[np.nan, np.nan], [1, np.nan]])


def test_refusals_name_the_argument():
    row, cases = [[1, 2]], []
    for a, b, said in (
        ([1, 2], row, r"a must have shape \(…, n, d\).* got \(2,\)"),
        (row, [1, 2], r"b must have shape \(…, n, d\).* got \(2,\)"),
        (row, [[1, 2, 3]], r"a and b .* same length, got shapes \(1, 2\) and \(1, 3\)"),
        (np.ones((2, 1, 3)), np.ones((4, 1, 3)), r"leading axes .* \(2, 1, 3\) and \(4, 1, 3\)"),
        (np.ones((2, 0)), np.ones((2, 0)), r"at least one component, got shape \(2, 0\)"),
        ([[1, np.nan]], row, r"a must be finite, got nan at index \(0, 1\)"),
        (row, [[3, 4], [1, -np.inf]], r"b must be finite, got -inf at index \(1, 1\)"),
        ([["one", "two"]], row, "a must hold real numbers"),
        ([[1j, 2]], row, "a must hold real numbers"),
        ([[1, 2], [3]], row, "a is not an array of numbers"),
        (None, row, "a must hold real numbers"),
    ):
        cases += [(partial(measure, a, b), said) for measure in MEASURES]
    for measure in (dot_product, scaled_dot_product):
        measure([[1e200, 0]], [[1e100, 0]])  # large, but finite
        cases.append((partial(measure, [[1e200]], [[1e200]]), "dot products of a and b overflow float64"))
        cases.append((partial(measure, np.float32([[-1e30]]), np.float32([[1e30]])), "overflow float32"))
    assert not_refused(cases) == []


def test_rank_correlation_is_spearmans():
    a, b = [1.0, 5.0, 3.0, 2.0], [10.0, 1e6, 11.0, 10.5]
    assert rank_correlation(a, b) == pytest.approx(1)
    assert rank_correlation(a, [-x for x in b]) == pytest.approx(-1)
    assert rank_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == pytest.approx(1 - 6 * 4 / (5 * 24))
    mean_ranks = [[1.5, 1.5, 3, 4], [1, 3, 3, 3]]  # of equal numbers
    assert rank_correlation([7, 7, 8, 9], [0, 5, 5, 5]) == pytest.approx(np.corrcoef(mean_ranks)[0, 1])
    for same in ([3.0, 3.0], [3.0], []):
        assert np.isnan(rank_correlation(same, list(range(len(same)))))
    cases = [
        (lambda: rank_correlation([1, 2], [1, 2, 3]), "same shape"),
        (lambda: rank_correlation([1, np.nan], [1, 2]), "numbers must be finite"),
    ]
    assert not_refused(cases) == []
