"""The similarity page: its worked numbers, one's own words, what is undefined."""

import json

import numpy as np
import pytest

from attention_core import load_example, load_language_model
from attention_lab.state import permalink
from attention_lab.text.number_format import format_number
from tests.visit import HOSTILE, LESSONS, NAMES, Visit

PATH = LESSONS[NAMES.index("similarity")]
EXAMPLES = ("orange_apple_phone", "orange_apple_phone_and_an")
WORKED = [
    (example, measure, a, b, number)
    for example in EXAMPLES
    for (measure, a, b), number in ((what.split(), n) for what, n in load_example(example).expected.items())
]


def cells(visit):
    """The heatmap's rows by pair."""
    _, data = visit.charts[0]
    return {(row["row"], row["column"]): row for row in data.to_dict("records")}


@pytest.mark.parametrize(("example", "measure", "a", "b", "number"), WORKED)
def test_the_worked_numbers_are_on_the_page(example, measure, a, b, number):
    visit = Visit(PATH, example=permalink.escape(example), measure=measure)
    i, j = visit.values["words"].index(a), visit.values["words"].index(b)
    assert visit.scope[measure][i][j] == pytest.approx(number, abs=1e-12)
    assert cells(visit)[a, b]["text"] == format_number(number)
    tables = [table.value for table in visit.open_drawer("table").at.table]
    table = next(table for table in tables if list(table.columns) == list(table.index))
    assert list(table.columns) == list(visit.values["words"])


def test_a_cell_says_how_its_number_was_made():
    assert cells(Visit(PATH))["apple", "phone"]["workings"] == "2 × 4 + 2 × 0"
    assert cells(Visit(PATH, measure="cosine"))["apple", "phone"]["workings"] == "(2 × 4 + 2 × 0) ÷ (2.828 × 4)"
    assert cells(Visit(PATH, measure="scaled"))["apple", "phone"]["workings"] == "(2 × 4 + 2 × 0) ÷ √2"
    assert cells(Visit(PATH, vectors="0_-3__2_2__4_0"))["orange", "apple"]["workings"] == "0 × 2 + (−3) × 2"


