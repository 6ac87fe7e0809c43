"""The plan of a lesson: stops that fill the time, links that set a goal, answers that say what pages say."""

import math
import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

import attention_lab.lessons.lesson_plan as lesson
from attention_core import load_example, scaled_dot_product_attention, softmax
from attention_lab import text as prose
from attention_lab.course import goal_settings
from lab import ROOT
from tests.visit import EVERY, PAGES, Visit

PAGE = next(path for path in EVERY if path.stem == "2_lesson_plan")
PATHS = {path.stem.lstrip("0123456789_"): path for path in PAGES}


def stops(**address):
    visit = Visit(PAGE, **address)
    assert not visit.at.warning
    return lesson.stops(visit.state), visit


@pytest.mark.parametrize(("route", "minutes"), [("whole", 45), ("part_1", 45), ("sixty", 60), ("ninety", 90)])
def test_the_stops_take_the_minutes_of_the_plan_one_after_the_other(route, minutes):
    found, visit = stops(route=route)
    times = [stop.when.removeprefix("Minutes ").split("–") for stop in found]
    assert times[0][0] == "0"
    assert times[-1][1] == str(minutes)
    assert str(minutes) in visit.state.text[f"route/{route}"]
    assert [end for _, end in times[:-1]] == [begin for begin, _ in times[1:]]
    for stop in found:
        for said in (stop.when, stop.what, stop.ask, stop.misconception, stop.answer):
            assert said in visit.text


def test_the_card_says_the_commands_and_the_buttons_that_there_are():
    _, visit = stops(route="start")
    assert visit.state.text["card"] in visit.text
    buttons = prose.read("classroom")
    named = ("bar/ask", "bar/show", "bar/again", "bar/reveal", "bar/join_code", "record/download", "panel/undo")
    for name in named:
        assert f"*{buttons[name]}*" in visit.state.text["card"]


ALL = {stop.to.page: stop for route in lesson.ROUTES for stop in stops(route=route, guess="1")[0]}


@pytest.mark.parametrize("page", ALL)
def test_a_stop_opens_its_page_with_the_goal_set_and_a_guess_first(page):
    visit = Visit(ROOT / ALL[page].to.script, **ALL[page].settings)
    assert not visit.at.warning
    assert visit.values["goal"] == ALL[page].settings["goal"]
    assert visit.session.results_hidden
    link = urlsplit(ALL[page].path)
    assert link.path == ("./" if page == "home" else page)
    assert dict(parse_qsl(link.query)) == ALL[page].settings


@pytest.mark.parametrize("to", lesson.PAGES.values(), ids=lambda to: to.page)
def test_no_goal_outside_its_page_leaves_a_name_open(to):
    for sentence, _ in goal_settings(to.page, to.text):
        assert "…" not in sentence
        assert "{" not in sentence


@pytest.mark.parametrize("page", ["self_attention", "similarity", "train_a_head"])
def test_a_goal_outside_its_page_says_the_names_that_the_page_says(page):
    to = next(link for link in lesson.PAGES.values() if link.page == page)
    for sentence, settings in goal_settings(page, to.text):
        goals = next(part for part in Visit(PATHS[page], **settings).parts if part["kind"] == "goals")["goals"]
        texts = {goal["name"]: goal["text"] for goal in goals}
        assert re.sub("[*`]", "", sentence) == texts[settings["goal"]]


def test_each_stop_has_a_code_and_answers_open_where_they_are_wanted():
    found, visit = stops()
    codes = [
        p
        for told in visit.stages.values()
        for c in told["columns"]
        for p in c["parts"]
        if p["kind"] == "class_link"
    ]
    assert [code["path"] for code in codes] == [stop.path for stop in found]
    folds = [fold for fold in visit.at.expander if fold.label == prose.say("notes/answer")]
    assert len(folds) == len(found)
    assert not any(fold.proto.expanded for fold in folds)
    _, opened = stops(answers="1")
    assert all(f.proto.expanded for f in opened.at.expander if f.label == prose.say("notes/answer"))


def answer(page):
    return prose.read(page)["notes/answer"]


def test_the_numbers_in_answers_are_those_of_the_pages():
    home = Visit(PAGES[0]).scope
    share = home["trace"].weights[list(home["words"]).index("apple"), list(home["words"]).index("phone")]
    assert f"{share:.0%}" in answer("home")

    cosines = Visit(PATHS["similarity"]).scope
    (apple,) = [k for k, word in enumerate(cosines["words"]) if word == "apple"]
    assert sorted(np.round(np.delete(cosines["cosine"][apple], apple), 4)) == [0.7071, 0.7071]
    assert "0.7071" in answer("similarity")
    assert sorted(np.delete(cosines["dot"][apple], apple)) == [6, 8]
    assert "8 instead of 6" in answer("similarity")

    for scores in ([1.0, 2.0], [101.0, 102.0]):
        assert [f"{share:.1%}" in answer("softmax") for share in softmax(np.array(scores))] == [
            True,
            True,
        ]

    bank = Visit(PATHS["values"], example="money_5f_bank", word="bank").scope
    money, itself = bank["trace"].scaled_scores[1]
    assert f"{itself - money:.1f}" == "15.6"
    assert "1.39, not 15.6" in answer("values")
    assert f"{math.log(4):.2f}" in answer("values")
    assert f"{(itself - money) / math.log(4):.2f}" == "11.22"
    assert "11.22" in answer("values")


def test_without_the_word_that_tells_apple_stays_on_the_diagonal():
    example = load_example("buy_an_apple")
    kept = [k for k, word in enumerate(example.words) if word != "orange"]
    x = example.embeddings[kept]
    tech, fruit = scaled_dot_product_attention(x, x, x).context[[example.words[k] for k in kept].index("apple")]
    assert tech == pytest.approx(fruit, abs=0.01)
    assert "stays on the dotted line" in answer("embeddings")
