import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import entropy, softmax

scores_of_any_size = arrays(float, st.integers(1, 6), elements=st.floats(-1e308, 1e308))
plain_scores = arrays(float, st.integers(1, 6), elements=st.floats(-50, 50))
temperatures = st.floats(1e-300, 1e300)


def test_by_hand():
    np.testing.assert_allclose(softmax([0, math.log(3)]), [0.25, 0.75])
    np.testing.assert_allclose(softmax([0, math.log(3)], temperature=0.5), [0.1, 0.9])
    np.testing.assert_allclose(softmax([[0, 0], [0, math.log(3)]], axis=0), [[0.5, 0.25], [0.5, 0.75]])


@given(scores_of_any_size, temperatures)
def test_shares_sum_to_one_and_keep_the_order(scores, temperature):
    shares = softmax(scores, temperature)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1)
    assert (np.diff(shares[np.argsort(scores)]) >= 0).all()


@given(plain_scores, st.floats(-1e3, 1e3))
def test_only_differences_count(scores, shift):
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-9)


@given(plain_scores, st.floats(0.1, 10))
def test_temperature_divides_the_scores(scores, temperature):
    np.testing.assert_allclose(softmax(scores, temperature), softmax(scores / temperature), rtol=1e-9)


@given(plain_scores, st.permutations(range(6)))
def test_scores_in_another_order_give_the_shares_in_that_order(scores, order):
    order = [i for i in order if i < len(scores)]
    np.testing.assert_allclose(softmax(scores[order]), softmax(scores)[order], rtol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e-45])
def test_a_tiny_temperature_lets_the_largest_take_all(kind, temperature):
    np.testing.assert_array_equal(softmax(np.array([1, 3, 2], kind), temperature), [0, 1, 0])
    np.testing.assert_array_equal(softmax(np.array([3, 1, 3], kind), temperature), [0.5, 0, 0.5])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_huge_temperature_makes_all_alike(kind):
    np.testing.assert_array_equal(softmax(np.array([1, 2, 3, 4], kind), 1e300), [0.25] * 4)
    np.testing.assert_array_equal(softmax(np.array([1, -np.inf, 2], kind), 1e300), [0.5, 0, 0.5])


def test_large_scores_of_either_sign():
    np.testing.assert_allclose(softmax([1000, 1000]), [0.5, 0.5])
    np.testing.assert_allclose(softmax([-1000, -1000 + math.log(3)]), [0.25, 0.75])
    np.testing.assert_array_equal(softmax([1000, -1000]), [1, 0])
    np.testing.assert_array_equal(softmax([1.7e308, -1.7e308]), [1, 0])
    np.testing.assert_array_equal(softmax(np.float32([3e38, -3e38])), [1, 0])
    np.testing.assert_allclose(softmax([-1.7976931348623157e308] * 2), [0.5, 0.5])


def test_denormal_differences_count_at_denormal_temperatures():
    np.testing.assert_allclose(softmax([0, 5e-324], 5e-324), softmax([0, 1]))


def test_minus_infinity_gets_nothing():
    np.testing.assert_array_equal(softmax([0, -np.inf, 0]), [0.5, 0, 0.5])
    np.testing.assert_array_equal(
        softmax([[-np.inf, -np.inf], [-np.inf, 5]]), [[0, 0], [0, 1]], "a row of only −inf has nothing to share"
    )


def test_empty_rows_stay_empty():
    assert softmax([]).shape == (0,)
    assert softmax(np.ones((3, 0))).shape == (3, 0)
    np.testing.assert_array_equal(softmax(np.ones((0, 3))), np.ones((0, 3)))


@pytest.mark.parametrize(
    ("given", "result"),
    [("float16", "float32"), ("float32", "float32"), ("float64", "float64"), ("int64", "float64")],
)
def test_number_types(given, result):
    assert softmax(np.ones(3, given)).dtype == result
    assert entropy(np.ones(3, given) > 2).dtype == "float64"
    assert entropy(np.eye(3, dtype=given)).dtype == result


def test_inputs_stay_as_they_were():
    scores = np.array([1.0, 2.0])
    shares = softmax(scores)
    entropy(shares)
    np.testing.assert_array_equal(scores, [1, 2])
    np.testing.assert_array_equal(shares, softmax([1, 2]))
    scores.setflags(write=False)
    softmax(scores)


@pytest.mark.parametrize("temperature", [0, -1, math.nan, math.inf, -math.inf, "1", None, 10**400, [1.0]])
def test_impossible_temperatures_are_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be"):
        softmax([1, 2], temperature)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1, math.nan], r"got nan at index \(1,\)"),
        ([[1, 2], [math.inf, 3]], r"got inf at index \(1, 0\)"),
        (3.0, "at least one axis"),
        (["a"], "real numbers"),
    ],
)
def test_impossible_scores_are_refused(scores, said):
    with pytest.raises(ValueError, match=f"scores must .*{said}"):
        softmax(scores)


def test_an_axis_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="axis 2"):
        softmax([[1, 2]], axis=2)


def test_entropy_by_hand():
    assert entropy([1, 0, 0]) == 0
    assert entropy([0.5, 0.5]) == 1
    assert entropy([0.25] * 4) == 2
    assert entropy([0.5, 0.25, 0.25]) == 1.5
    assert entropy([0, 0, 0]) == 0
    assert math.copysign(1, entropy([1.0, 0.0])) == 1, "never −0"
    np.testing.assert_array_equal(entropy([[1, 0.5], [0, 0.5]], axis=0), [0, 1])
    assert entropy(np.ones((2, 0))).tolist() == [0, 0]
    assert entropy(np.float32([1 + 1e-7, 0])) == 0


@given(plain_scores, st.floats(0.01, 100))
def test_entropy_lies_between_zero_and_that_of_equal_shares(scores, temperature):
    assert 0 <= entropy(softmax(scores, temperature)) <= math.log2(len(scores)) + 1e-12


@given(plain_scores, st.floats(0.05, 5), st.floats(0.05, 5))
def test_warmer_is_never_less_undecided(scores, first, second):
    cold, warm = sorted([first, second])
    assert entropy(softmax(scores, cold)) <= entropy(softmax(scores, warm)) + 1e-9


@pytest.mark.parametrize(
    ("weights", "said"),
    [([0.5, -0.5], "negative"), ([math.nan, 1], "finite"), ([math.inf], "finite"), (1.0, "axis")],
)
def test_entropy_refuses_what_are_no_shares(weights, said):
    with pytest.raises(ValueError, match=f"weights must .*{said}"):
        entropy(weights)
