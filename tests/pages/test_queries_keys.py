"""Queries and keys: its worked numbers, its goals, its matrices from the address and from the editor."""

import contextlib
import io
import json

import numpy as np
import pytest

from attention_core import AttentionHead, causal_mask, load_example, scaled_dot_product_attention
from attention_lab.calculation import Condition
from attention_lab.text import say
from tests.visit import LESSONS, NAMES, Visit, at

PATH = LESSONS[NAMES.index("queries_keys")]
SPACES = {
    "squashed": [[1.25, 0.75], [0.75, 1.25]],
    "between": np.eye(2),
    "stretched": [[1.25, -0.75], [-0.75, 1.25]],
}
PRESETS = {"squashed": "squashed", "unchanged": "between", "stretched": "stretched"}


def open_page(**address):
    return Visit(PATH, **address)


def number(visit, what, asks, answers):
    """A score or weight of two words, as the stage has it."""
    scope = visit.scope
    words = list(scope["words"])
    return getattr(scope["trace"], what)[words.index(asks), words.index(answers)]


def goals(visit):
    return next(part for part in visit.parts if part["kind"] == "goals")["goals"]


def met(visit):
    """The goals whose every condition holds now."""
    scope = visit.scope

    def holds(c):
        condition = Condition("number", c["relation"], c["target"], c["tolerance"])
        return condition.met({"number": at(scope, c["path"])}, 0.0)

    return {goal["name"] for goal in goals(visit) if all(map(holds, goal["conditions"]))}


def separation(space):
    """The number of the page, made without it: apple in two sentences, over orange and phone."""
    orange, apple, phone = load_example("orange_apple_phone").embeddings @ np.asarray(space)

    def moved(other):
        both = np.array([apple, other])
        powers = np.exp(both @ apple / np.sqrt(2) - (both @ apple).max() / np.sqrt(2))
        return powers / powers.sum() @ both

    return np.linalg.norm(moved(orange) - moved(phone)) / np.linalg.norm(orange - phone)


# The worked numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fluffy_blue_creature", "knight_in_shining"])
def test_the_features_give_the_numbers_of_the_example(name):
    visit = open_page(example=name)
    checked = 0
    for called, expected in load_example(name).expected.items():
        what, *words = called.split()
        if what in {"score", "weight"}:
            assert number(visit, f"{what}s", *words) == pytest.approx(expected, abs=1e-12)
            checked += 1
    assert checked >= 5


def test_creature_gives_fluffy_and_blue_nearly_all_and_verdant_next_to_nothing():
    visit = open_page(example="fluffy_blue_creature")
    assert visit.values["word"] == "creature"
    assert number(visit, "weights", "creature", "fluffy") + number(visit, "weights", "creature", "blue") > 0.95
    assert number(visit, "weights", "creature", "verdant") < 0.05


def test_nobody_looks_ahead_where_the_example_has_a_mask():
    visit = open_page(example="knight_in_shining")
    np.testing.assert_array_equal(visit.scope["trace"].weights[np.triu_indices(4, 1)], 0)
    assert open_page(example="fluffy_blue_creature").scope["trace"].mask is None


@pytest.mark.parametrize(
    "address", [{}, {"way": "one"}, {"example": "buy_an_apple"}, {"example": "knight_in_shining"}]
)
def test_the_stage_computes_what_the_head_computes(address):
    visit = open_page(**address)
    scope, values = visit.scope, visit.values
    key = values["W_query"] if "way" in address else values["W_key"]
    mask = causal_mask(len(scope["words"])) if scope["mask"] else None
    head = AttentionHead(values["W_query"], key, np.eye(len(key)))
    trace = head.attend(np.array(scope["x"]), mask=mask)
    np.testing.assert_allclose(scope["trace"].weights, trace.weights)
    np.testing.assert_allclose(scope["trace"].scores, trace.scores)


def test_two_matrices_look_one_way_and_one_matrix_both_ways():
    two, one = open_page().scope["trace"].scores, open_page(way="one", start="stretched").scope["trace"].scores
    assert np.abs(two - two.T).max() > 1
    np.testing.assert_array_equal(one, one.T)


# Which space is best -----------------------------------------------------------------------------------


def test_the_three_spaces_differ_in_separation_and_not_in_area():
    found = {name: open_page(way="one", start=name).scope["separation"] for name in SPACES}
    for name, space in SPACES.items():
        assert found[name] == pytest.approx(separation(space), rel=1e-12)
        assert np.linalg.det(space) == pytest.approx(1)
    assert found["squashed"] < found["between"] < found["stretched"]


