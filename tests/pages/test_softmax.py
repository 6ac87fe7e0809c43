"""The softmax page: its worked numbers, typed scores, what is left out, the two experiments."""

import numpy as np
import pandas as pd
import pytest

from attention_core import load_example, random_scores
from attention_lab.state import permalink
from attention_lab.text.number_format import format_number
from tests.visit import PATHS, LessonView, Visit, as_shown

PATH = PATHS["softmax"]
PULLED = "0_1_0_0_2.5"
EXAMPLES = ("an_apple_and_an_orange", "an_apple_phone")


def weights(view):
    return np.array(view.scope["weights"][0])


def typed(visit, text):
    return visit.open_editor("scores").fill("text_area", "scores_lines", text)


def test_worked_numbers_are_on_the_page():
    columns = {"score": "score", "weights_all": "weight, all words", "weights_nonzero": "weight, without zeros"}
    for name in EXAMPLES:
        example = load_example(name)
        view = LessonView(PATH, example=permalink.escape(name))
        words, scope, table = list(view.stage["constants"]["words"]), view.scope, view.tables["weights"]
        assert view.values["word"] == "apple"
        for what, number in example.expected.items():
            if isinstance(number, list):
                continue
            measure, _, word, *rest = what.split()
            of = {"cosine": "score", "weight": "weights_nonzero" if rest else "weights_all"}[measure]
            for found in (scope[of][0][words.index(word)], table[columns[of]][word]):
                assert found == pytest.approx(number, abs=1e-12), (name, what)
        for zeros, what in (("counted", "context apple"), ("out", "context apple without zeros")):
            view = LessonView(PATH, example=permalink.escape(name), zeros=zeros)
            for found in (view.scope["context"][0], view.tables["context vector"].to_numpy()[0]):
                assert found == pytest.approx(example.expected[what], abs=1e-12), (name, what)


def test_scores_are_cosines_until_a_bar_is_dragged():
    view = LessonView(PATH)
    before = view.scope["score"].tolist()
    view.drag(vectors=[[0, 0, 3], [2, 2, 0], [0, 0, 2], [3, 0.5, 0]])
    assert view.scope["score"].tolist() != before, "the cosines follow the vectors"
    view.drag(scores=[[0, 1, 0, 0, 2.5]])
    view.drag(vectors=[[0, 0, 3], [2, 2, 0], [0, 0, 2], [0, 3, 0]])
    assert view.scope["score"].tolist() == [[0, 1, 0, 0, 2.5]]
    view.drag(scores=[])
    assert view.scope["score"].tolist() == before
    assert "scores" not in view.link


def test_impossible_scores_from_the_browser_are_ignored():
    view = LessonView(PATH, scores=PULLED)
    for sent in ([[1, 2]], [[0, 1, 0, 0, "x"]], [[0, 1, 0, 0, None]], "no", 7, [[[1]]], [[1e999] * 5]):
        assert view.drag(scores=sent).stage["pose"]["scores"] == [[0, 1, 0, 0, 2.5]], sent


def test_other_words_begin_with_their_cosines():
    for name, value in (("word", "orange"), ("example", "an_apple_phone")):
        visit = Visit(PATH, scores=PULLED)
        assert visit.choose(**{name: value}).stage["pose"]["scores"] == []
    view = LessonView(PATH, scores=PULLED, example="own", words="pear.plum")
    assert view.stage["pose"]["scores"] == []
    assert len(view.notices) == 1, "five scores are not the scores of two words"


# Typed scores ------------------------------------------------------------------------------------------


def test_scores_can_be_typed():
    visit = Visit(PATH, scores=PULLED).open_editor("scores")
    lines = visit.at.text_area(key="softmax.scores_lines")
    assert lines.value == "an 0\napple 1\nand 0\nan₂ 0\norange 2.5"
    typed(visit, "an 1000\napple −1000\n.5\nan₂ 1/4\norange 0\n")
    assert visit.stage["pose"]["scores"] == [[1000, -1000, 0.5, 0.25, 0]]
    assert not visit.at.error
    assert visit.link["scores"] == "1000_-1000_0.5_0.25_0"


