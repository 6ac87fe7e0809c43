"""Geometry of the figures: convex hulls, projections, angles, the triangle of three weights."""

import numpy as np

from attention_core import checks
from attention_core.similarity import unit
from attention_core.softmax import softmax

#: The points of the weights (1, 0, 0), (0, 1, 0) and (0, 0, 1): a triangle with sides of length 1.
TRIANGLE_CORNERS = checks.frozen(np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]]))


@np.errstate(all="ignore")
def convex_hull(points):
    """Compute the corners of the convex hull of points of the plane, counter-clockwise.

    A weighted average of points, such as attention's of values, never lies outside their hull.

    `points` is (n, 2). Returns the corners, (k, 2), from the leftmost on (the lowest of those),
    without points in the middle of an edge. No points have (0, 2), equal points one corner, points
    on a line its two ends. Raises `ValueError` for other shapes and non-finite
    input. Source: Andrew's monotone chain, 1979.

    >>> convex_hull([[0, 0], [2, 0], [1, 1], [0, 2]]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    """
    points = _points(points, "points")
    _, exponent = np.frexp(np.abs(points).max(initial=0))
    scaled = np.ldexp(points, -exponent)  # below 1, so that products stay in range; by powers of 2, so exact
    _, order = np.unique(scaled, axis=0, return_index=True)  # from left to right, then upwards

    def chain(indices):
        corners = []
        for i in indices:
            while len(corners) > 1 and _cross(scaled[corners[-2]], scaled[corners[-1]], scaled[i]) <= 0:
                corners.pop()
            corners.append(i)
        return corners[:-1]  # the other chain begins where this one ends

    corners = chain(order) + chain(order[::-1]) if len(order) > 1 else list(order)
    return points[corners]


@np.errstate(all="ignore")
def inside_hull(points, hull, tolerance=1e-9):
    """Return whether each point lies inside a convex hull or on its border.

    `points` is (…, 2), `hull` is (k, 2) as `convex_hull` returns it, also with one corner or two.
    `tolerance` is the distance outside that still counts as inside, as a fraction of the largest
    coordinate. Returns booleans (…); nothing lies inside a hull without corners.

    Raises `ValueError` for other shapes and input that is not finite.

    >>> inside_hull([[1, 0.5], [2, 2]], convex_hull([[0, 0], [2, 0], [0, 2]]))
    array([ True, False])
    """
    points, hull = checks.real_array(points, "points"), _points(hull, "hull")
    if points.ndim < 1 or points.shape[-1] != 2:
        raise ValueError(f"points must have shape (…, 2), got {points.shape}")
    points, hull = checks.finite(points, "points"), checks.finite(hull, "hull")
    if not len(hull):
        return np.zeros(points.shape[:-1], dtype=bool)
    largest = max(np.abs(points).max(initial=0), np.abs(hull).max()) or 1
    points, hull = points / largest, hull / largest
    if len(hull) < 3:
        start, along = hull[0], hull[-1] - hull[0]
        length = along @ along
        fraction = np.clip((points - start) @ along / length, 0, 1) if length else np.zeros(points.shape[:-1])
        return np.hypot(*np.moveaxis(points - start - fraction[..., None] * along, -1, 0)) <= tolerance
    edges = np.roll(hull, -1, axis=0) - hull
    normals = np.stack([-edges[:, 1], edges[:, 0]], axis=-1) / np.hypot(*edges.T)[:, None]
    depth = ((points[..., None, :] - hull) * normals).sum(axis=-1)
    return (depth >= -tolerance).all(axis=-1)


@np.errstate(all="ignore")
def projection(a, onto):
    """Project `a` orthogonally onto the line through `onto`.

        proj = (a · u) u,    u = onto / ‖onto‖

    Vectors (…, d) of equal length; leading axes broadcast. The dot product of the two is the
    length of `onto` times the signed length of the projection. A zero `onto` has no line: NaN.

    Raises `ValueError` for vectors of different lengths and input that is not finite.

    >>> projection([2, 2], [4, 0])
    array([2., 0.])
    """
    a, onto = _two_vectors(a, onto, "a", "onto")
    direction = unit(onto)
    largest = np.abs(a).max(axis=-1, keepdims=True)
    scaled = (a / np.where(largest > 0, largest, 1) * direction).sum(axis=-1, keepdims=True)
    return scaled * largest * direction


@np.errstate(all="ignore")
def angle(a, b):
    """Compute the angle between two vectors in degrees, 0 … 180.

        α = 2 · arctan( ‖u − v‖ / ‖u + v‖ ),    u = a / ‖a‖, v = b / ‖b‖

    Vectors (…, d), leading axes broadcast. Equal to arccos(u · v), and accurate also for angles
    so small that their cosine rounds to 1. A zero vector has no direction: NaN.
    Source: Kahan 2006, "How Futile are Mindless Assessments of Roundoff", §12.

    Raises `ValueError` for vectors of different lengths and input that is not finite.

    >>> float(angle([1, 0], [2, 2]).round(9))
    45.0
    """
    a, b = _two_vectors(a, b, "a", "b")
    a, b = unit(a), unit(b)
    return np.degrees(2 * np.arctan2(_length(a - b), _length(a + b)))


@np.errstate(all="ignore")
def triangle_coordinates(weights):
    """Return the points of three weights in a triangle (barycentric coordinates).

        point = Σ_j w[j] · corner[j]

    A weight of 1 lies in its corner, uniform weights lie in the middle. `weights` is (…, 3), not
    negative and summing to 1; the points are (…, 2), the corners are `TRIANGLE_CORNERS`.
    Raises `ValueError` for anything else.

    >>> triangle_coordinates([0.5, 0.5, 0])
    array([0.5, 0. ])
    """
    weights = checks.finite(checks.real_array(weights, "weights"), "weights")
    if weights.ndim < 1 or weights.shape[-1] != 3:
        raise ValueError(f"weights must have shape (…, 3), got {weights.shape}")
    if (weights < 0).any() or (np.abs(weights.sum(axis=-1) - 1) > 1e-3).any():
        raise ValueError("weights must not be negative and must sum to 1")
    return weights @ TRIANGLE_CORNERS.astype(weights.dtype)


