"""The values page: money bank and river bank in full, the sum in the hull, matrices typed in, what is refused."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import convex_hull, inside_hull, load_example
from attention_lab.state import permalink
from attention_lab.text import say
from tests.visit import LESSONS, NAMES, Visit

PATH = LESSONS[NAMES.index("values")]
MONEY, RIVER = load_example("money_bank"), load_example("river_bank")
TEMPERATURE = MONEY.expected["temperature"]
HOT = {"temperature": permalink.numeral(TEMPERATURE)}
WORKED = [(example, what, number) for example in (MONEY, RIVER) for what, number in example.expected.items()]


def money_bank(**address):
    return Visit(PATH, **({"example": "money_bank"} | address))


def visit_of(example, **address):
    return Visit(PATH, example=permalink.escape(example.name), **address)


@pytest.mark.parametrize(("example", "what", "number"), WORKED, ids=[f"{e.name} {w}" for e, w, _ in WORKED])
def test_the_worked_numbers_are_on_the_page(example, what, number):
    named, _, at_temperature = what.partition(" at temperature")
    visit = visit_of(example, **(HOT if what.endswith("at temperature") else {}))
    scope, place = visit.scope, {word: row for row, word in enumerate(example.words)}
    kind, *words = named.replace("scaled score", "scaled").split()
    if kind == "temperature":
        assert number in [button["set"].get("temperature") for button in buttons(visit)]
        return
    found = {
        "query": scope["query"],
        "key": scope["key"],
        "score": scope["trace"].scores,
        "scaled": scope["scaled"],
        "weight": scope["trace"].weights,
        "context": scope["trace"].context,
    }[kind][tuple(place[word] for word in words)]
    np.testing.assert_allclose(found, number, rtol=1e-9, atol=1e-12)
    assert at_temperature == ""


def buttons(visit):
    return [button for part in visit.parts if part["kind"] == "presets" for button in part["buttons"]]


def test_the_scores_are_ten_and_thirty_two_exactly():
    assert money_bank().scope["trace"].scores[1].tolist() == [10.0, 32.0]


def test_the_articles_numbers_stand_beside_the_true_ones():
    visit = money_bank()
    told = visit.text
    for number in ("7.0711", "22.6274", "7.09", "22.69", "0.00000018", "0.99999982", "0.2", "0.8", "11.2215"):
        assert number in told, number
    assert "(7.60, 3.80)" in told
    columns = next(part for part in visit.parts if part["kind"] == "tally")["columns"]
    notes = {column["what"]: column["note"] for column in columns if "note" in column}
    assert set(notes) == {"scaled", "weight"}
    assert visit.stage["constants"]["printed_scaled"] == [7.09, 22.69]
    assert visit.stage["constants"]["printed_weights"] == [[0.2, 0.8]]
    np.testing.assert_allclose(visit.scope["printed_context"], [[7.6, 3.8]])


def test_at_one_bank_stays_and_at_the_articles_temperature_it_moves():
    visit = money_bank()
    np.testing.assert_allclose(visit.scope["trace"].context[1], [9, 3], atol=2e-6)
    visit.drag(temperature=TEMPERATURE)
    np.testing.assert_allclose(visit.scope["trace"].context[1], [7.6, 3.8], atol=1e-12)
    np.testing.assert_allclose(visit.scope["new"][1], [16.6, 6.8], atol=1e-12)
    assert visit.reached == ["one_fifth"]


def test_river_keeps_the_temperature_and_pulls_the_other_way():
    visit = money_bank(**HOT)
    visit.at.selectbox(key="values.example").select("river_bank")
    visit.run()
    assert visit.values["temperature"] == TEMPERATURE
    np.testing.assert_allclose(visit.scope["trace"].context[1], [8.00, 0.80], atol=0.005)
    assert "(8.00, 0.80)" in visit.text
    assert "printed" not in json.dumps(visit.stage)


def test_where_the_scores_come_from_is_told_in_57ths():
    visit = money_bank()
    assert not visit.at.get("latex")
    visit.at.session_state["values.matrices"] = True
    formulas = [formula.value for formula in visit.run().at.get("latex")]
    assert len(formulas) == 5
    assert r"\tfrac{1}{57}\begin{pmatrix} 8 & 24 \\ 14 & -15 \end{pmatrix}" in formulas[0]
    assert r"\tfrac{1}{57}\begin{pmatrix} 22 & 50 \\ 10 & 2 \end{pmatrix}" in formulas[1]
    assert formulas[3].rstrip("$\n ").endswith("= 10")
    assert formulas[4].rstrip("$\n ").endswith("= 32")


def test_the_editor_shows_57ths_and_takes_them():
    visit = money_bank()
    area = visit.open_editor("matrices").at.text_area(key="values.rows.W_query")
    assert area.value == "8/57  24/57\n14/57  -15/57"
    visit.at.text_area(key="values.rows.W_value").set_value("0 1\n-1/57 .5")
    visit.run()
    np.testing.assert_allclose(visit.values["W_value"], [[0, 1], [-1 / 57, 0.5]])
    assert set(visit.badges) == {"yours"}
    assert money_bank(**visit.link).stage["pose"] == visit.stage["pose"]


@pytest.mark.parametrize("typed", ["", "1 0", "1 0\n0 x", "nan 0\n0 1", "1e300 0\n0 1", "1 0 0\n0 1 0", "<b>"])
def test_a_matrix_that_cannot_be_one_is_refused_in_a_sentence(typed):
    visit = money_bank()
    visit.at.session_state["values.matrices_open"] = True
    visit.run()
    visit.at.text_area(key="values.rows.W_value").set_value(typed)
    visit.run()
    assert len(visit.at.error) == 1
    assert say("refused/kept") in visit.at.error[0].value.replace("\\", "")
    assert visit.at.text_area(key="values.rows.W_value").value == typed
    np.testing.assert_array_equal(visit.values["W_value"], np.eye(2))


@pytest.mark.parametrize("name", ["W_query", "W_key", "W_value"])
@pytest.mark.parametrize(
    "text", ["apple", "nan_0__0_1", "1e300_0__0_1", "1_0", "1_0_0__0_1_0", "101_0__0_1", "__", "1__1"]
)
def test_a_matrix_in_the_address_that_cannot_be_one_is_left_out(name, text):
    visit, plain = money_bank(**{name: text}), money_bank()
    assert len(visit.at.warning) == 1
    assert visit.stage["pose"] == plain.stage["pose"]


@pytest.mark.parametrize("text", ["0", "-1", "0.049", "100.1", "nan", "1e300", "warm"])
def test_a_temperature_there_is_not_is_left_out(text):
    visit = money_bank(temperature=text)
    assert len(visit.at.warning) == 1
    assert visit.values["temperature"] == 1.0


def test_a_singular_matrix_hands_over_nothing_and_nothing_breaks():
    visit = money_bank(W_value="0_0__0_0", W_query="1_2__2_4", W_key="0_0__0_0")
    assert not visit.at.warning
    np.testing.assert_array_equal(visit.scope["trace"].context, np.zeros((2, 2)))
    np.testing.assert_array_equal(visit.scope["trace"].weights, np.full((2, 2), 0.5))
    np.testing.assert_array_equal(visit.scope["new"], MONEY.embeddings)
    assert "NaN" not in json.dumps(visit.stage)


@pytest.mark.parametrize(
    ("goal", "address", "met", "missed"),
    [
        ("one_fifth", {}, {"temperature": "11.2215"}, {"temperature": "11"}),
        ("nothing_to_say", {}, {"W_value": "0.7_0__-0.2_0"}, {"W_value": "0.1_0__-0.02_0"}),
        ("all_the_same", {}, {"W_value": "0_0.6__0.67_0.53"}, {"W_value": "0_0.6__0.5_0.5"}),
        ("middle", {"example": "one_5f_head"}, {"temperature": "20"}, {"temperature": "5"}),
    ],
)
def test_goals_are_met_where_they_say(goal, address, met, missed):
    assert goal not in money_bank(**address, **missed).reached
    assert goal in money_bank(**address, **met).reached


def test_goals_on_the_matrix_ask_that_the_words_stay():
    assert money_bank(vectors="0_0.1__9_3").reached == []
    assert money_bank(vectors="9_3__9_3").reached == []


def test_moved_words_are_no_longer_those_of_the_article():
    visit = money_bank()
    assert visit.stage["constants"]["untouched"]
    assert visit.scope["printed_moves"]
    assert not visit.nudge().stage["constants"]["untouched"]
    assert not visit.scope["printed_moves"]


@pytest.mark.parametrize(("place", "verdict"), [(0, "The answer is “**less than one"), (2, "That is correct")])
def test_the_true_softmax_can_be_guessed(place, verdict):
    visit = money_bank(predict="1")
    assert "7.0711" in visit.text
    assert "0.00000018" not in visit.text
    assert "weights of" not in json.dumps(visit.stage)
    visit.at.button(key=f"values.guess.{place}").click()
    assert verdict in visit.run().text


def test_where_the_weights_are_no_riddle_lengths_are():
    visit = Visit(PATH, example="one_5f_head", predict="1")
    assert "longer than the longest" in visit.text
    visit.at.button(key="values.guess.0").click()
    assert "You predicted “yes”. The answer is “**no**”" in visit.run().text


def typed(visit, sentence):
    visit.open_editor().at.text_input[0].set_value(sentence)
    return visit.run()


def test_a_sentence_of_ones_own_may_say_a_word_twice():
    visit = typed(money_bank(), "money money bank")
    assert visit.values["words"] == ("money", "money", "bank")
    assert not visit.at.error
    np.testing.assert_array_equal(visit.scope["value"], [[2, 7], [2, 7], [9, 3]])
    assert set(visit.badges) == {"by hand"}, "both words stand where the example has put them"
    assert money_bank(**visit.link).stage["pose"] == visit.stage["pose"]


def test_sentences_of_one_word_of_sixteen_and_of_seventeen():
    visit = typed(money_bank(), "bank")
    np.testing.assert_allclose(visit.scope["trace"].context, [[9, 3]])
    typed(visit, " ".join(f"w{i}" for i in range(16)))
    assert len(visit.values["words"]) == 16
    typed(visit, " ".join(f"w{i}" for i in range(17)))
    assert len(visit.values["words"]) == 16
    assert "at most 16" in visit.at.error[0].value


def test_words_of_ones_own_have_nothing_to_do_with_the_article():
    visit = typed(money_bank(), "pear fig plum")
    assert not [button for button in buttons(visit) if "temperature" in button["set"]]
    assert "printed" not in json.dumps(visit.stage)
    assert "0.99999982" not in visit.text
    plane = next(part for part in visit.parts if part["kind"] == "plane" and not part.get("small"))
    assert plane["ranges"] == [[-2, 8], [-2, 8]]
    assert next(p for p in money_bank().parts if p["kind"] == "plane")["ranges"] != plane["ranges"]


def test_the_plane_holds_all_its_worked_vectors():
    for example in (MONEY, RIVER):
        (left, right), (low, high) = next(p for p in visit_of(example).parts if p["kind"] == "plane")["ranges"]
        for x, y in (*example.embeddings, example.expected["context bank at temperature"]):
            assert left <= x <= right
            assert low <= y <= high


numbers = st.floats(-100, 100).map(lambda x: round(x, 3))
matrices = st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=2, max_size=2)


def test_the_sum_never_leaves_the_hull_of_the_values():
    visit = money_bank()

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(matrices, matrices, st.floats(0.05, 20))
    def any_pose(vectors, W_value, temperature):
        visit.drag(vectors=vectors, W_value=W_value, temperature=temperature)
        scope = visit.scope
        assert inside_hull(scope["trace"].context, convex_hull(scope["value"])).all()
        np.testing.assert_allclose(scope["new"], scope["x"] + scope["trace"].context)

    any_pose()