def test_the_ruler_compares_with_the_three_spaces():
    visit = open_page(way="one", W_query="2_0__0_0.5")
    ruler = next(part for part in visit.parts if part["kind"] == "ruler")
    for mark in ruler["marks"]:
        assert at(visit.scope, mark["of"]) == pytest.approx(separation(SPACES[PRESETS[mark["name"]]]), rel=1e-12)
    assert visit.scope["separation"] == pytest.approx(separation([[2, 0], [0, 0.5]]), rel=1e-12)


def test_mere_enlargement_wins_nothing():
    sizes = [open_page(way="one", W_query=f"{c}_0__0_{c}").scope["separation"] for c in (1, 2, 4, 50)]
    assert sizes == sorted(sizes, reverse=True)


def test_where_orange_and_phone_coincide_the_separation_is_undefined():
    visit = open_page(way="one", W_query="0_0__0_0")
    assert np.isnan(visit.scope["separation"])
    assert "nan" not in visit.text.lower()


def test_separation_is_told_only_where_there_are_the_three_words():
    assert not [part for part in open_page(way="one", words="pear.fig").parts if part["kind"] == "ruler"]
    assert "separation" not in open_page(way="one", words="apple.orange").scope


# Goals and guesses -------------------------------------------------------------------------------------

WAYS_TO_THE_GOALS = [
    ("phone_80", {}, {"W_query": [[1.5, 0], [0, 0]]}),
    ("phone_80", {"example": "apple_unveiled"}, {"W_query": [[1.5, 0], [0, 0]]}),
    ("one_way", {}, {"W_query": [[0, 1], [-1, 0]], "W_key": [[1, 0], [0, 1]]}),
    ("one_way", {"example": "buy_an_apple"}, {"W_query": [[0, 1], [-1, 0]], "W_key": [[1, 0], [0, 1]]}),
    ("turn_away", {"example": "buy_an_apple"}, {"W_query": [[0.75, 0.25], [-0.5, -0.75]]}),
    ("there_not_back", {"example": "apple_unveiled"}, {"W_query": [[0, -1], [1, 0]], "W_key": [[1, 0], [0, 1]]}),
    (
        "wider",
        {"way": "one", "start": "squashed"},
        {"W_query": [[1, -0.4], [-0.4, 1]], "W_key": [[1, -0.4], [-0.4, 1]]},
    ),
    ("opposed", {"way": "one", "other": "orange", "word": "phone"}, {"W_query": [[1, -0.5], [-0.5, 1]]}),
    (
        "green_creature",
        {"example": "fluffy_blue_creature"},
        {"W_query": [[10, 0], *[[0, 0]] * 3, [0, -1], *[[0, 0]] * 3]},
    ),
    (
        "articles",
        {"example": "fluffy_blue_creature"},
        {"W_key": [[0, 0], [0, 0], [0, 0], [2, 0], [0, 1], [0, 0], [0, 0], [0, 0]]},
    ),
    ("in_the", {"example": "knight_in_shining"}, {"W_query": [[0, 4], [6, 0], [0, 5], *[[0, 0]] * 4]}),
    ("turn_away", {"example": "knight_in_shining"}, {"W_query": [[0, 4], [-6, 0], [3, 0], *[[0, 0]] * 4]}),
    (
        "give_80",
        {"words": "pear.fig", "example": "own", "vectors": "1_0__0_1"},
        {"W_query": [[0, 5], [5, 0]], "W_key": [[1, 0], [0, 1]]},
    ),
]


@pytest.mark.parametrize(
    ("goal", "address", "moved"),
    WAYS_TO_THE_GOALS,
    ids=[f"{g} {a.get('example', '')}" for g, a, _ in WAYS_TO_THE_GOALS],
)
def test_a_goal_is_not_met_at_first_and_can_be_reached(goal, address, moved):
    visit = open_page(**address)
    assert goal in {each["name"] for each in goals(visit)}
    assert goal not in met(visit)
    assert goal not in visit.reached
    visit.drag(**moved)
    assert goal in met(visit)
    assert goal in visit.reached


