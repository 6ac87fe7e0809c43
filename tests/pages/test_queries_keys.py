"""Queries and keys: its numbers, its goals, its matrices from the link and from the editor."""

import numpy as np
import pytest

from attention_core import AttentionHead, causal_mask, load_example
from attention_lab.text import ui_text
from tests.pages.test_every_page import execute
from tests.visit import PATHS, LessonView, Visit, at

PATH = PATHS["queries_keys"]
SPACES = {
    "squashed": [[1.25, 0.75], [0.75, 1.25]],
    "between": np.eye(2),
    "stretched": [[1.25, -0.75], [-0.75, 1.25]],
}
PRESETS = {"squashed": "squashed", "unchanged": "between", "stretched": "stretched"}


def view_of(**address):
    return LessonView(PATH, **address)


def separation(space):
    """The number of the page, computed without it: apple in two sentences, over orange and phone."""
    orange, apple, phone = load_example("orange_apple_phone").embeddings @ np.asarray(space)

    def moved(other):
        both = np.array([apple, other])
        powers = np.exp(both @ apple / np.sqrt(2) - (both @ apple).max() / np.sqrt(2))
        return powers / powers.sum() @ both

    return np.linalg.norm(moved(orange) - moved(phone)) / np.linalg.norm(orange - phone)


def test_figure_computes_what_the_head_computes():
    examples = [{"example": name} for name in ("buy_an_apple", "fluffy_blue_creature", "knight_in_shining")]
    skewed = {"way": "one", "W_query": "2_1__0_1"}
    for address in ({}, {"way": "one"}, skewed, {"W_query": "0_0__0_0"}, *examples):
        view = view_of(**address)
        scope, values = view.scope, view.values
        mask = causal_mask(len(scope["words"])) if address.get("example") == "knight_in_shining" else None
        key = values["W_query"] if "way" in address else values["W_key"]
        trace = AttentionHead(values["W_query"], key, np.eye(len(key))).attend(np.array(scope["x"]), mask=mask)
        np.testing.assert_allclose(scope["trace"].weights, trace.weights)
        np.testing.assert_allclose(scope["trace"].scores, trace.scores)


# Which space is best -----------------------------------------------------------------------------------


def test_separation_compares_spaces_of_equal_area():
    found = {name: view_of(way="one", start=name).scope["separation"] for name in SPACES}
    for name, space in SPACES.items():
        assert found[name] == pytest.approx(separation(space), rel=1e-12)
        assert np.linalg.det(space) == pytest.approx(1)
    assert found["squashed"] < found["between"] < found["stretched"]
    view = view_of(way="one", W_query="2_0__0_0.5")
    assert view.scope["separation"] == pytest.approx(separation([[2, 0], [0, 0.5]]), rel=1e-12)
    for mark in view.first("ruler")["marks"]:
        assert at(view.scope, mark["of"]) == pytest.approx(separation(SPACES[PRESETS[mark["name"]]]), rel=1e-12)
    sizes = [view_of(way="one", W_query=f"{c}_0__0_{c}").scope["separation"] for c in (1, 2, 4, 50)]
    assert sizes == sorted(sizes, reverse=True), "enlarging everything wins nothing"


def test_separation_is_undefined_where_orange_and_phone_coincide():
    visit = Visit(PATH, way="one", W_query="0_0__0_0")
    assert np.isnan(visit.scope["separation"])
    assert "nan" not in visit.text.lower()
    for words in ("pear.fig", "apple.orange"):
        view = view_of(way="one", words=words)
        assert "separation" not in view.scope
        assert "ruler" not in {part["kind"] for part in view.parts}


# Goals and predictions ---------------------------------------------------------------------------------


def test_moving_the_words_instead_of_the_matrices_reaches_no_goal():
    view = view_of().drag(vectors=[[0, 0], [2, 2], [40, 40]])
    assert view.scope["trace"].weights[1, 2] > 0.8
    assert "phone_80" not in view.reached


