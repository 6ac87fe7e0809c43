"""A matrix in two steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import SHAPES, low_rank

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 6), st.integers(1, 6), st.floats(-100, 100))
def test_two_steps_of_that_rank_with_the_least_loss(seed, d, m, size):
    matrix = np.random.default_rng(seed).normal(size=(d, m)) * 10**size
    kept = []
    for inner in range(1, min(d, m) + 1):
        two = low_rank(matrix, inner)
        assert two.down.shape == (d, inner)
        assert two.up.shape == (inner, m)
        assert np.linalg.matrix_rank(two.through) <= inner
        np.testing.assert_allclose(two.down @ two.up, two.through)
        lost = np.linalg.norm((matrix - two.through) / 10**size) ** 2
        whole = np.linalg.norm(matrix / 10**size) ** 2
        assert two.retained == pytest.approx(1 - lost / whole, abs=1e-9)
        kept.append(two.retained)
    assert kept == sorted(kept)
    np.testing.assert_allclose(two.through, matrix, rtol=1e-9, atol=10**size * 1e-12)


def test_a_matrix_of_low_rank_goes_through_whole_and_zero_loses_nothing():
    assert low_rank(np.outer([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 1).retained == pytest.approx(1, abs=1e-12)
    assert low_rank(np.zeros((3, 3)), 1).retained == 1
    np.testing.assert_array_equal(low_rank(np.zeros((3, 3)), 1).through, 0)


def test_the_numbers_of_gpt3():
    gpt = SHAPES["gpt3"]
    assert gpt.d_model**2 == 150_994_944
    assert gpt.d_model * gpt.d_k == 1_572_864
    assert gpt.d_model**2 == 48 * 2 * gpt.d_model * gpt.d_k


@pytest.mark.parametrize("inner", [0, 4, 1.5])
def test_an_inner_dimension_that_there_is_not(inner):
    with pytest.raises(ValueError, match="inner must be"):
        low_rank(np.eye(3), inner)