@pytest.mark.parametrize("example", ["orange_apple_phone", "apple_unveiled", "buy_an_apple"])
def test_what_apple_looks_at_most_is_a_corner_so_that_it_can_have_nearly_all(example):
    """A matrix can give a word nearly all the weight only where its key stands out in some direction."""
    visit = open_page(example=example)
    x = np.array(visit.scope["x"])
    words = list(visit.scope["words"])
    wanted = words.index("orange" if example == "buy_an_apple" else "phone")
    others = np.delete(x, wanted, axis=0)
    angles = np.linspace(0, 2 * np.pi, 721)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    assert ((x[wanted] @ directions) - (others @ directions).max(axis=0)).max() > 0.1


def test_moving_the_words_instead_of_the_matrices_does_not_count():
    visit = open_page().drag(vectors=[[0, 0], [2, 2], [40, 40]])
    assert number(visit, "weights", "apple", "phone") > 0.8
    assert "phone_80" not in met(visit)


def test_the_goals_of_the_features_cannot_be_met_by_other_words():
    """*a* gives the unknown *b* next to nothing from the outset, so nobody is asked to turn it away."""
    offered = goals(open_page(example="fluffy_blue_creature", words="a.b"))
    assert [goal["name"] for goal in offered] == ["give_80"]


def test_exchanging_the_matrices_is_the_guess_and_the_other_direction_its_answer():
    visit = open_page(predict="1")
    assert visit.stage["veil"]
    next(button for button in visit.at.button if "other direction" in button.label).click()
    visit.run()
    assert not visit.stage["veil"]
    assert ":material/check:" in visit.text


@pytest.mark.parametrize("address", [{"start": "raw"}, {"way": "one"}, {"example": "fluffy_blue_creature"}])
def test_where_exchanging_would_change_nothing_the_guess_is_who_gets_most(address):
    visit = open_page(predict="1", **address)
    assert "which of the other words" in visit.text
    words, weights = visit.scope["words"], visit.scope["trace"].weights
    word = visit.values["word"]
    row = {other: weights[words.index(word), k] for k, other in enumerate(words) if other != word}
    best = max(row, key=row.get)
    next(button for button in visit.at.button if button.label == best).click()
    visit.run()
    assert ":material/check:" in visit.text


# Ways in -----------------------------------------------------------------------------------------------


def choose(visit, key, value):
    group_of(visit, key).set_value(value)
    return visit.run()


def group_of(visit, key):
    keys = (f"queries_keys.{key}", f"queries_keys.{key}.begin")
    widgets = [*visit.at.get("button_group"), *visit.at.selectbox]
    return next(widget for widget in widgets if widget.key in keys)


@pytest.mark.parametrize(("way", "start"), [("two", "hand"), ("one", "between")])
def test_a_beginning_is_lit_as_long_as_it_holds_and_brings_itself_again(way, start):
    visit = open_page(way=way)
    begun = visit.values["W_query"]
    assert group_of(visit, "start").value == start
    moved = (begun + 0.5).tolist()
    visit.drag(W_query=moved, W_key=moved if way == "one" else visit.stage["pose"]["W_key"])
    assert group_of(visit, "start").value is None, "what stands there is no longer that"
    choose(visit, "start", start)
    np.testing.assert_array_equal(visit.values["W_query"], begun)
    assert group_of(visit, "start").value == start
    vectors = visit.stage["pose"]["vectors"]
    vectors[0][0] += 1
    assert group_of(visit.drag(vectors=vectors), "start").value == start, "words are no part of it"


def test_one_matrix_for_both_begins_with_the_query_matrix_at_hand_and_two_with_equal_ones():
    visit = open_page().drag(W_query=[[2, 1], [0, 1]])
    choose(visit, "way", "one")
    np.testing.assert_array_equal(visit.values["W_query"], [[2, 1], [0, 1]])
    np.testing.assert_array_equal(visit.values["W_key"], [[2, 1], [0, 1]])
    choose(visit, "way", "two")
    np.testing.assert_array_equal(visit.values["W_key"], [[2, 1], [0, 1]])


def test_the_way_by_features_has_words_of_its_own_and_the_way_back_as_well():
    visit = choose(open_page(), "way", "features")
    assert visit.values["example"] == "fluffy_blue_creature"
    assert visit.values["W_query"].shape == (8, 2)
    choose(visit, "way", "one")
    assert visit.values["example"] == "orange_apple_phone"
    assert "ruler" in {part["kind"] for part in visit.parts}


