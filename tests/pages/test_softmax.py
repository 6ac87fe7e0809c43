"""The softmax page: its worked numbers, one's own scores, what is left out, the two experiments."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import entropy, load_example, random_scores, softmax
from attention_lab.state import permalink
from attention_lab.text.number_format import format_number
from tests.visit import LESSONS, NAMES, Visit, as_shown

PATH = LESSONS[NAMES.index("softmax")]
EXAMPLES = ("an_apple_and_an_orange", "an_apple_phone")
WORKED = [
    (example, what, number)
    for example in EXAMPLES
    for what, number in load_example(example).expected.items()
    if not isinstance(number, list)
]
CONTEXTS = [
    (example, zeros, load_example(example).expected[what])
    for example in EXAMPLES
    for zeros, what in (("counted", "context apple"), ("out", "context apple without zeros"))
]


def opened(visit, *folds):
    """Open the page's folds, as a reader would."""
    for fold in folds:
        visit.at.session_state[f"softmax.{fold}"] = True
    return visit.run()


def shares(visit, which="weights"):
    return np.array(visit.scope[which][0])


@pytest.mark.parametrize(("example", "what", "number"), WORKED)
def test_the_worked_numbers_are_on_the_page(example, what, number):
    visit = Visit(PATH, example=permalink.escape(example))
    measure, a, b, *rest = what.split()
    of = {"cosine": "score", "weight": "weights_nonzero" if rest else "weights_all"}[measure]
    words = list(visit.stage["constants"]["words"])
    assert visit.values["word"] == a
    assert visit.scope[of][0][words.index(b)] == pytest.approx(number, abs=1e-12)
    table = visit.tables["weights"]
    column = {"score": "score", "weights_all": "weight, all words", "weights_nonzero": "weight, without zeros"}[
        of
    ]
    assert table[column][b] == pytest.approx(number, abs=1e-12)


@pytest.mark.parametrize(("example", "zeros", "place"), CONTEXTS)
def test_apple_moves_where_the_article_says(example, zeros, place):
    visit = Visit(PATH, example=permalink.escape(example), zeros=zeros)
    assert visit.scope["context"][0] == pytest.approx(place, abs=1e-12)
    assert visit.tables["context vector"].to_numpy()[0] == pytest.approx(place, abs=1e-12)


def test_both_ways_with_zeros_are_on_the_page_at_once():
    panel = next(part for part in Visit(PATH).parts if part["kind"] == "bars")["panels"][-1]
    assert [line["of"] for line in panel["lines"]] == ["weights_all", "weights_nonzero"]
    assert panel["ghost"] == "weights_otherwise"


def test_cosines_until_a_bar_is_pulled_and_the_readers_own_from_then_on():
    visit = Visit(PATH)
    assert visit.stage["pose"]["scores"] == []
    before = visit.scope["score"].tolist()
    visit.drag(vectors=[[0, 0, 3], [2, 2, 0], [0, 0, 2], [3, 0.5, 0]])
    assert visit.scope["score"].tolist() != before, "the cosines follow the vectors"
    visit.drag(scores=[[0, 1, 0, 0, 2.5]])
    pulled = visit.scope["score"].tolist()
    assert pulled == [[0, 1, 0, 0, 2.5]]
    visit.drag(vectors=[[0, 0, 3], [2, 2, 0], [0, 0, 2], [0, 3, 0]])
    assert visit.scope["score"].tolist() == pulled, "one's own scores stay"
    visit.drag(scores=[])
    assert visit.scope["score"].tolist() == before
    assert "scores" not in visit.link


@pytest.mark.parametrize(
    "sent", [[[1, 2]], [[0, 1, 0, 0, "x"]], [[0, 1, 0, 0, None]], "no", 7, [[[1]]], [[1e999] * 5]]
)
def test_scores_that_cannot_be_are_not_taken_from_the_browser(sent):
    visit = Visit(PATH).drag(scores=[[0, 1, 0, 0, 2.5]])
    visit.drag(scores=sent)
    assert visit.stage["pose"]["scores"] == [[0, 1, 0, 0, 2.5]]


@pytest.mark.parametrize("change", [{"word": "orange"}, {"example": "an_apple_phone"}])
def test_another_word_or_example_begins_with_its_cosines(change):
    visit = Visit(PATH, scores="0_1_0_0_2.5")
    for name, value in change.items():
        visit.at.selectbox(key=f"softmax.{name}").select(value)
    visit.run()
    assert visit.stage["pose"]["scores"] == []


def test_other_words_of_ones_own_begin_with_their_cosines():
    visit = Visit(PATH, scores="0_1_0_0_2.5", example="own", words="pear.plum")
    assert visit.stage["pose"]["scores"] == []
    assert len(visit.at.warning) == 1, "five scores are not the scores of two words"


# Typed scores ------------------------------------------------------------------------------------------


def typed(visit, text):
    visit.at.session_state["softmax.scores_open"] = True
    visit.run()
    visit.at.text_area(key="softmax.scores_lines").set_value(text)
    return visit.run()


