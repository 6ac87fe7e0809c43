"""The position page: the shuffle test, what positions add, the table, rotary scores, what is refused."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import (
    cosine_similarity,
    load_example,
    load_gallery,
    load_language_model,
    rotate_by_position,
    sinusoidal_positions,
)
from attention_lab import export
from attention_lab.text.number_format import format_number
from tests.visit import LESSONS, NAMES, Visit

PATH = LESSONS[NAMES.index("position")]
EXAMPLES = ("dog_bites_man", "man_bites_dog")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_worked_vectors_come_out_in_either_order(name):
    example, scope = load_example(name), Visit(PATH, example=name.replace("_", "_5f_")).scope
    for place, word in enumerate(example.words):
        for made in (scope["as_given"].context, scope["back"]):
            np.testing.assert_allclose(made[place], example.expected[f"context {word}"], rtol=1e-12)


def test_dog_bites_man_the_other_way_round_is_man_bites_dog():
    there, back = (Visit(PATH, example=name.replace("_", "_5f_"), order="3_2_1").scope for name in EXAMPLES)
    assert [there["words"][w] for w in there["said"]] == list(back["words"])
    np.testing.assert_allclose(there["shuffled"].context, back["as_given"].context, rtol=1e-15)


@pytest.mark.parametrize("order", ["1_2_3", "3_2_1", "2_3_1", "3_1_2"])
def test_without_positions_the_vectors_are_the_same_to_rounding(order):
    visit = Visit(PATH, order=order)
    assert visit.scope["largest"] < 1e-14
    assert "tell_apart" not in visit.reached


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_with_positions_they_are_not(positions):
    scope = Visit(PATH, positions=positions, order="3_2_1").scope
    assert scope["largest"] > 0.1
    assert Visit(PATH, positions=positions).scope["largest"] == 0, "as given at first"
    assert Visit(PATH, positions=positions, strength="0", order="3_2_1").scope["largest"] < 1e-14


def test_a_place_adds_its_row_of_the_table():
    scope = Visit(PATH, positions="sinusoidal", strength="1.5", order="3_2_1").scope
    np.testing.assert_allclose(scope["placed"] - scope["x"], 1.5 * sinusoidal_positions(3, 4), atol=1e-15)
    np.testing.assert_allclose(
        scope["placed_now"][0] - scope["x"][0], 1.5 * sinusoidal_positions(3, 4)[2], atol=1e-15
    )


def test_the_goals_can_be_reached():
    visit = Visit(PATH)
    assert "shuffle" not in visit.reached
    visit.drag(order=[[2, 3, 1]])
    assert "shuffle" in visit.reached
    visit.drag(positions=1)
    assert "tell_apart" in visit.reached
    for width, far in (("16", "5"), ("64", "13")):
        assert "far_places" in Visit(PATH, width=width, near="1", far=far).reached


@pytest.mark.parametrize("width", ["4", "16", "64"])
def test_the_curve_depends_on_distance_alone(width):
    def curve(near):
        return next(rows for _, rows in Visit(PATH, width=width, near=near).charts if "who" in rows)["value"]

    np.testing.assert_allclose(curve("1")[:20], curve("11")[10:30], atol=1e-12)


def test_a_rotary_score_depends_on_distance_alone():
    visit = Visit(PATH)
    visit.at.session_state["position.rotary"] = True
    visit.run()
    score = next(rows for _, rows in visit.charts if "who" in rows)["value"]
    dog, man = load_example("dog_bites_man").embeddings[[0, 2]]
    by_hand = [rotate_by_position([dog], [22]) @ rotate_by_position([man], [20 + k]).T for k in range(5)]
    np.testing.assert_allclose(score[:5], np.ravel(by_hand), atol=1e-12)


@pytest.mark.parametrize(
    "order", ["1_1_2", "0_1_2", "1_2", "1_2_3_4", "a_b_c", "NaN_1_2", "1e300_1_2", "1.5_1_2", ""]
)
def test_a_broken_order_is_refused_in_one_line(order):
    visit = Visit(PATH, order=order)
    np.testing.assert_array_equal(visit.values["order"], [[1, 2, 3]])
    assert len(visit.at.warning) == (1 if order else len(visit.at.warning))


def typed(visit, sentence):
    visit.open_editor().at.text_input[0].set_value(sentence)
    return visit.run()


@pytest.mark.parametrize("sentence", ["dog", "dog dog dog", " ".join(f"w{i}" for i in range(16))])
def test_sentences_of_one_word_of_sixteen_and_of_the_same_word(sentence):
    visit = typed(Visit(PATH), sentence)
    n = len(sentence.split())
    visit.drag(order=[list(range(n, 0, -1))])
    assert visit.values["order"].shape == (1, n)
    assert visit.scope["largest"] < 1e-13
    assert "nan" not in visit.text.lower()
    for positions in (1, 2):
        scope = visit.drag(positions=positions).scope
        assert np.isfinite(scope["largest"])
        same_values = (
            positions == 2 and np.ptp(scope["x"], axis=0).max() == 0
        )  # then it does not matter who is asked
        assert (scope["largest"] < 1e-13) == (n == 1 or same_values)


def test_a_seventeenth_word_is_refused():
    visit = typed(Visit(PATH), " ".join(f"w{i}" for i in range(17)))
    assert "at most 16" in visit.at.error[0].value
    assert visit.values["words"] == ("dog", "bites", "man")


def test_vectors_of_length_zero_are_no_trouble():
    visit = Visit(PATH)
    visit.at.session_state["position.rotary"] = True
    visit.drag(vectors=[[0.0] * 4] * 3)
    assert visit.scope["largest"] == 0
    assert "nan" not in visit.text.lower()


def test_whatever_order_the_browser_sends_is_an_order():
    visit = Visit(PATH)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.integers(0, 2))
    def any_order(order, positions):
        scope = visit.drag(order=[order], positions=positions).scope
        assert sorted(scope["said"]) == sorted(scope["stands"]) == [0, 1, 2]
        if not positions:
            assert scope["largest"] < 1e-14

    any_order()


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_programs_agree_with_the_page(library, positions, tmp_path):
    scope = Visit(PATH, positions=positions, order="2_3_1").scope
    given = {"words": ["it's", '"', "\\"], "vectors": scope["x"], "order": [1, 2, 0]}
    text = export.program(library, "position", given | {"positions": positions, "strength": 1.0})
    program = tmp_path / "position.py"
    program.write_text(text, encoding="utf-8")
    printed = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout
    largest = float(printed.splitlines()[-1].split()[-1])
    assert largest == pytest.approx(scope["largest"], abs=1e-12)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ({"order": "3_2_1"}, "Without positions, the weights are the same"),
        ({"positions": "sinusoidal", "order": "3_2_1"}, "With positions, the weights change"),
        ({"positions": "rotary", "order": "3_2_1"}, "With rotated queries and keys, the weights change"),
        (
            {"positions": "sinusoidal", "strength": "0", "order": "3_2_1"},
            "Without positions, the weights are the same",
        ),
        ({"positions": "sinusoidal"}, "Your order is the original one"),
    ],
)
def test_what_is_said_of_the_weights_is_true(address, told):
    visit = Visit(PATH, **address)
    scope = visit.scope
    given, mine = np.asarray(scope["as_given"].weights), np.asarray(scope["shuffled"].weights)
    stands = np.asarray(scope["stands"])
    same = np.allclose(mine[np.ix_(stands, stands)], given, atol=1e-12)
    assert told in visit.text
    assert same == ("the weights change" not in told)


def test_no_word_stands_at_the_origin_at_first():
    visit = Visit(PATH)
    plane = next(part for part in visit.parts if part["kind"] == "plane")
    points = np.array(visit.stage["pose"]["vectors"])[:, plane["columns"]]
    assert (np.linalg.norm(points, axis=1) >= 1).all()
    assert len({tuple(point) for point in points.tolist()}) == len(points)


def test_a_learned_table_stands_beside_the_sinusoids():
    learned = load_language_model().positions
    visit = Visit(PATH, width="learned", near="3", far="4")
    rows = next(rows for _, rows in visit.charts if "number" in rows)
    assert len(rows) == learned.size
    np.testing.assert_allclose(rows["shade"], learned.ravel() / np.abs(learned).max(), rtol=1e-6)
    curve = next(rows for _, rows in visit.charts if "who" in rows)["value"]
    np.testing.assert_allclose(curve, cosine_similarity(learned, learned)[2], rtol=1e-5)
    neighbours = np.diag(cosine_similarity(learned, learned), 1).mean()
    assert format_number(float(neighbours)) in visit.text
    assert neighbours > 3 * np.diag(cosine_similarity(learned, learned), 20).mean()
    assert visit.text.count("learned]") == 2, "the badges of both charts"
    assert visit.reached == [], "the goal is about the sinusoids"


def test_the_table_of_a_real_model_stands_there_too():
    real = load_gallery().positions.astype(float)
    visit = Visit(PATH, width="real", near="3", far="4")
    rows = next(rows for _, rows in visit.charts if "number" in rows)
    assert len(rows) == real[:, :64].size
    shades = np.reshape(list(rows["shade"]), (len(real), 64))
    full = np.quantile(np.abs(real), 0.98)
    np.testing.assert_allclose(shades, np.clip(real[:, :64] / full, -1, 1), rtol=1e-5)
    curve = next(rows for _, rows in visit.charts if "who" in rows)["value"]
    cosines = real @ real.T / np.outer(*[np.linalg.norm(real, axis=1)] * 2)
    np.testing.assert_allclose(curve, cosines[2], rtol=1e-5)
    for apart in (1, 16):
        assert format_number(float(np.diag(cosines, apart).mean())) in visit.text
