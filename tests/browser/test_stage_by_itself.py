"""The stage without Streamlit around it: what it does when it is taken away and put back."""

import json

import pytest

from controls.stage.component import UNDRAWN
from tests.browser.harness import settled

DATA = {
    "page": "by itself", "title": "A stage", "pose": {"choice": 0}, "epoch": "first", "seq": 0,
    "given": {}, "calculation": [], "address": {}, "search": None, "arrived": False, "provenance": "",
    "ticks": [], "veil": False,
    "columns": [{"share": 1, "least": 100, "turn": 0, "parts": [
        {"kind": "options", "of": "choice", "label": "Choice", "options": ["a", "b", "c"], "says": None},
    ]}],
}  # fmt: skip
MOUNT = """data => {
    const host = document.body.appendChild(document.createElement('div'));
    globalThis.sent = [];
    globalThis.take_away = attention_lab.show({
        parentElement: host, data: JSON.stringify(data), setTriggerValue: () => {},
        setStateValue: (_, pose) => sent.push(pose),
    });
}"""
CHOSEN = "document.querySelector('[data-stage=\"by itself\"] input:checked').dataset.option"


@pytest.fixture
def page(open_page):
    page = open_page("softmax")
    settled(page)
    return page


def mount(page, /, **more):
    page.evaluate(MOUNT, DATA | more)


def choose(page, place):
    page.locator(f"[data-option='choice {place}']").evaluate("option => option.click()")


def sent(page):
    return page.evaluate("sent.map(({ choice, epoch, moved }) => [choice, epoch, moved])")


def test_what_python_has_not_heard_of_outlives_the_stage(page):
    """Taken away and put back at once, under another epoch: the choice stands, and Python is told again."""
    mount(page)
    choose(page, 2)
    assert sent(page) == [[2, "first", ["choice"]]]
    page.evaluate("take_away()")
    mount(page, epoch="second")
    assert page.evaluate(CHOSEN) == "choice 2"
    assert sent(page) == [[2, "second", ["choice"]]]


def test_what_python_has_heard_of_is_not_done_again(page):
    mount(page)
    choose(page, 2)
    page.evaluate("take_away()")
    mount(page, epoch="second", seq=1, pose={"choice": 1})
    assert page.evaluate(CHOSEN) == "choice 1"
    assert sent(page) == []


@pytest.mark.parametrize("more", [{"page": "another"}, {"given": {"words": ["other", "words"]}}])
def test_another_page_or_other_words_take_nothing_over(page, more):
    mount(page)
    choose(page, 2)
    page.evaluate("take_away()")
    mount(page, **more)
    assert page.evaluate(CHOSEN.replace("by itself", more.get("page", "by itself"))) == "choice 0"
    assert sent(page) == []


RULER = {"kind": "ruler", "title": "How far", "of": ["far", 0], "what": "far", "low": 0, "high": 1, "marks": [
    {"name": "there", "of": "nowhere"},
]}  # fmt: skip
FAR = {
    "columns": [{"share": 1, "least": 100, "turn": 0, "parts": [RULER]}],
    "calculation": [["far", "row_sums", ["rows"]]],
}


def test_what_is_undefined_is_said_and_is_not_nothing(page):
    """Null on the way: beside numbers and among those that something is computed with."""
    mount(page, **FAR, given={"nowhere": None, "rows": [[1, None]]})
    numbers = page.locator("[data-stage='by itself'] [data-value]")
    assert numbers.all_text_contents() == ["undefined", "undefined"]
    assert {number.get_attribute("data-exact") for number in numbers.all()} == {"NaN"}


def test_what_cannot_be_read_is_said_in_a_sentence_and_what_comes_then_is_drawn(open_page):
    page = open_page("softmax", allow=["SyntaxError"])
    settled(page)
    mount(page)
    again = """told => attention_lab.show({
        parentElement: document.body.lastElementChild, data: told,
        setTriggerValue: () => {}, setStateValue: () => {},
    })"""
    page.evaluate(again, '{"given": {"far": NaN}}')
    stage = page.locator("body > div:last-child .stage")
    assert stage.text_content() == UNDRAWN
    page.evaluate(again, json.dumps(DATA))
    assert page.evaluate(CHOSEN) == "choice 0"