def test_scores_can_be_typed():
    visit = typed(Visit(PATH), "an 1000\napple −1000\n.5\nan₂ 1/4\norange 0\n")
    assert visit.stage["pose"]["scores"] == [[1000, -1000, 0.5, 0.25, 0]]
    assert not visit.at.error
    assert visit.link["scores"] == "1000_-1000_0.5_0.25_0"


def test_the_editor_shows_the_scores_as_they_are():
    visit = Visit(PATH, scores="0_1_0_0_2.5")
    visit.at.session_state["softmax.scores_open"] = True
    assert visit.run().at.text_area(key="softmax.scores_lines").value == "an 0\napple 1\nand 0\nan₂ 0\norange 2.5"


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ("orange -inf", "is infinite"),
        ("orange −∞", "is infinite"),
        ("orange inf", "is infinite"),
        ("orange NaN", "Enter a number from −1000 to 1000"),
        ("orange much", "Enter a number from −1000 to 1000"),
        ("orange 1001", "Enter a number from −1000 to 1000"),
        ("orange 1e309", "Enter a number from −1000 to 1000"),
        ("pear 1", "Enter “orange” and its score"),
        ("", "Words: 5. Lines: 4."),
    ],
)
def test_what_cannot_be_a_score_is_refused_in_a_sentence_and_nothing_is_lost(last, why):
    visit = Visit(PATH, scores="0_1_0_0_2.5")
    lines = f"an 1\napple 1\nand 1\nan₂ 1\n{last}"
    typed(visit, lines)
    assert why in as_shown(visit.at.error[0].value)
    assert "\n" not in visit.at.error[0].value
    assert visit.stage["pose"]["scores"] == [[0, 1, 0, 0, 2.5]]
    assert visit.at.text_area(key="softmax.scores_lines").value == lines, "what was typed can be mended"


# At the edges ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.05, 1, 20])
@pytest.mark.parametrize(
    "scores", [[1000] * 5, [-1000] * 5, [1000, -1000, 0, -1000, 1000], [0] * 5, [0.7] * 5, [1e-9, 0, 0, 0, 0]]
)
def test_extreme_scores_and_temperatures_are_shared_as_the_core_shares_them(scores, temperature):
    visit = Visit(PATH, scores="_".join(map(permalink.numeral, scores)), temperature=str(temperature))
    assert shares(visit) == pytest.approx(softmax(np.array(scores, float), temperature))
    assert shares(visit).sum() == pytest.approx(1)
    assert visit.scope["entropy"][0] == pytest.approx(entropy(shares(visit)))
    assert 0 <= visit.scope["entropy"][0] <= visit.scope["most_bits"][0] + 1e-12 == pytest.approx(np.log2(5))
    assert not visit.at.warning
    assert "nan" not in visit.tables["weights"].to_string()


def test_one_word_has_everything():
    visit = Visit(PATH, example="own", words="apple")
    assert shares(visit).tolist() == [1]
    assert (visit.scope["entropy"][0], visit.scope["most_bits"][0], visit.scope["largest_other"]) == (0, 0, 0)
    assert opened(visit, "triangle").at.info[0].value.startswith("The triangle needs three words")


def test_words_at_the_same_place_share_alike_and_the_mixture_stays_there():
    visit = Visit(PATH, vectors="__".join(["1_2_3"] * 4))
    assert shares(visit) == pytest.approx([0.2] * 5)
    assert visit.scope["context"][0] == pytest.approx([1, 2, 3])


def test_a_row_with_every_word_left_out_gives_zeros_and_says_why():
    visit = Visit(PATH, scores="0_0_0_0_0", zeros="out")
    assert shares(visit).tolist() == [0] * 5
    assert (visit.scope["entropy"][0], visit.scope["context"][0].tolist()) == (0, [0, 0, 0])
    told = next(
        column["parts"][0] for part in visit.parts if part["kind"] == "beside" for column in part["columns"][1:]
    )
    assert told["nothing"] == "Every score here is −∞, so all weights are zero and there is no average."
    assert opened(visit, "triangle").at.info


def test_a_vector_of_length_zero_leaves_its_word_out():
    visit = Visit(PATH, vectors="0_0_3__2_2_0__0_0_0__0_3_0")
    words = list(visit.stage["constants"]["words"])
    assert shares(visit)[words.index("and")] == 0
    assert shares(visit).sum() == pytest.approx(1)
    told = json.dumps(visit.stage)
    assert "NaN" not in told
    assert "A vector of length zero has no direction" in told
    shown = visit.open_drawer("table").at.table[0].value.to_string()
    assert "undefined" in shown
    assert "nan" not in shown


def test_any_scores_give_shares_that_add_up_and_an_address_that_leads_back():
    visit, again = Visit(PATH), Visit(PATH)
    five = st.lists(st.floats(-1000, 1000), min_size=5, max_size=5)

    @settings(max_examples=30)
    @given(five, st.floats(0.05, 20), st.sampled_from([0, 1]))
    def any_scores(scores, temperature, zeros):
        visit.drag(scores=[scores], temperature=temperature, zeros=zeros)
        total, scope = shares(visit).sum(), visit.scope
        assert total == pytest.approx(1) or (total == 0 and not np.isfinite(scope["counted"]).any())
        assert -1e-12 <= scope["entropy"][0] <= scope["most_bits"][0] + 1e-9
        again.arrive(**visit.link)
        assert again.stage["pose"] == visit.stage["pose"]

    any_scores()


