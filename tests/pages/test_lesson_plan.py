"""The plan of a lesson: stops that fill the time, links that set a goal, answers that say what pages say."""

import math
import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

import attention_lab.teaching.lesson_plan as lesson
from attention_core import load_example, scaled_dot_product_attention, softmax
from attention_lab import text as prose
from attention_lab.course import goal_settings
from tests.visit import EVERY, PATHS, LessonView, Visit

PAGE = next(path for path in EVERY if path.stem == "2_lesson_plan")


def stops(**address):
    state, notices = lesson.LESSON.parse(address)
    assert not notices
    return lesson.stops(state)


def answers_open(visit):
    """Whether each answer on the page is open."""
    folds = [fold for fold in visit.at.expander if fold.label == prose.ui_text("notes/answer")]
    return [fold.proto.expanded for fold in folds]


@pytest.mark.parametrize(("route", "minutes"), [("whole", 45), ("part_1", 45), ("sixty", 60), ("ninety", 90)])
def test_the_stops_take_the_minutes_of_the_plan_one_after_the_other(route, minutes):
    visit, found = Visit(PAGE, route=route), stops(route=route)
    assert not visit.at.warning
    times = [stop.when.strip("* min").split("–") for stop in found]
    assert (times[0][0], times[-1][1]) == ("0", str(minutes))
    assert str(minutes) in visit.state.text[f"route/{route}"]
    assert [end for _, end in times[:-1]] == [begin for begin, _ in times[1:]]
    for stop in found:
        for said in (stop.when, stop.what, stop.ask, stop.misconception, stop.answer):
            assert said in visit.text
    parts = [part for told in visit.stages.values() for c in told["columns"] for part in c["parts"]]
    codes = [part["path"] for part in parts if part["kind"] == "class_link"]
    assert codes == [stop.path for stop in found]
    assert answers_open(visit) == [False] * len(found)


def test_answers_open_where_they_are_wanted():
    assert answers_open(Visit(PAGE, answers="1")) == [True] * len(stops())


def test_the_card_says_the_buttons_that_there_are():
    visit = Visit(PAGE, route="start")
    card, buttons = visit.state.text["card"], prose.read("classroom")
    assert card in visit.text
    named = ("bar/ask", "bar/show", "bar/again", "bar/reveal", "bar/join_code", "record/download", "panel/undo")
    for name in named:
        assert f"*{buttons[name]}*" in card


def test_a_stop_opens_its_page_with_the_goal_set_and_a_guess_first():
    for stop in [stop for route in lesson.ROUTES for stop in stops(route=route, guess="1")]:
        page, settings = stop.to.page, stop.settings
        view = LessonView(PATHS[page], **settings)
        assert not view.notices, page
        assert view.values["goal"] == settings["goal"]
        assert view.view.results_hidden, page
        link = urlsplit(stop.path)
        assert link.path == ("./" if page == "home" else page)
        assert dict(parse_qsl(link.query)) == settings


def test_a_goal_outside_its_page_leaves_no_name_open_and_says_what_the_page_says():
    for to in lesson.PAGES.values():
        for sentence, settings in goal_settings(to.page, to.text):
            assert not re.search("[…{]", sentence), to.page
            if to.page in ("self_attention", "similarity", "train_a_head"):  # whose goals name words
                goal = LessonView(PATHS[to.page], **settings).goals[settings["goal"]]
                assert re.sub("[*`]", "", sentence) == goal["text"]


def answer(page):
    return prose.read(page)["notes/answer"]


def test_the_numbers_in_answers_are_those_of_the_pages():
    home = LessonView(PATHS["home"]).scope
    words = list(home["words"])
    share = home["trace"].weights[words.index("apple"), words.index("phone")]
    assert f"{share:.0%}" in answer("home")

    pairs = LessonView(PATHS["similarity"]).scope
    apple = list(pairs["words"]).index("apple")
    assert sorted(np.round(np.delete(pairs["cosine"][apple], apple), 4)) == [0.7071, 0.7071]
    assert "0.707" in answer("similarity")
    assert sorted(np.delete(pairs["dot"][apple], apple)) == [6, 8]
    assert "8 instead of 6" in answer("similarity")

    for scores in ([1.0, 2.0], [101.0, 102.0]):
        assert all(f"{share:.1%}" in answer("softmax") for share in softmax(np.array(scores)))

    bank = LessonView(PATHS["values"], example="money_5f_bank", word="bank").scope
    money, itself = bank["trace"].scaled_scores[1]
    assert f"{itself - money:.1f}" == "15.6"
    assert "by ln 4 = 1.39, not by 15.6" in answer("values")
    assert f"{math.log(4):.2f}" in answer("values")
    assert f"{(itself - money) / math.log(4):.2f}" == "11.22"
    assert "11.22" in answer("values")


def test_without_the_word_that_tells_apple_stays_on_the_diagonal():
    example = load_example("buy_an_apple")
    kept = [k for k, word in enumerate(example.words) if word != "orange"]
    x = example.embeddings[kept]
    tech, fruit = scaled_dot_product_attention(x, x, x).context[[example.words[k] for k in kept].index("apple")]
    assert tech == pytest.approx(fruit, abs=0.01)
    assert "stays almost on the dotted line" in answer("embeddings")