def test_goals_of_the_features_are_not_offered_on_other_words():
    """*a* gives the unknown *b* next to nothing from the outset, so nobody is asked to turn it away."""
    assert [*view_of(example="fluffy_blue_creature", words="a.b").goals] == ["give_80"]


def test_a_goal_that_names_its_words_stays_when_query_and_key_are_of_one_word():
    assert [*view_of(word="orange", other="orange").goals] == [*view_of().goals]
    own = view_of(example="apple_unveiled", word="apple", other="apple")
    assert [*own.goals] == ["phone_80"], "the other goal is about the chosen pair"


def test_prediction_is_about_swapped_matrices_or_about_the_largest_weight():
    visit = Visit(PATH, predict="1")
    next(button for button in visit.at.button if "reverse score" in button.label).click()
    assert ":material/check:" in visit.run().text
    for address in ({"start": "raw"}, {"way": "one"}, {"example": "fluffy_blue_creature"}):
        visit = Visit(PATH, predict="1", **address)
        assert "which of the other words" in visit.text, "swapping would change nothing"
        words, word = visit.scope["words"], visit.values["word"]
        row = dict(zip(words, visit.scope["trace"].weights[words.index(word)], strict=True))
        best = max((other for other in row if other != word), key=row.get)
        next(button for button in visit.at.button if button.label == best).click()
        assert ":material/check:" in visit.run().text


# Ways in -----------------------------------------------------------------------------------------------


def choose(visit, key, value):
    group_of(visit, key).set_value(value)
    return visit.run()


def group_of(visit, key):
    keys = (f"queries_keys.{key}", f"queries_keys.{key}.begin")
    widgets = [*visit.at.get("button_group"), *visit.at.selectbox]
    return next(widget for widget in widgets if widget.key in keys)


def test_a_preset_is_lit_while_its_matrices_stand_and_can_be_chosen_again():
    for way, start in (("two", "hand"), ("one", "between")):
        visit = Visit(PATH, way=way).open_editor()
        begun = visit.values["W_query"]
        assert group_of(visit, "start").value == start
        moved = (begun + 0.5).tolist()
        visit.drag(W_query=moved, W_key=moved if way == "one" else visit.stage["pose"]["W_key"])
        assert group_of(visit, "start").value is None
        assert group_of(visit.turn(-1), "start").value == start
        assert group_of(visit.turn(1), "start").value is None
        choose(visit, "start", start)
        np.testing.assert_array_equal(visit.values["W_query"], begun)
        vectors = visit.stage["pose"]["vectors"]
        vectors[0][0] += 1
        assert group_of(visit.drag(vectors=vectors), "start").value == start, "words are no part of it"


def test_one_matrix_begins_as_the_query_matrix_at_hand_and_two_with_equal_ones():
    visit = choose(Visit(PATH), "way", "one")
    np.testing.assert_array_equal(visit.values["W_query"], np.eye(2))
    assert (visit.values["start"], visit.badges[0]) == ("between", "by hand")
    visit = Visit(PATH).drag(W_query=[[2, 1], [0, 1]])
    for way in ("one", "two"):
        choose(visit, "way", way)
        for name in ("W_query", "W_key"):
            np.testing.assert_array_equal(visit.values[name], [[2, 1], [0, 1]])


def test_the_way_by_features_has_words_of_its_own_and_so_has_the_way_back():
    visit = choose(Visit(PATH), "way", "features")
    assert (visit.values["example"], visit.values["word"]) == ("fluffy_blue_creature", "creature")
    assert visit.values["W_query"].shape == (8, 2)
    visit.drag(W_query=np.ones((8, 2)).tolist())
    choose(visit, "way", "one")
    assert visit.values["example"] == "orange_apple_phone"
    assert "ruler" in {part["kind"] for part in visit.parts}


def test_a_space_brings_its_matrix_for_both():
    visit = choose(Visit(PATH, way="one"), "start", "squashed")
    for name in ("W_query", "W_key"):
        np.testing.assert_array_equal(visit.values[name], SPACES["squashed"])
    assert set(visit.badges) == {"by hand"}
    visit.drag(W_query=[[1, 0], [0, 3]], W_key=[[1, 0], [0, 3]])
    for of, badge in visit.stage["provenance"].items():
        assert (badge == "yours") == ("W_query" in of), of
    assert set(choose(visit, "start", "between").badges) == {"by hand"}