def test_refused_scores_say_why_and_keep_what_was_there():
    visit = Visit(PATH, scores=PULLED)
    for last, why in (
        ("orange −∞", "is infinite"),
        ("orange inf", "is infinite"),
        ("orange NaN", "Enter a number from −1000 to 1000"),
        ("orange 1001", "Enter a number from −1000 to 1000"),
        ("orange 1e309", "Enter a number from −1000 to 1000"),
        ("pear 1", "Enter “orange” and its score"),
        ("", "Words: 5. Lines: 4."),
    ):
        lines = f"an 1\napple 1\nand 1\nan₂ 1\n{last}"
        error = typed(visit, lines).at.error[0].value
        assert why in as_shown(error)
        assert "\n" not in error
        assert visit.stage["pose"]["scores"] == [[0, 1, 0, 0, 2.5]]
        assert visit.at.text_area(key="softmax.scores_lines").value == lines, "it stays for correction"


# Extreme input -----------------------------------------------------------------------------------------


def test_one_word_gets_all_weight_and_equal_words_share_it():
    visit = Visit(PATH, example="own", words="apple")
    assert weights(visit).tolist() == [1]
    assert [visit.scope[name][0] for name in ("entropy", "most_bits")] == [0, 0]
    assert visit.unfold("triangle").at.info[0].value.startswith("The triangle needs three words")
    view = LessonView(PATH, vectors="__".join(["1_2_3"] * 4))
    assert weights(view) == pytest.approx([0.2] * 5)
    assert view.scope["context"][0] == pytest.approx([1, 2, 3])


# Goals and predictions ---------------------------------------------------------------------------------


def test_goals_count_what_they_ask_for_only():
    for moved, reached in (
        ({"scores": [[0, 0, 0, 0, 4]], "temperature": 0.9}, []),
        ({"scores": [[0, 0, 0, 0, 4]]}, ["eighty"]),
        ({"scores": [[0, 4, 0, 0, 0]]}, []),  # the word of interest itself
        ({"temperature": 0.11}, []),
        ({"temperature": 0.098}, ["cold"]),
        ({"temperature": 3.4}, []),
        ({"temperature": 3.8}, ["even"]),
        ({"temperature": 0.05, "scores": [[0, 3, 0, 0, 0]]}, []),  # not the example's own scores
        ({"temperature": 20, "scores": [[0, 0, 0, 0, 0]]}, []),
    ):
        assert LessonView(PATH).drag(**moved).reached == reached, moved


# The experiments ---------------------------------------------------------------------------------------


def test_triangle_shows_three_scores_on_their_path():
    visit = Visit(PATH, temperature="0.2")
    assert not visit.charts, "nothing is computed in a closed fold"
    _, data = visit.unfold("triangle").charts[0]
    assert list(data[data.kind == "corner"].text) == ["an", "apple", "orange"]
    point = data[data.kind == "point"].iloc[0]
    visit.drag(scores=[[0, 0, 0, 0, 3]])
    _, moved = visit.charts[0]
    assert moved[moved.kind == "point"].x.iloc[0] != point.x
    assert visit.badges[-1] == "yours"


def test_variances_of_random_scores_are_stated_undivided_and_divided():
    visit, drawn = Visit(PATH, d="256").unfold("root_d"), random_scores(256)
    assert visit.badges[-1] == drawn.provenance == "random"
    plain, divided = (format_number(each.variance) for each in (drawn.plain, drawn.divided))
    assert f"{plain} undivided, {divided} divided by √d" in visit.text


def test_sliding_d_keeps_the_samples_and_another_seed_draws_others():
    def curves():
        return pd.concat(data[["d", "scores", "value"]] for _, data in visit.charts if "now" in data)

    visit = Visit(PATH).unfold("root_d")
    first = curves()
    assert visit.fill("select_slider", "d", "1024").link["d"] == "1024"
    pd.testing.assert_frame_equal(curves(), first)
    visit.choose(seed="3")
    assert not curves().equals(first)


def test_closed_fold_keeps_the_settings_of_the_link():
    visit = Visit(PATH, d="16", seed="2").unfold("root_d")
    visit.at.session_state["softmax.root_d"] = False
    visit.run()
    visit.unfold("root_d")
    assert (visit.values["d"], visit.values["seed"]) == ("16", "2")
    assert visit.at.select_slider(key="softmax.d").value == "16"