def test_twice_the_length_doubles_the_dot_product_and_keeps_the_cosine():
    visit = Visit(PATH)
    before = visit.scope
    visit.drag(vectors=[[0, 3], [2, 2], [8, 0]])
    assert visit.scope["dot"][1][2] == 2 * before["dot"][1][2]
    assert visit.scope["cosine"][1][2] == pytest.approx(before["cosine"][1][2])
    assert visit.reached == ["twice"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_twice_the_dot_product_lies_on_the_plane_from_wherever_the_words_stand(example):
    """Its sentence says numbers of the first arrows, also after the goal before has turned one of them."""
    visit = Visit(PATH, example=permalink.escape(example))
    goal, plane = (next(part for part in visit.parts if part["kind"] == kind) for kind in ("goals", "plane"))
    pose = visit.stage["pose"]
    vectors, pair = np.array(pose["vectors"]), [pose["word"], pose["other"]]
    low, high = np.array(plane["ranges"]).T
    for place in pair:
        arrow = vectors[place, : len(high)]
        vectors[place] *= min(max(low[k] / x, high[k] / x) for k, x in enumerate(arrow) if x)
    assert "twice" in visit.drag(vectors=vectors.tolist()).reached
    turned = np.array(pose["vectors"])
    turned[pair[1], :2] = [-turned[pair[0], 1], turned[pair[0], 0]]
    again = next(part for part in visit.drag(vectors=turned.tolist()).parts if part["kind"] == "goals")
    assert again["goals"][1]["text"] == goal["goals"][1]["text"]


def test_the_heatmap_follows_on_release_under_the_same_spec():
    visit = Visit(PATH)
    (spec, before), *_ = visit.charts
    visit.nudge()
    (same, after), *_ = visit.charts
    assert same == spec
    assert not after.equals(before)


def test_a_tick_stays_and_a_reset_keeps_it():
    visit = Visit(PATH).drag(vectors=[[0, 3], [2, -2], [2, 2]])
    assert visit.stage["completed_goals"] == ["right_angle"]
    visit.drag(vectors=[[0, 3], [2, 2], [4, 0]])
    assert visit.stage["completed_goals"] == ["right_angle"]


def test_a_vector_of_length_zero_is_undefined_and_nothing_breaks():
    visit = Visit(PATH, vectors="0_0__2_2__4_0", measure="cosine", word="orange").open_drawer("table")
    assert cells(visit)["orange", "apple"]["text"] == "undefined"
    assert cells(visit)["orange", "orange"]["text"] == "undefined"
    assert cells(visit)["apple", "phone"]["text"] == "0.7071"
    told = json.dumps(visit.stage)
    assert "NaN" not in told
    shown = visit.at.table[2].value.to_string()
    assert "undefined" in shown
    assert "nan" not in shown
    assert set(visit.reached) <= {"right_angle", "twice", "opposites"} - {"opposites"}


def test_a_guess_about_what_is_undefined_says_so():
    visit = Visit(PATH, vectors="0_0__2_2__4_0", predict="1", word="apple")
    visit.at.button(key="similarity.guess.0").click()
    visit.run()
    assert "The answer is “**phone**”" in visit.text


def test_right_and_wrong_guesses():
    for place, verdict in (
        (0, "You predicted “orange”. The answer is “**phone**”"),
        (2, "You predicted “**phone**”. That is correct"),
    ):
        visit = Visit(PATH, predict="1")
        visit.at.button(key=f"similarity.guess.{place}").click()
        assert verdict in visit.run().text


def test_a_new_word_of_interest_is_a_new_question():
    visit = Visit(PATH, predict="1")
    visit.at.button(key="similarity.reveal").click()
    assert not visit.run().stage["veil"]
    visit.at.selectbox(key="similarity.word").select("phone")
    assert visit.run().stage["veil"]


def typed(visit, text):
    visit.open_editor().at.text_area[0].set_value(text)
    return visit.run()


def test_words_can_be_added_renamed_and_removed():
    visit = typed(Visit(PATH), "pear 1 2\nphone 4 0")
    assert visit.values["words"] == ("pear", "phone")
    assert visit.values["example"] == "own"
    assert set(visit.badges) == {"yours"}
    np.testing.assert_array_equal(visit.scope["dot"], [[5, 4], [4, 16]])
    again = Visit(PATH, **visit.link)
    assert again.stage["pose"] == visit.stage["pose"]
    assert again.values["words"] == ("pear", "phone")


def test_own_words_may_have_three_axes():
    visit = Visit(PATH, example=permalink.escape(EXAMPLES[1]))
    typed(visit, "pear 1 2 3\nphone 4 0 0")
    again = Visit(PATH, **visit.link)
    assert again.stage["pose"] == visit.stage["pose"]
    assert again.values["vectors"].shape == (2, 3)


def test_hostile_words_are_shown_as_the_text_they_are():
    visit = typed(Visit(PATH), "\n".join(HOSTILE))
    assert visit.values["words"] == tuple(HOSTILE)
    assert not visit.at.error
    assert Visit(PATH, **visit.link).values["words"] == tuple(HOSTILE)
    assert {a for a, _ in cells(visit)} == set(HOSTILE)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", "1 to 16 words"),
        ("x" * 25, "at most 24"),
        ("x" * 500, "at most 24"),
        ("apple 1 1\napple 2 2", "appears twice"),
        ("\n".join(f"w{i} 1 1" for i in range(17)), "at most 16"),
        ("apple 1", "2 numbers"),
        ("apple nan 1", "from −1000 to 1000"),
    ],
)
def test_a_refusal_says_the_limit_and_keeps_what_was_there(text, limit):
    visit = Visit(PATH).nudge()
    before, address = visit.stage, visit.link
    typed(visit, text)
    assert len(visit.at.error) == 1
    said = visit.at.error[0].value
    assert limit in said.replace("\\", "")
    assert "\n" not in said
    assert "The previous values are unchanged." in said
    assert visit.at.text_area[0].value == text, "what was typed stays to be mended"
    assert visit.stage["pose"] == before["pose"]
    assert visit.stage["constants"] == before["constants"]
    assert visit.link == address
    typed(visit, "apple 1 1\nfig 2 2")
    assert not visit.at.error


def test_a_hostile_word_in_a_refusal_is_shown_as_text():
    visit = typed(Visit(PATH), "<b>$x$*y*`z` 1")
    assert "\\<b\\>\\$x\\$\\*y\\*\\`z\\`" in visit.at.error[0].value


def test_choosing_an_example_takes_its_words_whole():
    visit = typed(Visit(PATH), "pear 1 2\nphone 4 0")
    visit.at.selectbox(key="similarity.example").select(EXAMPLES[1])
    visit.run()
    assert visit.values["words"] == load_example(EXAMPLES[1]).words
    assert set(visit.badges) == {"by hand"}
    visit.at.selectbox(key="similarity.example").select(EXAMPLES[0])
    assert visit.run().link == {}


