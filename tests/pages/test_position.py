"""The position page: another order, what positions add, the table, rotary scores."""

import numpy as np
import pytest

from attention_core import (
    cosine_similarity,
    load_example,
    load_gallery,
    load_language_model,
    rotate_by_position,
    sinusoidal_positions,
)
from attention_lab.state import permalink
from attention_lab.text.number_format import format_number
from tests.pages.test_every_page import execute
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["position"]
EXAMPLES = ("dog_bites_man", "man_bites_dog")


def view_of(example=EXAMPLES[0], **address):
    return LessonView(PATH, example=permalink.escape(example), **address)


def chart_with(visit, column):
    return next(rows for _, rows in visit.charts if column in rows)


def test_worked_vectors_come_out_in_either_order():
    for name in EXAMPLES:
        example, scope = load_example(name), view_of(name).scope
        for place, word in enumerate(example.words):
            for found in (scope["as_given"].context, scope["back"]):
                np.testing.assert_allclose(found[place], example.expected[f"context {word}"], rtol=1e-12)


def test_order_changes_the_outputs_with_positions_only():
    for order in ("1_2_3", "3_2_1", "2_3_1", "3_1_2"):
        view = view_of(order=order)
        assert view.scope["largest"] < 1e-14, "nothing, up to rounding"
        assert "tell_apart" not in view.reached
    for positions in ("sinusoidal", "rotary"):
        assert view_of(positions=positions, order="3_2_1").scope["largest"] > 0.1
        assert view_of(positions=positions).scope["largest"] == 0
        assert view_of(positions=positions, strength="0", order="3_2_1").scope["largest"] < 1e-14


def test_position_adds_its_row_of_the_table():
    scope = view_of(positions="sinusoidal", strength="1.5", order="3_2_1").scope
    rows = 1.5 * sinusoidal_positions(3, 4)
    np.testing.assert_allclose(scope["placed"] - scope["x"], rows, atol=1e-15)
    np.testing.assert_allclose(scope["placed_now"][0] - scope["x"][0], rows[2], atol=1e-15)


def test_far_positions_are_alike_in_tables_of_any_width():
    for width, far in (("16", "5"), ("64", "13")):
        assert "far_places" in view_of(width=width, near="1", far=far).reached


def test_similarity_of_positions_and_rotary_scores_depend_on_distance_alone():
    for width in ("4", "16", "64"):
        visits = (Visit(PATH, goal="far_places", width=width, near=near) for near in ("1", "11"))
        near, far = (chart_with(visit, "who")["value"] for visit in visits)
        np.testing.assert_allclose(near[:20], far[10:30], atol=1e-12)
    score = chart_with(Visit(PATH).unfold("rotary"), "who")["value"]
    dog, man = load_example("dog_bites_man").embeddings[[0, 2]]
    by_hand = [rotate_by_position([dog], [22]) @ rotate_by_position([man], [20 + k]).T for k in range(5)]
    np.testing.assert_allclose(score[:5], np.ravel(by_hand), atol=1e-12)


def test_programs_agree_with_the_page_on_every_kind_of_positions():
    for positions in ("none", "sinusoidal", "rotary"):
        view = view_of(positions=positions, order="2_3_1")
        for program in view.programs:
            largest = float(execute(program).splitlines()[-1].split()[-1])
            assert largest == pytest.approx(view.scope["largest"], abs=1e-12), positions


def test_text_on_the_weights_says_whether_they_change():
    for address, text in (
        ({"order": "3_2_1"}, "Without positions, the weights are the same"),
        ({"positions": "sinusoidal", "order": "3_2_1"}, "With positions, the weights change"),
        ({"positions": "rotary", "order": "3_2_1"}, "With rotated queries and keys, the weights change"),
        (
            {"positions": "sinusoidal", "strength": "0", "order": "3_2_1"},
            "Without positions, the weights are the same",
        ),
        ({"positions": "sinusoidal"}, "Move a word in the right column"),
    ):
        visit = Visit(PATH, **address)
        scope = visit.scope
        given, mine = np.asarray(scope["as_given"].weights), np.asarray(scope["shuffled"].weights)
        stands = np.asarray(scope["stands"])
        same = np.allclose(mine[np.ix_(stands, stands)], given, atol=1e-12)
        assert text in visit.text
        assert same == ("the weights change" not in text)


def test_words_begin_apart_from_each_other_and_the_origin():
    view = view_of()
    points = np.array(view.stage["pose"]["vectors"])[:, view.first("plane")["columns"]]
    assert (np.linalg.norm(points, axis=1) >= 1).all()
    assert len({tuple(point) for point in points.tolist()}) == len(points)


def test_learned_table_stands_beside_the_sinusoids():
    learned = load_language_model().positions
    visit, cosines = Visit(PATH, width="learned", near="3", far="4"), cosine_similarity(learned, learned)
    np.testing.assert_allclose(
        chart_with(visit, "number")["shade"], learned.ravel() / np.abs(learned).max(), rtol=1e-6
    )
    np.testing.assert_allclose(chart_with(visit, "who")["value"], cosines[2], rtol=1e-5)
    neighbours = np.diag(cosines, 1).mean()
    assert format_number(float(neighbours)) in visit.text
    assert neighbours > 3 * np.diag(cosines, 20).mean()
    assert visit.text.count("learned]") == 2, "the badges of both charts"
    assert visit.reached == [], "the goal is about the sinusoids"


def test_table_of_a_real_model_stands_beside_the_sinusoids():
    real = load_gallery().positions.astype(float)
    visit = Visit(PATH, width="real", near="3", far="4")
    shades = np.reshape(list(chart_with(visit, "number")["shade"]), (len(real), 64))
    full = np.quantile(np.abs(real), 0.98)
    np.testing.assert_allclose(shades, np.clip(real[:, :64] / full, -1, 1), rtol=1e-5)
    cosines = real @ real.T / np.outer(*[np.linalg.norm(real, axis=1)] * 2)
    np.testing.assert_allclose(chart_with(visit, "who")["value"], cosines[2], rtol=1e-5)
    for apart in (1, 16):
        assert format_number(float(np.diag(cosines, apart).mean())) in visit.text