# Goals and guesses -------------------------------------------------------------------------------------


def test_eighty_is_met_by_pulling_at_temperature_one_alone():
    visit = Visit(PATH).drag(scores=[[0, 0, 0, 0, 4]], temperature=0.9)
    assert visit.reached == []
    assert visit.drag(temperature=1).reached == ["eighty"]


def test_eighty_does_not_count_the_word_of_interest():
    assert Visit(PATH).drag(scores=[[0, 4, 0, 0, 0]]).reached == []


def test_cold_and_even_are_met_by_temperature_with_the_examples_own_scores():
    visit = Visit(PATH).drag(temperature=0.11)
    assert visit.reached == []
    assert visit.drag(temperature=0.098).reached == ["cold"]
    assert visit.drag(temperature=3.4).reached == []
    assert visit.drag(temperature=3.8).reached == ["even"]
    assert Visit(PATH).drag(temperature=0.05, scores=[[0, 3, 0, 0, 0]]).reached == []
    assert Visit(PATH).drag(temperature=20, scores=[[0, 0, 0, 0, 0]]).reached == []


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (0, "You predicted “zero”. The answer is “**more than 10%**”."),
        (2, "You predicted “**more than 10%**”. That is correct."),
    ],
)
def test_how_much_a_score_of_zero_gets(place, said):
    visit = Visit(PATH, predict="1")
    assert "has a score of 0 with *apple*" in visit.text
    visit.at.button(key=f"softmax.guess.{place}").click()
    assert said in as_shown(visit.run().text)


@pytest.mark.parametrize("address", [{"example": "own", "words": "pear.plum"}, {"scores": "1_2_3_4_5"}])
def test_where_no_little_word_has_zero_the_guess_is_about_lifting_all(address):
    visit = Visit(PATH, predict="1", **address)
    assert "Every score rises by 2" in visit.text
    visit.at.button(key="softmax.guess.1").click()
    assert "You predicted “**it stays the same**”. That is correct." in visit.run().text


# The experiments ---------------------------------------------------------------------------------------


def test_nothing_is_computed_in_a_closed_fold():
    assert not Visit(PATH).charts


def test_the_triangle_shows_three_scores_on_their_path():
    visit = opened(Visit(PATH, temperature="0.2"), "triangle")
    _, data = visit.charts[0]
    words = list(visit.stage["constants"]["words"])
    three = [words.index(word) for word in data[data.kind == "corner"].text]
    expected = softmax(np.array(visit.scope["score"][0])[three], 0.2)
    point = data[data.kind == "point"].iloc[0]
    assert point.shares == ", ".join(f"{words[j]} {100 * w:.1f}%" for j, w in zip(three, expected, strict=True))
    assert (data.kind == "path").sum() > 100
    visit.drag(scores=[[0, 0, 0, 0, 3]])
    _, moved = visit.charts[0]
    assert moved[moved.kind == "point"].x.iloc[0] != point.x
    assert visit.badges[-1] == "yours"


def test_random_scores_are_badged_and_their_variance_is_d_within_sampling_error():
    visit = opened(Visit(PATH, d="256"), "root_d")
    assert visit.badges[-1] == random_scores(256).provenance == "random"
    variance = next(data for _, data in visit.charts if "now" in data)
    now = variance[variance.now].set_index("scores").value
    rows = (random_scores(256).plain.scores ** 2).mean(axis=1)
    error = rows.std(ddof=1) / len(rows) ** 0.5
    assert abs(now["q · k"] - 256) < 4 * error
    assert abs(now["q · k ÷ √d"] - 1) < 4 * error / 256
    assert (
        f"{format_number(now['q · k'])} unscaled, {format_number(now['q · k ÷ √d'])} scaled by √d" in visit.text
    )


def test_sliding_d_keeps_the_samples_and_another_seed_draws_anew():
    visit = opened(Visit(PATH), "root_d")
    curves = [data[["d", "scores", "value"]] for _, data in visit.charts if "now" in data]
    visit.at.select_slider(key="softmax.d").set_value("1024")
    visit.run()
    assert visit.link["d"] == "1024"
    again = [data[["d", "scores", "value"]] for _, data in visit.charts if "now" in data]
    pd.testing.assert_frame_equal(pd.concat(again), pd.concat(curves))
    visit.at.selectbox(key="softmax.seed").select("3")
    visit.run()
    other = next(data for _, data in visit.charts if "now" in data)
    assert not other.value.equals(again[0].value)


def test_a_fold_that_is_closed_and_opened_again_keeps_its_settings():
    visit = opened(Visit(PATH, d="16", seed="2"), "root_d")
    visit.at.session_state["softmax.root_d"] = False
    visit.run()
    opened(visit, "root_d")
    assert (visit.values["d"], visit.values["seed"]) == ("16", "2")
    assert visit.at.select_slider(key="softmax.d").value == "16"
