import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import (
    TRIANGLE_CORNERS,
    angle,
    convex_hull,
    displacements,
    inside_hull,
    load_example,
    projection,
    scaled_dot_product_attention,
    separation_ratio,
    softmax,
    temperature_path,
    tip_to_tail,
    triangle_coordinates,
)

grid_points = arrays(float, st.tuples(st.integers(0, 12), st.just(2)), elements=st.integers(-4, 4))
points = arrays(
    float,
    st.tuples(st.integers(1, 12), st.just(2)),
    elements=st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-200),
)
vectors = arrays(float, 3, elements=st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-3))


def test_hull_of_a_square_with_company():
    square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    company = [[1, 1], [1, 0], [2, 1], [0, 0]]  # inside, on two edges, a corner again
    np.testing.assert_array_equal(convex_hull([*company, *square[::-1]]), square)


@pytest.mark.parametrize(
    ("given", "corners"),
    [
        (np.ones((0, 2)), np.ones((0, 2))),
        ([[3, 4]], [[3, 4]]),
        ([[3, 4]] * 5, [[3, 4]]),
        ([[1, 1], [0, 0]], [[0, 0], [1, 1]]),
        ([[0, 0], [2, 2], [1, 1], [3, 3]], [[0, 0], [3, 3]]),
        ([[0, 5], [0, 1], [0, 3]], [[0, 1], [0, 5]]),
        ([[1e200, 0], [0, 1e200], [-1e200, 0], [0, 0]], [[-1e200, 0], [1e200, 0], [0, 1e200]]),
        ([[0, 0], [1e-200, 0], [0, 1e-200]], [[0, 0], [1e-200, 0], [0, 1e-200]]),
    ],
)
def test_hull_in_special_cases(given, corners):
    np.testing.assert_array_equal(convex_hull(given), corners)


@given(grid_points)
def test_hull_turns_left_at_every_corner_and_holds_every_point(points):
    """On whole numbers, where the arithmetic is exact."""
    hull = convex_hull(points)
    assert {tuple(corner) for corner in hull} <= {tuple(point) for point in points}
    assert len({tuple(corner) for corner in hull}) == len(hull)
    assert inside_hull(points, hull, tolerance=1e-12).all()
    if len(hull) > 2:
        edges = np.roll(hull, -1, axis=0) - hull
        following = np.roll(edges, -1, axis=0)
        assert (edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0] > 0).all()


@given(points, st.integers(0, 2**32 - 1))
def test_every_mixture_in_shares_lies_inside(points, seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(points)), 5)
    assert inside_hull(shares @ points, convex_hull(points), tolerance=1e-7).all()


def test_inside_and_outside():
    hull = [[0, 0], [2, 0], [2, 2], [0, 2]]
    np.testing.assert_array_equal(
        inside_hull([[1, 1], [2, 1], [0, 0], [2.01, 1], [-1, -1], [3, 3]], hull),
        [True, True, True, False, False, False],
    )
    assert inside_hull([1, 1], hull) is np.True_
    np.testing.assert_array_equal(inside_hull([[1, 1], [1.1, 1], [3, 3]], [[0, 0], [2, 2]]), [True, False, False])
    np.testing.assert_array_equal(inside_hull([[1, 1], [1.1, 1]], [[1, 1]]), [True, False])
    np.testing.assert_array_equal(inside_hull([[1, 1]], np.ones((0, 2))), [False])
    assert inside_hull(np.ones((0, 2)), hull).shape == (0,)
    np.testing.assert_array_equal(inside_hull([[0, 0]], [[0, 0]]), [True])


def test_projection_by_hand():
    np.testing.assert_allclose(projection([2, 3], [5, 0]), [2, 0])
    np.testing.assert_allclose(projection([[1, 2], [-1, 0]], [1, 1]), [[1.5, 1.5], [-0.5, -0.5]])
    np.testing.assert_array_equal(projection([1, 2], [0, 0]), [np.nan, np.nan])
    np.testing.assert_array_equal(projection([0, 0], [1, 0]), [0, 0])
    np.testing.assert_allclose(projection([1e200, 1e200], [1e300, 0]), [1e200, 0])


@given(vectors, vectors.filter(np.any))
def test_what_the_shadow_leaves_stands_at_a_right_angle(a, onto):
    shadow = projection(a, onto)
    assert (a - shadow) @ onto == pytest.approx(0, abs=1e-6)
    assert shadow @ onto == pytest.approx(a @ onto, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("degrees", [0, 1e-7, 30, 90, 120, 179.999999, 180])
@pytest.mark.parametrize("size", [1e-300, 1, 1e300])
def test_angle_by_hand(degrees, size):
    radians = math.radians(degrees)
    measured = angle([size, 0], [math.cos(radians), math.sin(radians)])
    assert measured == pytest.approx(degrees, rel=1e-9, abs=1e-12)


def test_angles_of_many_and_of_none():
    np.testing.assert_allclose(angle([[1, 0], [0, 2], [-1, 0]], [1, 1]), [45, 45, 135])
    assert math.isnan(angle([0, 0], [1, 0]))


def test_the_triangle():
    np.testing.assert_array_equal(triangle_coordinates(np.eye(3)), TRIANGLE_CORNERS)
    np.testing.assert_allclose(triangle_coordinates([1 / 3] * 3), [0.5, 3**0.5 / 6])
    sides = np.roll(TRIANGLE_CORNERS, -1, axis=0) - TRIANGLE_CORNERS
    np.testing.assert_allclose(np.linalg.norm(sides, axis=1), 1)
    assert triangle_coordinates(np.float32([[0.5, 0.5, 0]])).dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        TRIANGLE_CORNERS[0] = 1


@given(arrays(float, 3, elements=st.floats(-20, 20)), st.floats(0.05, 20))
def test_shares_lie_inside_the_triangle(scores, temperature):
    assert inside_hull(triangle_coordinates(softmax(scores, temperature)), TRIANGLE_CORNERS)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [1, 1, 1], [-0.5, 0.5, 1], [np.nan, 0, 1], 1.0, [0, 0, 0]])
