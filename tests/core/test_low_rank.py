"""The closest matrix of a lower rank, as two matrices."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import low_rank
from tests.core.refusals import not_refused


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.floats(-100, 100))
def test_two_matrices_of_that_rank_with_the_least_loss(seed, d, m, size):
    matrix = np.random.default_rng(seed).normal(size=(d, m)) * 10**size
    retained = []
    for inner in range(1, min(d, m) + 1):
        two = low_rank(matrix, inner)
        assert two.down.shape == (d, inner)
        assert two.up.shape == (inner, m)
        assert np.linalg.matrix_rank(two.through) <= inner
        np.testing.assert_allclose(two.down @ two.up, two.through)
        lost = np.linalg.norm((matrix - two.through) / 10**size) ** 2
        whole = np.linalg.norm(matrix / 10**size) ** 2
        assert two.retained == pytest.approx(1 - lost / whole, abs=1e-9)
        retained.append(two.retained)
    assert retained == sorted(retained)
    np.testing.assert_allclose(two.through, matrix, rtol=1e-9, atol=10**size * 1e-12)


def test_a_matrix_of_low_rank_and_zero_lose_nothing():
    assert low_rank(np.outer([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 1).retained == pytest.approx(1, abs=1e-12)
    assert low_rank(np.zeros((3, 3)), 1).retained == 1
    np.testing.assert_array_equal(low_rank(np.zeros((3, 3)), 1).through, 0)


def test_an_inner_dimension_that_does_not_fit_is_refused():
    assert not_refused((partial(low_rank, np.eye(3), inner), "inner must be") for inner in (0, 4, 1.5)) == []
