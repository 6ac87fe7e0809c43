"""The values page: money bank and river bank, the sum in the convex hull, matrices typed in, what is refused."""

import json

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import convex_hull, inside_hull, load_example
from attention_lab.state import permalink
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["values"]
MONEY, RIVER = load_example("money_bank"), load_example("river_bank")
TEMPERATURE = MONEY.expected["temperature"]
HOT = {"temperature": permalink.numeral(TEMPERATURE)}


def view_of(example="money_bank", **address):
    return LessonView(PATH, example=permalink.escape(example), **address)


def visit_of(example="money_bank", **address):
    return Visit(PATH, example=permalink.escape(example), **address)


def buttons(view):
    return [button for part in view.parts if part["kind"] == "presets" for button in part["buttons"]]


def test_worked_numbers_are_on_the_page():
    for example in (MONEY, RIVER):
        for what, number in example.expected.items():
            hot = what.endswith("at temperature")
            view = view_of(example.name, **(HOT if hot else {}))
            kind, *words = what.removesuffix(" at temperature").replace("scaled score", "scaled").split()
            if kind == "temperature":
                assert number in [button["set"].get("temperature") for button in buttons(view)]
                continue
            scope = view.scope
            trace = scope["trace"]
            found = {"score": trace.scores, "weight": trace.weights, "context": trace.context}
            found = found[kind] if kind in found else scope[kind]
            found = found[tuple(map(example.words.index, words))]
            np.testing.assert_allclose(found, number, rtol=1e-9, atol=1e-12, err_msg=f"{example.name} {what}")
    assert view_of().scope["trace"].scores[1].tolist() == [10.0, 32.0], "exactly"


def test_the_articles_numbers_stand_beside_the_true_ones():
    visit = visit_of()
    for number in ("7.07", "22.6", "7.09", "22.69", "0.000018%", "99.999982%", "0.2", "0.8", "11.2"):
        assert number in visit.text, number
    assert "(7.60, 3.80)" in visit.text
    notes = {column["what"] for column in visit.first("tally")["columns"] if "note" in column}
    assert notes == {"scaled", "weight"}
    assert visit.stage["constants"]["printed_scaled"] == [7.09, 22.69]
    assert visit.stage["constants"]["printed_weights"] == [[0.2, 0.8]]
    np.testing.assert_allclose(visit.scope["printed_context"], [[7.6, 3.8]])


def test_river_keeps_the_temperature_and_pulls_the_other_way():
    visit = visit_of(**HOT)
    visit.choose(example="river_bank")
    assert visit.values["temperature"] == TEMPERATURE
    np.testing.assert_allclose(visit.scope["trace"].context[1], [8.00, 0.80], atol=0.005)
    assert "(8.00, 0.80)" in visit.text
    assert "printed" not in json.dumps(visit.stage)


def test_matrices_are_shown_and_typed_in_57ths():
    visit = visit_of()
    assert not visit.at.get("latex")
    formulas = [formula.value for formula in visit.unfold("matrices").at.get("latex")]
    assert r"\tfrac{1}{57}\begin{pmatrix} 8 & 24 \\ 14 & -15 \end{pmatrix}" in formulas[0]
    assert r"\tfrac{1}{57}\begin{pmatrix} 22 & 50 \\ 10 & 2 \end{pmatrix}" in formulas[1]
    assert [formula.rstrip("$\n ").split("= ")[-1] for formula in formulas[3:]] == ["10", "32"]
    area = visit.open_editor("matrices").at.text_area(key="values.rows.W_query")
    assert area.value == "8/57  24/57\n14/57  -15/57"
    visit.fill("text_area", "rows.W_value", "0 1\n-1/57 .5")
    np.testing.assert_allclose(visit.values["W_value"], [[0, 1], [-1 / 57, 0.5]])
    assert set(visit.badges) == {"yours"}


def test_goals_count_what_they_ask_for_only():
    for goal, example, met, missed in (
        ("one_fifth", "money_bank", {"temperature": "11.2215"}, {"temperature": "11"}),
        ("nothing_to_say", "money_bank", {"W_value": "0.7_0__-0.2_0"}, {"W_value": "0.1_0__-0.02_0"}),
        ("all_the_same", "money_bank", {"W_value": "0_0.6__0.67_0.53"}, {"W_value": "0_0.6__0.5_0.5"}),
        ("middle", "one_head", {"temperature": "20"}, {"temperature": "5"}),
    ):
        assert goal in view_of(example, **met).reached
        assert goal not in view_of(example, **missed).reached
    for vectors in ("0_0.1__9_3", "9_3__9_3"):
        assert view_of(vectors=vectors).reached == [], "the words have to stay"


def test_moved_words_are_no_longer_those_of_the_article():
    view = view_of()
    assert view.stage["constants"]["untouched"]
    assert view.scope["printed_moves"]
    assert not view.nudge().stage["constants"]["untouched"]
    assert not view.scope["printed_moves"]


def test_no_button_gives_the_weights_away_before_the_prediction():
    assert "weights of" not in json.dumps(view_of(predict="1").stage)


def test_own_words_have_nothing_to_do_with_the_article():
    visit = visit_of().type_words("pear fig plum")
    assert not [button for button in buttons(visit) if "temperature" in button["set"]]
    assert "printed" not in json.dumps(visit.stage)
    assert "99.999982%" not in visit.text
    plane = next(part for part in visit.parts if part["kind"] == "plane" and not part.get("small"))
    assert plane["ranges"] == [[-2, 6], [-3, 5]] != view_of().first("plane")["ranges"]


def test_plane_holds_all_worked_vectors():
    for example in (MONEY, RIVER):
        (left, right), (low, high) = view_of(example.name).first("plane")["ranges"]
        for x, y in (*example.embeddings, example.expected["context bank at temperature"]):
            assert left <= x <= right
            assert low <= y <= high


numbers = st.floats(-100, 100).map(lambda x: round(x, 3))
matrices = st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=2, max_size=2)


def test_sum_never_leaves_the_convex_hull_of_the_values():
    view = view_of()

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(matrices, matrices, st.floats(0.05, 20))
    def any_pose(vectors, W_value, temperature):
        scope = view.drag(vectors=vectors, W_value=W_value, temperature=temperature).scope
        assert inside_hull(scope["trace"].context, convex_hull(scope["value"])).all()
        np.testing.assert_allclose(scope["new"], scope["x"] + scope["trace"].context)

    any_pose()