def test_triangle_coordinates_refuses_other_than_three_weights(weights):
    with pytest.raises(ValueError, match="weights must"):
        triangle_coordinates(weights)


def test_the_path_of_temperature():
    scores = [1.0, 2.0, 4.0]
    path = temperature_path(scores, [0.5, 1, 100])
    for row, temperature in zip(path, [0.5, 1, 100], strict=True):
        np.testing.assert_array_equal(row, softmax(scores, temperature))
    whole = temperature_path(scores)
    assert whole.shape == (100, 3)
    np.testing.assert_array_equal(whole[[0, -1]], [softmax(scores, 0.05), softmax(scores, 20)])
    assert temperature_path([], []).shape == (0, 0)
    assert temperature_path(np.float32(scores)).dtype == np.float32
    with pytest.raises(ValueError, match=r"shapes \(k,\) and \(t,\), got \(1, 2\) and \(1,\)"):
        temperature_path([[1, 2]], [1])
    with pytest.raises(ValueError, match="temperature must be above zero"):
        temperature_path(scores, [1, 0])


def test_separation_by_hand():
    assert separation_ratio([0, 0], [3, 4], [0, 0], [0, 10]) == 0.5
    np.testing.assert_allclose(separation_ratio([[0, 1], [0, 2]], [0, 0], [1, 0], [0, 0]), [1, 2])
    assert math.isnan(separation_ratio([0, 0], [3, 4], [1, 1], [1, 1]))


@given(arrays(float, (4, 3), elements=st.floats(-10, 10).map(lambda x: round(x, 3))), st.floats(1e-3, 1e3))
def test_mere_enlargement_wins_nothing(four, size):
    if (four[2] != four[3]).any():
        assert separation_ratio(*(size * four)) == pytest.approx(separation_ratio(*four))


def test_a_small_eiffel_tower_by_hand():
    example = load_example("miniature_eiffel_tower")
    miniature, eiffel, tower = example.embeddings
    names = ("tower", "Eiffel tower", "miniature Eiffel tower")
    for corner, name in zip(tip_to_tail(tower, [eiffel, miniature]), names, strict=True):
        np.testing.assert_allclose(corner, example.expected[name])
    np.testing.assert_allclose(tip_to_tail(tower, [miniature, eiffel])[-1], example.expected[names[-1]])


@given(arrays(float, (4, 3), elements=st.floats(-10, 10)))
def test_displacements_lead_from_a_vector_to_its_context(x):
    trace = scaled_dot_product_attention(x, x, x)
    corners = tip_to_tail(x[0], displacements(x[0], trace.weights[0], x))
    np.testing.assert_array_equal(corners[0], x[0])
    np.testing.assert_allclose(corners[-1], trace.context[0], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: displacements([1], [1], [[1, 2]]), r"got \(1,\), \(1,\) and \(1, 2\)"),
        (lambda: displacements([1, 2], [1], [[1, np.nan]]), "values must be finite"),
        (lambda: tip_to_tail([1], [[1, 2]]), r"\(d,\) and \(n, d\), got \(1,\) and \(1, 2\)"),
        (lambda: convex_hull([[1, 2, 3]]), r"points must have shape \(n, 2\), got \(1, 3\)"),
        (lambda: convex_hull([1, 2]), r"points must have shape \(n, 2\), got \(2,\)"),
        (lambda: convex_hull([[1, np.inf]]), "points must be finite"),
        (lambda: inside_hull([1, 2, 3], [[0, 0]]), r"points must have shape \(…, 2\), got \(3,\)"),
        (lambda: inside_hull([1, 2], [[0, 0, 0]]), r"hull must have shape \(n, 2\), got \(1, 3\)"),
        (lambda: projection([1, 2], [1, 2, 3]), r"a and onto .* got shapes \(2,\) and \(3,\)"),
        (lambda: angle(1, 2), r"a and b must be vectors .* got shapes \(\) and \(\)"),
        (lambda: angle([np.nan, 1], [1, 1]), "a must be finite"),
        (lambda: angle(np.ones((2, 2)), np.ones((3, 2))), r"leading axes .* \(2, 2\) and \(3, 2\)"),
        (lambda: separation_ratio([1], [2], [1, 2], [3]), r"reference_first and reference_second"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(ValueError, match=said):
        call()