def test_three_axes_are_seen_two_at_a_time():
    visit = Visit(PATH, example=permalink.escape(EXAMPLES[1]), axes="2-3")
    plane = next(part for part in visit.parts if part["kind"] == "plane")
    assert (plane["axes"], plane["columns"]) == (["fruit", "grammar"], [1, 2])
    assert Visit(PATH, axes="2-3").at.warning


def test_vectors_far_outside_are_kept_at_full_precision():
    visit = Visit(PATH, vectors="0_3__-1000_1000__0.1234567890123_1e-9")
    assert visit.stage["pose"]["vectors"][1:] == [[-1000, 1000], [0.1234567890123, 1e-9]]
    assert not visit.at.warning


def test_a_goal_is_about_two_words():
    """No turn takes the cosine of a word with itself to a right angle."""
    for address in (
        {"example": "own", "words": "foo.bar.baz", "word": "foo", "other": "foo"},
        {"other": "apple"},
    ):
        goals = next(part for part in Visit(PATH, **address).parts if part["kind"] == "goals")
        assert not goals["goals"]
        assert "Choose two different words" in goals["none"]
    visit = Visit(PATH)
    visit.at.selectbox(key="similarity.word").select("phone")
    visit.run()
    assert (visit.values["word"], visit.values["other"]) == ("phone", "apple"), "the two change places"
    assert next(part for part in visit.parts if part["kind"] == "goals")["goals"]
    visit.at.selectbox(key="similarity.word").select("orange")
    visit.run()
    assert (visit.values["word"], visit.values["other"]) == ("orange", "apple")


def test_the_question_names_the_word_it_is_about():
    assert "largest dot product with *phone*" in Visit(PATH, word="phone", predict="1").text


def test_the_picture_taken_away_holds_the_measures():
    pictured = [part["kind"] for part in Visit(PATH).parts if part.get("pictured")]
    assert pictured == ["plane", "pairs"]


MOVED = [[1, 3], [2, 2], [4, 0]]


def test_a_drag_and_a_choice_in_one_run_are_both_kept():
    visit = Visit(PATH)
    visit.at.selectbox(key="similarity.word").select("phone")
    visit.send({"move": {"vectors": MOVED, "other": 0}})
    visit.run()
    assert (visit.values["word"], visit.values["other"]) == ("phone", "orange")
    assert visit.stage["pose"]["vectors"] == MOVED


def test_a_reset_in_the_same_run_as_a_drag_came_after_it():
    visit = Visit(PATH)
    visit.at.button(key="similarity.reset").click()
    visit.send({"move": {"vectors": MOVED}}).run()
    assert set(visit.badges) == {"by hand"}
    assert visit.stage["version"] == 1, "the stage need not send it again"
    assert visit.link == {}


def test_the_url_of_an_open_page_is_not_read():
    visit = Visit(PATH, vectors="0_1__2_2__2_2")
    visit.at.button(key="similarity.reset").click()
    visit.run()
    for address in ({"vectors": "0_1__2_2__2_2"}, {"word": "phone"}, {}):
        visit.at.query_params = address
        assert set(visit.run().badges) == {"by hand"}
        assert visit.link == {}
        assert visit.at.query_params == address, "nor is it written"


def test_a_link_followed_on_an_open_page_is_read_as_a_whole():
    visit = Visit(PATH, measure="cosine").nudge()
    visit.send({"link": f"?example={permalink.escape(EXAMPLES[1])}"}).run()
    assert visit.values["words"] == load_example(EXAMPLES[1]).words
    assert visit.values["measure"] == "dot"


def test_learned_words_of_one_kind_point_alike_and_a_readers_own_are_known():
    page, learned = Visit(PATH, example="learned_5f_colours"), load_example("learned_colours")
    cosine = page.scope["cosine"]
    alike = [cosine[a, b] for half in (range(3), range(3, 6)) for a in half for b in half if a < b]
    assert cosine[:3, 3:].max() < 0.01 < 0.4 < np.mean(alike), "colours on one side, textures on the other"
    assert set(page.badges) == {"learned"}
    words = load_language_model().words
    vectors = load_language_model().embeddings[[words.index(word) for word in learned.words]]
    spread = np.linalg.svd(vectors - vectors.mean(0), compute_uv=False) ** 2
    assert learned.learned.shares[:2].sum() == pytest.approx(spread[:2].sum() / spread.sum(), abs=1e-4)
    assert f"They hold {100 * learned.learned.shares[:2].sum():.1f}% of the variance" in json.dumps(page.stage)
    own = Visit(PATH, example="own", words="black.white.furry.shiny")
    assert set(own.badges) == {"learned"}
    assert own.scope["cosine"][0, 1] > own.scope["cosine"][0, 2]
