"""Leading directions: principal components, in the order of their variance."""

from functools import partial

import numpy as np

from attention_core.models.directions import leading_directions
from tests.core.refusals import not_refused


def test_the_direction_of_most_variance_comes_first_and_dot_products_stay():
    random = np.random.default_rng(4)
    vectors = random.standard_normal((12, 5)) * [0.1, 3, 1, 0.5, 0.01] + 7
    basis, shares = leading_directions(vectors)
    seen = vectors @ basis
    np.testing.assert_allclose(basis.T @ basis, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(seen @ seen.T, vectors @ vectors.T)
    np.testing.assert_allclose(shares, seen.var(axis=0) / vectors.var(axis=0).sum())
    assert (np.diff(shares) < 0).all()
    assert abs(basis[1, 0]) > 0.9


def test_few_vectors_have_directions_without_variance():
    basis, shares = leading_directions([[1.0, 0, 0, 0], [0, 1, 0, 0]])
    assert basis.shape == (4, 4)
    np.testing.assert_allclose(shares, [1, 0, 0, 0], atol=1e-12)


def test_vectors_that_do_not_differ_are_refused():
    same = [[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]], np.ones((0, 2))
    assert not_refused((partial(leading_directions, vectors), "differ") for vectors in same) == []
