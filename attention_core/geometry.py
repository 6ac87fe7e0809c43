"""What pictures need computed: hulls, shadows, angles, the triangle of all three-part shares."""

import numpy as np

from attention_core import checks
from attention_core.softmax import softmax

#: Where the shares (1, 0, 0), (0, 1, 0) and (0, 0, 1) lie: a triangle with sides of length 1.
TRIANGLE_CORNERS = checks.frozen(np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]]))


@np.errstate(all="ignore")
def convex_hull(points):
    """The corners of the tightest convex fence around points of the plane, counter-clockwise.

    Mixing points in shares, as attention mixes values, never leads outside this fence.

    `points` is (n, 2). Returns the corners, (k, 2), beginning with the leftmost (the lowest of
    those), without points in the middle of an edge. No points give (0, 2), equal points one
    corner, points on a line its two ends. Raises `ValueError` for other shapes and non-finite
    input. Source: Andrew's monotone chain, 1979.
    """
    points = _points(points, "points")
    _, exponent = np.frexp(np.abs(points).max(initial=0))
    unit = np.ldexp(points, -exponent)  # below 1, so that products stay in range; by powers of 2, so exact
    _, first = np.unique(unit, axis=0, return_index=True)  # from left to right, then upwards

    def chain(order):
        corners = []
        for i in order:
            while len(corners) > 1 and _turn(unit[corners[-2]], unit[corners[-1]], unit[i]) <= 0:
                corners.pop()
            corners.append(i)
        return corners[:-1]  # the other chain begins where this one ends

    corners = chain(first) + chain(first[::-1]) if len(first) > 1 else list(first)
    return points[corners]


@np.errstate(all="ignore")
def inside_hull(points, hull, tolerance=1e-9):
    """Whether each point lies within a hull, its border included.

    `points` is (…, 2), `hull` is (k, 2) as `convex_hull` gives it (also one corner or two).
    `tolerance` is the distance outside that still counts as inside, as a fraction of the largest
    coordinate in play. Returns booleans (…); nothing lies inside a hull without corners.
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
        part = np.clip((points - start) @ along / length, 0, 1) if length else np.zeros(points.shape[:-1])
        return np.hypot(*np.moveaxis(points - start - part[..., None] * along, -1, 0)) <= tolerance
    edges = np.roll(hull, -1, axis=0) - hull
    inwards = np.stack([-edges[:, 1], edges[:, 0]], axis=-1) / np.hypot(*edges.T)[:, None]
    depth = ((points[..., None, :] - hull) * inwards).sum(axis=-1)
    return (depth >= -tolerance).all(axis=-1)


@np.errstate(all="ignore")
def projection(a, onto):
    """The shadow that `a` throws on the line through `onto`.

        proj = (a · u) u,    u = onto / ‖onto‖

    Vectors (…, d) of equal length; leading axes broadcast. The dot product of the two is the
    length of `onto` times the signed length of the shadow. A zero vector has no line: NaN.
    """
    a, onto = _two_vectors(a, onto, "a", "onto")
    direction = _unit(onto)
    largest = np.abs(a).max(axis=-1, keepdims=True)
    share = (a / np.where(largest > 0, largest, 1) * direction).sum(axis=-1, keepdims=True)
    return share * largest * direction


@np.errstate(all="ignore")
def angle(a, b):
    """The angle between two vectors in degrees, 0 … 180.

        α = 2 · arctan( ‖u − v‖ / ‖u + v‖ ),    u = a / ‖a‖, v = b / ‖b‖

    Vectors (…, d), leading axes broadcast. The same as arccos(u · v), and exact also for angles
    so small that their cosine rounds to 1. A zero vector has no direction: NaN.
    Source: Kahan 2006, "How Futile are Mindless Assessments of Roundoff", §12.
    """
    a, b = _two_vectors(a, b, "a", "b")
    a, b = _unit(a), _unit(b)
    return np.degrees(2 * np.arctan2(_length(a - b), _length(a + b)))


@np.errstate(all="ignore")
def triangle_coordinates(shares):
    """Where three shares lie in the triangle of all shares of three.

        point = Σ_j w[j] · corner[j]

    Whoever has all is in their corner, equal shares lie in the middle. `shares` is (…, 3), not
    negative and summing to 1; the points are (…, 2), with the corners at `TRIANGLE_CORNERS`.
    Raises `ValueError` for anything else.
    """
    shares = checks.finite(checks.real_array(shares, "shares"), "shares")
    if shares.ndim < 1 or shares.shape[-1] != 3:
        raise ValueError(f"shares must have shape (…, 3), got {shares.shape}")
    if (shares < 0).any() or (np.abs(shares.sum(axis=-1) - 1) > 1e-3).any():
        raise ValueError("shares must not be negative and must sum to 1")
    return shares @ TRIANGLE_CORNERS.astype(shares.dtype)


@np.errstate(all="ignore")
def temperature_path(scores, temperatures=None):
    """The shares of the same scores at many temperatures: a path from "winner takes all" to "all alike".

    `scores` is (k,); `temperatures`, (t,) and above 0, are 100 steps of equal ratio from 0.05 to 20
    unless given. Returns (t, k), row by row `softmax(scores, temperature)`.
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
    """How well a space keeps two meanings apart, whatever its size.

        ‖first − second‖ / ‖reference_first − reference_second‖

    For example the distance between *apple* among fruit and *apple* among gadgets, divided by the
    distance between *orange* and *phone* in the same space: enlarging the space enlarges both and
    wins nothing. Vectors (…, d). Where the references coincide the ratio is NaN, undefined.
    """
    first, second = _two_vectors(first, second, "first", "second")
    left, right = _two_vectors(reference_first, reference_second, "reference_first", "reference_second")
    apart = _length(left - right)
    return np.where(apart > 0, _length(first - second) / apart, np.nan)[()]