# Input that cannot be used -----------------------------------------------------------------------------


def type_matrix(visit, text):
    return visit.open_editor("matrices").fill("text_area", "rows.W_query", text)


def test_a_typed_matrix_is_taken_for_both_where_there_is_one_and_a_wrong_one_is_refused():
    visit = type_matrix(Visit(PATH), "1/2 0\n0 2")
    assert visit.values["W_query"].tolist() == [[0.5, 0], [0, 2]]
    for wrong in ("1 2 3\n4 5 6", "one two\nthree four", "nan 0\n0 1", "1e300 0\n0 1", "", "1/0 0\n0 1"):
        errors = [error.value.replace("\\", "") for error in type_matrix(visit, wrong).at.error]
        assert [ui_text("refused/kept") in error for error in errors] == [True], wrong
        assert visit.values["W_query"].tolist() == [[0.5, 0], [0, 2]]
    visit = type_matrix(Visit(PATH, way="one"), "2 0\n0 1")
    assert visit.values["W_key"].tolist() == [[2, 0], [0, 1]]


# Further and programs ----------------------------------------------------------------------------------


def landscape(**address):
    visit = Visit(PATH, **address)
    assert not visit.charts, "nothing is computed in a closed fold"
    return visit.unfold("further"), visit.charts[0][1]


def test_landscape_shows_the_scores_of_the_query():
    for address in ({}, {"way": "one", "start": "stretched"}, {"words": "w1.w2.w1"}):
        visit, rows = landscape(**address)
        scope, values = visit.scope, visit.values
        key = values["W_query"] if "way" in address else values["W_key"]
        query = np.array(scope["x"])[list(scope["words"]).index(values["word"])] @ values["W_query"]
        squares = rows[rows["kind"] == "square"]
        middles = np.stack([(squares["x"] + squares["x2"]) / 2, (squares["y"] + squares["y2"]) / 2], axis=1)
        heights = (middles @ key) @ query
        np.testing.assert_allclose(squares["shade"], heights / np.abs(heights).max(), atol=1e-9)
        levels = rows[rows["kind"] == "level"]
        for start, end in zip(levels[["x", "y"]].to_numpy(), levels[["x2", "y2"]].to_numpy(), strict=True):
            assert start @ key @ query == pytest.approx(end @ key @ query, abs=1e-9)
        assert set(rows[rows["kind"] == "word"]["name"]) == set(scope["table"])
    _, rows = landscape(W_query="0_0__0_0")
    assert (rows[rows["kind"] == "square"]["shade"] == 0).all()
    assert not (rows["kind"] == "level").any(), "a flat landscape has no levels"


def test_product_of_the_matrices_shows_which_feature_attends_to_which():
    for orientation, (query, key) in {"rows": ("row", "column"), "columns": ("column", "row")}.items():
        _, rows = landscape(example="fluffy_blue_creature", orientation=orientation)
        found = {(row[query], row[key]): row["text"] for _, row in rows.iterrows() if row["text"] != "0"}
        assert found == {("noun", "adjective"): "10", ("place", "place"): "1"}


def test_programs_print_separation_and_masked_weights():
    for W in ("1.25_-0.75__-0.75_1.25", "0_0__0_0"):
        view = view_of(way="one", W_query=W)
        for program in view.programs:
            printed = execute(program).splitlines()[-1].split()[1]
            expected = view.scope["separation"]
            assert printed == "undefined" if np.isnan(expected) else float(printed) == pytest.approx(expected)
    view = view_of(example="knight_in_shining")
    for program in view.programs:
        weights = [float(line.split()[-1]) for line in execute(program).splitlines() if "→" in line]
        np.testing.assert_allclose(weights, view.scope["trace"].weights.ravel(), atol=1e-12)
