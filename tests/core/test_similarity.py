import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import cosine_similarity, dot_product, rank_correlation, scaled_dot_product

MEASURES = [dot_product, cosine_similarity, scaled_dot_product]
numbers = st.floats(-1e6, 1e6)


def test_three_words_by_hand():
    orange, apple, phone = [0, 3], [2, 2], [4, 0]
    np.testing.assert_array_equal(dot_product([orange, apple], [apple, phone]), [[6, 0], [8, 8]])
    half = 0.5**0.5
    np.testing.assert_allclose(cosine_similarity([orange, apple], [apple, phone]), [[half, 0], [1, half]])
    np.testing.assert_allclose(scaled_dot_product([orange], [apple, phone]), [[6 * half, 0]])


@pytest.mark.parametrize("measure", MEASURES)
def test_rows_of_a_against_rows_of_b_with_leading_axes(measure):
    random = np.random.default_rng(1)
    a, b = random.standard_normal((5, 1, 3, 4)), random.standard_normal((2, 6, 4))
    whole = measure(a, b)
    assert whole.shape == (5, 2, 3, 6)
    np.testing.assert_allclose(whole[3, 1], measure(a[3, 0], b[1]))
    np.testing.assert_allclose(whole[3, 1, 2, 5], measure(a[3, 0, 2:3], b[1, 5:])[0, 0])


@given(arrays(float, (3, 4), elements=numbers), arrays(float, (2, 4), elements=numbers))
def test_swapping_the_two_transposes(a, b):
    for measure in MEASURES:
        np.testing.assert_allclose(measure(a, b), measure(b, a).T, rtol=1e-12, atol=1e-3)


@given(st.floats(0.01, 100), st.floats(-3, 3), st.floats(-3, 3))
def test_cosine_feels_the_angle_and_nothing_else(length, first, second):
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


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e200, 1.7e308])
def test_cosine_of_tiny_and_huge_vectors(size):
    a = np.array([[size, 0], [size, size], [0, -size]])
    h = 0.5**0.5
    np.testing.assert_allclose(cosine_similarity(a, a), [[1, h, 0], [h, 1, -h], [0, -h, 1]], atol=1e-15)


def test_cosine_with_a_zero_vector_is_undefined():
    cosines = cosine_similarity([[0, 0], [1, 0]], [[3, 0], [0, 0]])
    np.testing.assert_array_equal(cosines, [[np.nan, np.nan], [1, np.nan]])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int8", "float64"),
        ("bool", "float64"),
    ],
)
def test_number_types(measure, given, result):
    assert measure(np.ones((2, 3), given), np.ones((2, 3), given)).dtype == result


def test_float16_is_computed_in_float32():
    a = np.full((1, 4), 300, np.float16)
    assert dot_product(a, a)[0, 0] == 360_000  # above float16's 65,504


@pytest.mark.parametrize("measure", MEASURES)
def test_no_rows_give_no_rows(measure):
    assert measure(np.ones((0, 2)), np.ones((3, 2))).shape == (0, 3)
    assert measure(np.ones((3, 2)), np.ones((0, 2))).shape == (3, 0)


@pytest.mark.parametrize("measure", MEASURES)
def test_inputs_stay_as_they_were(measure):
    a = np.arange(6.0).reshape(2, 3)
    before = a.copy()
    measure(a, a)[...] = 7
    np.testing.assert_array_equal(a, before)
    a.setflags(write=False)
    measure(a, a)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([1, 2], [[1, 2]], r"a must have shape \(…, n, d\).* got \(2,\)"),
        ([[1, 2]], [1, 2], r"b must have shape \(…, n, d\).* got \(2,\)"),
        ([[1, 2]], [[1, 2, 3]], r"a and b .* same length, got shapes \(1, 2\) and \(1, 3\)"),
        (np.ones((2, 1, 3)), np.ones((4, 1, 3)), r"leading axes .* \(2, 1, 3\) and \(4, 1, 3\)"),
        (np.ones((2, 0)), np.ones((2, 0)), r"at least one component, got shape \(2, 0\)"),
        ([[1, np.nan]], [[1, 2]], r"a must be finite, got nan at index \(0, 1\)"),
        ([[1, 2]], [[3, 4], [1, -np.inf]], r"b must be finite, got -inf at index \(1, 1\)"),
        ([["one", "two"]], [[1, 2]], "a must hold real numbers"),
        ([[1j, 2]], [[1, 2]], "a must hold real numbers"),
        ([[1, 2], [3]], [[1, 2]], "a is not an array of numbers"),
        (None, [[1, 2]], "a must hold real numbers"),
    ],
)
def test_refusals_name_the_argument(measure, a, b, said):
    with pytest.raises(ValueError, match=said):
        measure(a, b)


@pytest.mark.parametrize("measure", [dot_product, scaled_dot_product])
def test_an_overflow_is_refused_by_name(measure):
    with pytest.raises(ValueError, match="dot products of a and b overflow float64"):
        measure([[1e200, 0]], [[1e200, 0]])
    with pytest.raises(ValueError, match="overflow float32"):
        measure(np.float32([[-1e30]]), np.float32([[1e30]]))
    measure([[1e200, 0]], [[1e100, 0]])  # large, and finite


def test_rank_correlation_is_that_of_the_ranks():
    a, b = [1.0, 5.0, 3.0, 2.0], [10.0, 1e6, 11.0, 10.5]
    assert rank_correlation(a, b) == pytest.approx(1)
    assert rank_correlation(a, [-x for x in b]) == pytest.approx(-1)
    assert rank_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == pytest.approx(1 - 6 * 4 / (5 * 24))


def test_rank_correlation_gives_equal_numbers_the_mean_of_their_ranks():
    ranks = [[1.5, 1.5, 3, 4], [1, 3, 3, 3]]
    assert rank_correlation([7, 7, 8, 9], [0, 5, 5, 5]) == pytest.approx(np.corrcoef(ranks)[0, 1])


@pytest.mark.parametrize("a", [[3.0, 3.0], [3.0], []])
def test_rank_correlation_is_undefined_where_nothing_differs(a):
    assert np.isnan(rank_correlation(a, list(range(len(a)))))


def test_rank_correlation_refuses_other_shapes():
    with pytest.raises(ValueError, match="same shape"):
        rank_correlation([1, 2], [1, 2, 3])