def displacements(vector, weights, values):
    """How far each value moves a vector that is replaced by their weighted average.

    `vector` is (d,), `weights` (n,) and `values` (n, d). Returns weight × (value − vector), (n, d). If the
    weights add up to one, these arrows, laid tip to tail, lead from the vector to the average.
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
    """The corners of the way from `start`, (d,), along `arrows`, (n, d), one after the other: (n + 1, d)."""
    arrows = checks.finite(checks.vectors(arrows, "arrows"), "arrows")
    start = checks.finite(checks.real_array(start, "start"), "start")
    if arrows.ndim != 2 or start.shape != arrows.shape[1:]:
        raise ValueError(
            f"start and arrows must have shapes (d,) and (n, d), got {start.shape} and {arrows.shape}"
        )
    return np.cumsum(np.concatenate([start[None], arrows]), axis=0)


def _points(points, name):
    """(n, 2), finite."""
    points = checks.finite(checks.real_array(points, name), name)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"{name} must have shape (n, 2), got {points.shape}")
    return points


def _turn(a, b, c):
    """Above zero if the way from a over b to c turns left, zero if it goes straight on."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _two_vectors(a, b, a_name, b_name):
    """Two finite arrays (…, d) whose shapes go together; here one vector may come alone, (d,)."""
    a = checks.finite(checks.real_array(a, a_name), a_name)
    b = checks.finite(checks.real_array(b, b_name), b_name)
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-1] or a.shape[-1] == 0:
        raise ValueError(
            f"{a_name} and {b_name} must be vectors (…, d) of the same length, got shapes {a.shape} and {b.shape}"
        )
    checks.leading_axes(a, b, a_name, b_name, own=1)
    return a, b


def _unit(a):
    """At length 1; NaN for a zero vector. The largest component goes first so that squares stay in range."""
    a = a / np.abs(a).max(axis=-1, keepdims=True)
    return a / np.sqrt((a * a).sum(axis=-1, keepdims=True))


def _length(a):
    """Euclidean length of (…, d), in range for any finite vector."""
    largest = np.abs(a).max(axis=-1, keepdims=True)
    a = a / np.where(largest > 0, largest, 1)
    return largest[..., 0] * np.sqrt((a * a).sum(axis=-1))
