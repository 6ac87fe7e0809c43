"""The triangle of three weights: its point, its path, its corners."""

import numpy as np
import pytest

from attention_core import TRIANGLE_CORNERS, softmax, triangle_coordinates
from attention_lab.charts import simplex

SCORES, NAMES = np.array([0.0, 1.0, 0.7]), ["an", "apple", "orange"]
MIDDLE = TRIANGLE_CORNERS.mean(axis=0)


def of(kind, data):
    return data[data.kind == kind]


def test_point_is_where_the_weights_are():
    for temperature in (0.05, 0.3, 1.0, 20.0):
        point = of("point", simplex.rows(SCORES, NAMES, temperature)).iloc[0]
        weights = softmax(SCORES, temperature)
        assert (point.x, point.y) == pytest.approx(tuple(triangle_coordinates(weights)))
        assert point.shares == ", ".join(f"{n} {100 * w:.1f}%" for n, w in zip(NAMES, weights, strict=True))


def test_path_leads_from_the_corner_of_the_largest_score_to_the_middle():
    path = of("path", simplex.rows(SCORES, NAMES, 1.0))
    assert path[["x", "y"]].iloc[0].to_numpy() == pytest.approx(TRIANGLE_CORNERS[1], abs=0.01)
    assert path[["x", "y"]].iloc[-1].to_numpy() == pytest.approx(MIDDLE, abs=0.02)
    assert path.order.is_monotonic_increasing


def test_path_of_equal_scores_is_one_point():
    data = simplex.rows(np.zeros(3), NAMES, 5.0)
    path = of("path", data)[["x", "y"]].to_numpy()
    assert path == pytest.approx(np.tile(MIDDLE, (len(simplex.TEMPERATURES), 1)))
    assert len(of("named", data)) == 1, "no two names in one place"
    assert np.isfinite(data[["x", "y"]].to_numpy()).all()


def test_corners_are_the_chosen_words_then_those_with_the_largest_scores():
    scores = np.array([0.0, 1.0, 0.0, -np.inf, 0.7])
    assert simplex.three(scores, 1, 4) == [0, 1, 4], "of equals the first"
    assert simplex.three(scores, 2, 2) == [1, 2, 4]
    assert simplex.three(scores, 3, 0) == [0, 1, 4], "what is left out is no corner"
    assert simplex.three(np.array([0.0, 1.0, -np.inf]), 0, 1) is None