def test_choosing_a_space_brings_its_matrix_for_both():
    visit = choose(open_page(way="one"), "start", "squashed")
    np.testing.assert_array_equal(visit.values["W_query"], SPACES["squashed"])
    np.testing.assert_array_equal(visit.values["W_key"], SPACES["squashed"])
    assert set(visit.badges) == {"by hand"}
    visit.drag(W_query=[[1, 0], [0, 3]], W_key=[[1, 0], [0, 3]])
    for of, badge in visit.stage["provenance"].items():
        assert (badge == "yours") == ("W_query" in of), of
    assert set(choose(visit, "start", "between").badges) == {"by hand"}


def test_choosing_an_example_brings_its_matrices():
    visit = open_page(example="fluffy_blue_creature").drag(W_query=np.ones((8, 2)).tolist())
    visit.at.selectbox(key="queries_keys.example").set_value("orange_apple_phone")
    visit.run()
    assert visit.values["way"] == "two"
    assert visit.values["W_query"].shape == (2, 2)
    assert visit.badges[0] == "by hand"


# Input that cannot be used -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a_b__c_d",
        "nan_0__0_1",
        "1e300_0__0_1",
        "inf_0__0_1",
        "101_0__0_0",
        "1_0",
        "1_0__0_1__1_1",
        "",
        "1__2",
        "_",
        "٣_0__0_1",
    ],
)
@pytest.mark.parametrize("which", ["W_query", "W_key"])
def test_a_matrix_that_cannot_be_read_is_left_out_in_one_sentence(which, text):
    visit = open_page(**{which: text})
    start = open_page().values[which]
    np.testing.assert_array_equal(visit.values[which], start)
    assert len(visit.at.warning) == (1 if text else 0) or len(visit.at.warning) == 1


@pytest.mark.parametrize("W", ["0_0__0_0", "1_1__1_1", "100_-100__100_100", "1e-300_0__0_1e-300", "-0_0__0_-0"])
@pytest.mark.parametrize("way", ["two", "one"])
def test_singular_zero_huge_and_tiny_matrices_are_matrices(W, way):
    visit = open_page(way=way, W_query=W, W_key=W)
    assert not visit.at.exception
    weights = visit.scope["trace"].weights
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert "nan" not in visit.text.lower()


def test_zero_matrices_make_everyone_look_at_everyone_alike():
    visit = open_page(W_query="0_0__0_0")
    np.testing.assert_allclose(visit.scope["trace"].weights, 1 / 3)


@pytest.mark.parametrize("count", [1, 2, 16])
def test_sentences_of_one_word_and_of_sixteen(count):
    words = ".".join(f"w{k}" for k in range(count))
    for address in ({}, {"way": "one"}, {"example": "own"}):
        visit = open_page(words=words, **address)
        assert not visit.at.warning
        assert visit.scope["trace"].weights.shape == (count, count)


def test_seventeen_words_are_refused():
    visit = open_page(words=".".join(f"w{k}" for k in range(17)))
    assert "17 words are too many" in visit.at.warning[0].value.replace("\\", "")
    assert visit.values["words"] == ("orange", "apple", "phone")


def test_a_word_that_comes_twice_has_one_vector_and_two_names():
    visit = open_page(words="apple.and.apple", example="orange_apple_phone")
    assert visit.scope["words"] == ["apple", "and", "apple₂"]
    assert len(visit.values["vectors"]) == 2
    np.testing.assert_array_equal(visit.scope["trace"].weights[0], visit.scope["trace"].weights[2])


def test_a_typed_matrix_is_taken_and_a_wrong_one_keeps_what_was_there():
    visit = open_page().open_editor("matrices")
    box = visit.at.text_area(key="queries_keys.rows.W_query")
    box.set_value("1/2 0\n0 2")
    visit.run()
    np.testing.assert_array_equal(visit.values["W_query"], [[0.5, 0], [0, 2]])
    for wrong in ("1 2 3\n4 5 6", "one two\nthree four", "nan 0\n0 1", "1e300 0\n0 1", "", "1/0 0\n0 1"):
        visit.at.text_area(key="queries_keys.rows.W_query").set_value(wrong)
        visit.run()
        np.testing.assert_array_equal(visit.values["W_query"], [[0.5, 0], [0, 2]])
        assert len(visit.at.error) == 1
        assert say("refused/kept") in visit.at.error[0].value.replace("\\", "")