@np.errstate(all="ignore")
def temperature_path(scores, temperatures=None):
    """Compute the softmax of scores at many temperatures, from nearly one-hot to nearly uniform.

    `scores` is (k,); `temperatures`, (t,) and above 0, are by default 100 from 0.05 to 20 with equal
    ratios. Returns (t, k), row by row `softmax(scores, temperature)`.

    Raises `ValueError` for other shapes, as well as where `softmax` does.

    >>> temperature_path([2, 0], [0.5, 1, 100]).round(3)
    array([[0.982, 0.018],
           [0.881, 0.119],
           [0.505, 0.495]])
    """
    temperatures = np.geomspace(0.05, 20, 100) if temperatures is None else temperatures
    temperatures = checks.finite(checks.real_array(temperatures, "temperatures"), "temperatures")
    scores = checks.real_array(scores, "scores")
    if scores.ndim != 1 or temperatures.ndim != 1:
        raise ValueError(
            f"scores and temperatures must have shapes (k,) and (t,), got {scores.shape} and {temperatures.shape}"
        )
    rows = [softmax(scores, float(temperature)) for temperature in temperatures]
    return np.array(rows, dtype=scores.dtype).reshape(len(temperatures), len(scores))


@np.errstate(all="ignore")
def separation_ratio(first, second, reference_first, reference_second):
    """Compute how well a space separates two meanings, no matter how large the space is.

        ‖first − second‖ / ‖reference_first − reference_second‖

    For example the distance between *apple* among fruit and *apple* among gadgets, divided by the
    distance between *orange* and *phone* in the same space: enlarging the space enlarges both and
    leaves the ratio as it is. Vectors (…, d). Where the references coincide the ratio is NaN, undefined.

    Raises `ValueError` for vectors of different lengths and input that is not finite.

    >>> float(separation_ratio([1, 3], [4, 1], [0, 3], [4, 0]).round(3))
    0.721
    """
    first, second = _two_vectors(first, second, "first", "second")
    left, right = _two_vectors(reference_first, reference_second, "reference_first", "reference_second")
    reference = _length(left - right)
    return np.where(reference > 0, _length(first - second) / reference, np.nan)[()]


def displacements(vector, weights, values):
    """Compute how far each value moves a vector that is replaced by their weighted average.

    `vector` is (d,), `weights` (n,) and `values` (n, d). Returns weight × (value − vector), (n, d). If the
    weights add up to one, these arrows, laid tip to tail, lead from the vector to the average.

    Raises `ValueError` for shapes that do not fit and input that is not finite.

    >>> displacements([2, 2], [0.25, 0.75], [[0, 3], [4, 0]])
    array([[-0.5 ,  0.25],
           [ 1.5 , -1.5 ]])
    """
    values = checks.finite(checks.vectors(values, "values"), "values")
    vector = checks.finite(checks.real_array(vector, "vector"), "vector")
    weights = checks.finite(checks.real_array(weights, "weights"), "weights")
    if values.ndim != 2 or vector.shape != values.shape[1:] or weights.shape != values.shape[:1]:
        raise ValueError(
            "vector, weights and values must have shapes (d,), (n,) and (n, d), "
            f"got {vector.shape}, {weights.shape} and {values.shape}"
        )
    return weights[:, None] * (values - vector)


def tip_to_tail(start, arrows):
    """Lay `arrows`, (n, d), one after the other from `start`, (d,): their n + 1 ends, (n + 1, d).

    Raises `ValueError` for shapes that do not fit and input that is not finite.

    >>> tip_to_tail([2, 2], [[-0.5, 0.25], [1.5, -1.5]])
    array([[2.  , 2.  ],
           [1.5 , 2.25],
           [3.  , 0.75]])
    """
    arrows = checks.finite(checks.vectors(arrows, "arrows"), "arrows")
    start = checks.finite(checks.real_array(start, "start"), "start")
    if arrows.ndim != 2 or start.shape != arrows.shape[1:]:
        raise ValueError(
            f"start and arrows must have shapes (d,) and (n, d), got {start.shape} and {arrows.shape}"
        )
    return np.cumsum(np.concatenate([start[None], arrows]), axis=0)


def _points(points, name):
    """The points as a finite array (n, 2)."""
    points = checks.finite(checks.real_array(points, name), name)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"{name} must have shape (n, 2), got {points.shape}")
    return points


def _cross(a, b, c):
    """The cross product of b − a and c − a: above zero where the path a, b, c turns left, zero on a line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _two_vectors(a, b, a_name, b_name):
    """Both as finite arrays (…, d) whose shapes broadcast; a single vector is (d,)."""
    a = checks.finite(checks.real_array(a, a_name), a_name)
    b = checks.finite(checks.real_array(b, b_name), b_name)
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-1] or a.shape[-1] == 0:
        raise ValueError(
            f"{a_name} and {b_name} must be vectors (…, d) of the same length, got shapes {a.shape} and {b.shape}"
        )
    checks.leading_axes(a, b, a_name, b_name, own=1)
    return a, b


def _length(a):
    """The Euclidean length of vectors (…, d); their squares stay in range."""
    largest = np.abs(a).max(axis=-1, keepdims=True)
    a = a / np.where(largest > 0, largest, 1)
    return largest[..., 0] * np.sqrt((a * a).sum(axis=-1))
