"""Geometry: convex hulls, projections, angles, the triangle of three weights, displacements and separation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import attention_core as core
from tests.core.refusals import not_refused

grid_points = arrays(float, st.tuples(st.integers(0, 12), st.just(2)), elements=st.integers(-4, 4))
points = arrays(
    float,
    st.tuples(st.integers(1, 12), st.just(2)),
    elements=st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-200),
)


def test_hulls_by_hand():
    square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    others = [[1, 1], [1, 0], [2, 1], [0, 0]]  # inside, on two edges, a corner again
    for given_points, corners in (
        ([*others, *square[::-1]], square),
        (np.ones((0, 2)), np.ones((0, 2))),
        ([[3, 4]], [[3, 4]]),
        ([[3, 4]] * 5, [[3, 4]]),
        ([[1, 1], [0, 0]], [[0, 0], [1, 1]]),
        ([[0, 0], [2, 2], [1, 1], [3, 3]], [[0, 0], [3, 3]]),
        ([[0, 5], [0, 1], [0, 3]], [[0, 1], [0, 5]]),
        ([[1e200, 0], [0, 1e200], [-1e200, 0], [0, 0]], [[-1e200, 0], [1e200, 0], [0, 1e200]]),
        ([[0, 0], [1e-200, 0], [0, 1e-200]], [[0, 0], [1e-200, 0], [0, 1e-200]]),
    ):
        np.testing.assert_array_equal(core.convex_hull(given_points), corners)


@given(grid_points)
def test_a_hull_turns_left_at_every_corner_and_contains_every_point(points):
    """On whole numbers, where the arithmetic is exact."""
    hull = core.convex_hull(points)
    assert {tuple(corner) for corner in hull} <= {tuple(point) for point in points}
    assert len({tuple(corner) for corner in hull}) == len(hull)
    assert core.inside_hull(points, hull, tolerance=1e-12).all()
    if len(hull) > 2:
        edges = np.roll(hull, -1, axis=0) - hull
        following = np.roll(edges, -1, axis=0)
        assert (edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0] > 0).all()


@given(points, st.integers(0, 2**32 - 1))
def test_every_weighted_average_lies_inside_the_hull(points, seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(points)), 5)
    assert core.inside_hull(weights @ points, core.convex_hull(points), tolerance=1e-7).all()


def test_inside_and_outside_by_hand():
    square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    for hull, inside, outside in (
        (square, [[1, 1], [2, 1], [0, 0]], [[2.01, 1], [-1, -1], [3, 3]]),
        ([[0, 0], [2, 2]], [[1, 1]], [[1.1, 1], [3, 3]]),
        ([[1, 1]], [[1, 1]], [[1.1, 1]]),
        ([[0, 0]], [[0, 0]], np.ones((0, 2))),
        (np.ones((0, 2)), np.ones((0, 2)), [[1, 1]]),
    ):
        np.testing.assert_array_equal(core.inside_hull(inside, hull), np.ones(len(inside), bool))
        np.testing.assert_array_equal(core.inside_hull(outside, hull), np.zeros(len(outside), bool))
    assert core.inside_hull([1, 1], square) is np.True_


def test_projection_by_hand():
    np.testing.assert_allclose(core.projection([2, 3], [5, 0]), [2, 0])
    np.testing.assert_allclose(core.projection([[1, 2], [-1, 0]], [1, 1]), [[1.5, 1.5], [-0.5, -0.5]])
    np.testing.assert_array_equal(core.projection([1, 2], [0, 0]), [np.nan, np.nan])
    np.testing.assert_array_equal(core.projection([0, 0], [1, 0]), [0, 0])
    np.testing.assert_allclose(core.projection([1e200, 1e200], [1e300, 0]), [1e200, 0])


def test_angles_of_vectors_of_any_length():
    for degrees in (0, 1e-7, 30, 90, 120, 179.999999, 180):
        radians = math.radians(degrees)
        for size in (1e-300, 1, 1e300):
            measured = core.angle([size, 0], [math.cos(radians), math.sin(radians)])
            assert measured == pytest.approx(degrees, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(core.angle([[1, 0], [0, 2], [-1, 0]], [1, 1]), [45, 45, 135])
    assert math.isnan(core.angle([0, 0], [1, 0]))


def test_the_triangle_has_sides_of_length_1():
    np.testing.assert_array_equal(core.triangle_coordinates(np.eye(3)), core.TRIANGLE_CORNERS)
    np.testing.assert_allclose(core.triangle_coordinates([1 / 3] * 3), [0.5, 3**0.5 / 6])
    sides = np.roll(core.TRIANGLE_CORNERS, -1, axis=0) - core.TRIANGLE_CORNERS
    np.testing.assert_allclose(np.linalg.norm(sides, axis=1), 1)
    assert core.triangle_coordinates(np.float32([[0.5, 0.5, 0]])).dtype == np.float32
    assert not core.TRIANGLE_CORNERS.flags.writeable


def test_the_path_of_temperature_is_the_softmax_at_each():
    scores = [1.0, 2.0, 4.0]
    path = core.temperature_path(scores, [0.5, 1, 100])
    np.testing.assert_array_equal(path, [core.softmax(scores, temperature) for temperature in (0.5, 1, 100)])
    whole = core.temperature_path(scores)
    assert whole.shape == (100, 3)
    np.testing.assert_array_equal(whole[[0, -1]], [core.softmax(scores, 0.05), core.softmax(scores, 20)])
    assert core.temperature_path([], []).shape == (0, 0)
    assert core.temperature_path(np.float32(scores)).dtype == np.float32


def test_separation_by_hand():
    assert core.separation_ratio([0, 0], [3, 4], [0, 0], [0, 10]) == 0.5
    np.testing.assert_allclose(core.separation_ratio([[0, 1], [0, 2]], [0, 0], [1, 0], [0, 0]), [1, 2])
    assert math.isnan(core.separation_ratio([0, 0], [3, 4], [1, 1], [1, 1]))


@given(arrays(float, (4, 3), elements=st.floats(-10, 10)))
def test_displacements_lead_from_a_vector_to_its_context(x):
    trace = core.scaled_dot_product_attention(x, x, x)
    corners = core.tip_to_tail(x[0], core.displacements(x[0], trace.weights[0], x))
    np.testing.assert_array_equal(corners[0], x[0])
    np.testing.assert_allclose(corners[-1], trace.context[0], atol=1e-12)


def test_refusals():
    cases = [
        (lambda: core.displacements([1], [1], [[1, 2]]), r"got \(1,\), \(1,\) and \(1, 2\)"),
        (lambda: core.displacements([1, 2], [1], [[1, np.nan]]), "values must be finite"),
        (lambda: core.tip_to_tail([1], [[1, 2]]), r"\(d,\) and \(n, d\), got \(1,\) and \(1, 2\)"),
        (lambda: core.convex_hull([[1, 2, 3]]), r"points must have shape \(n, 2\), got \(1, 3\)"),
        (lambda: core.convex_hull([1, 2]), r"points must have shape \(n, 2\), got \(2,\)"),
        (lambda: core.convex_hull([[1, np.inf]]), "points must be finite"),
        (lambda: core.inside_hull([1, 2, 3], [[0, 0]]), r"points must have shape \(…, 2\), got \(3,\)"),
        (lambda: core.inside_hull([1, 2], [[0, 0, 0]]), r"hull must have shape \(n, 2\), got \(1, 3\)"),
        (lambda: core.projection([1, 2], [1, 2, 3]), r"a and onto .* got shapes \(2,\) and \(3,\)"),
        (lambda: core.angle(1, 2), r"a and b must be vectors .* got shapes \(\) and \(\)"),
        (lambda: core.angle([np.nan, 1], [1, 1]), "a must be finite"),
        (lambda: core.angle(np.ones((2, 2)), np.ones((3, 2))), r"leading axes .* \(2, 2\) and \(3, 2\)"),
        (lambda: core.separation_ratio([1], [2], [1, 2], [3]), r"reference_first and reference_second"),
        (lambda: core.temperature_path([[1, 2]], [1]), r"shapes \(k,\) and \(t,\), got \(1, 2\) and \(1,\)"),
        (lambda: core.temperature_path([1, 2], [1, 0]), "temperature must be above zero"),
    ]
    for weights in ([0.5, 0.5], [1, 1, 1], [-0.5, 0.5, 1], [np.nan, 0, 1], 1.0, [0, 0, 0]):
        cases.append((lambda weights=weights: core.triangle_coordinates(weights), "weights must"))
    assert not_refused(cases) == []