def test_one_typed_matrix_holds_for_both():
    visit = open_page(way="one").open_editor("matrices")
    visit.at.text_area(key="queries_keys.rows.W_query").set_value("2 0\n0 1")
    visit.run()
    np.testing.assert_array_equal(visit.values["W_key"], [[2, 0], [0, 1]])


# Further and to take away ------------------------------------------------------------------------------


def open_fold(visit):
    visit.at.session_state["queries_keys.further"] = True
    return visit.run()


@pytest.mark.parametrize(
    "address", [{}, {"way": "one", "start": "stretched"}, {"example": "buy_an_apple"}, {"words": "w1.w2.w1"}]
)
def test_the_landscape_is_the_scores_that_the_asking_word_sees(address):
    visit = open_fold(open_page(**address))
    (_, rows), scope, values = visit.charts[0], visit.scope, visit.values
    asks = list(scope["words"]).index(values["word"])
    key = values["W_query"] if "way" in address else values["W_key"]
    query = np.array(scope["x"])[asks] @ values["W_query"]
    squares = rows[rows["kind"] == "square"]
    middles = np.stack([(squares["x"] + squares["x2"]) / 2, (squares["y"] + squares["y2"]) / 2], axis=1)
    heights = (middles @ key) @ query
    np.testing.assert_allclose(squares["shade"], heights / np.abs(heights).max(), atol=1e-9)
    levels = rows[rows["kind"] == "level"]
    for start, end in zip(levels[["x", "y"]].to_numpy(), levels[["x2", "y2"]].to_numpy(), strict=True):
        assert start @ key @ query == pytest.approx(end @ key @ query, abs=1e-9)
    assert set(rows[rows["kind"] == "word"]["name"]) == set(scope["table"])


def test_nothing_of_the_landscape_is_made_until_it_is_opened():
    assert not open_page().charts


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_the_product_of_the_matrices_says_which_feature_asks_for_which(orientation):
    visit = open_fold(open_page(example="fluffy_blue_creature", orientation=orientation))
    _, rows = visit.charts[0]
    asks, answers = ("row", "column") if orientation == "rows" else ("column", "row")
    found = {(row[asks], row[answers]): row["text"] for _, row in rows.iterrows() if row["text"] != "0"}
    assert found == {("noun", "adjective"): "10", ("place", "place"): "1"}


def test_zero_matrices_have_a_flat_landscape():
    _, rows = open_fold(open_page(W_query="0_0__0_0")).charts[0]
    assert (rows[rows["kind"] == "square"]["shade"] == 0).all()
    assert not (rows["kind"] == "level").any()


@pytest.mark.parametrize(
    "address",
    [
        {"way": "one", "start": "stretched"},
        {"way": "one", "W_query": "0_0__0_0"},
        {"example": "knight_in_shining"},
    ],
)
def test_the_programs_print_separation_and_mask_as_well(address):
    visit = open_page(**address)
    for program in visit.programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "program", "exec"), {"__name__": "program"})
        lines = [line.split() for line in printed.getvalue().splitlines()]
        if "way" in address:
            told = lines[-1][1]
            expected = visit.scope["separation"]
            assert told == "undefined" if np.isnan(expected) else float(told) == pytest.approx(expected, rel=1e-9)
        else:
            weights = [float(line[-1]) for line in lines if "→" in line]
            np.testing.assert_allclose(weights, visit.scope["trace"].weights.ravel(), atol=1e-12)


def test_what_travels_is_plain_json():
    for address in ({}, {"way": "one", "W_query": "0_0__0_0"}, {"example": "knight_in_shining"}):
        json.dumps(open_page(**address).stage)


def test_attending_in_a_space_is_the_cores_attention():
    trace = scaled_dot_product_attention(*[np.array([[2.0, 2.0], [0.0, 3.0]])] * 3)
    scope = open_page(way="one").scope
    np.testing.assert_allclose(scope["among_fruit"].context, trace.context)


def test_one_for_both_begins_with_the_space_that_is_marked():
    visit = Visit(PATH)
    choose(visit, "way", "one")
    np.testing.assert_array_equal(visit.values["W_query"], np.eye(2))
    assert (visit.values["start"], visit.badges[0]) == ("between", "by hand")


def test_a_matrix_that_was_made_serves_for_both():
    visit = Visit(PATH).drag(W_query=[[1, 0.5], [0, 2]])
    choose(visit, "way", "one")
    for name in ("W_query", "W_key"):
        np.testing.assert_array_equal(visit.values[name], [[1, 0.5], [0, 2]])
