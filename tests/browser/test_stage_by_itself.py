"""The stage without Streamlit around it: what it does when it is taken away and put back."""

import pytest

from tests.browser.harness import settled

DATA = {
    "page": "by itself", "title": "A stage", "undrawn": "", "pose": {"choice": 0}, "epoch": "first", "seq": 0,
    "given": {}, "calculation": [], "address": {}, "search": None, "arrived": False, "provenance": "",
    "ticks": [], "veil": False,
    "columns": [{"share": 1, "least": 100, "turn": 0, "parts": [
        {"kind": "options", "of": "choice", "label": "Choice", "options": ["a", "b", "c"], "says": None},
    ]}],
}  # fmt: skip
MOUNT = """data => {
    const host = document.body.appendChild(document.createElement('div'));
    globalThis.sent = [];
    globalThis.take_away = attention_lab.modules.stage.show_stage({
        parentElement: host, data: JSON.stringify(data), setTriggerValue: () => {},
        setStateValue: (_, pose) => sent.push(pose),
    }, '');
}"""
CHOSEN = "document.querySelector('[data-stage=\"by itself\"] input:checked').dataset.option"


@pytest.fixture
def page(open_page):
    page = open_page("similarity")
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


BUY = ["buy", "an", "apple", "and", "an₂", "orange"]  # the second "an" has the vector of the first


def plane(**hand):
    """A plane on which the words of a table are moved, and the places of a sentence are chosen."""
    words = {"kind": "vectors", "of": "vectors", "names": "table", "role": "word", "handles": True}
    words |= {"focus": "word", "through": "ids"} | hand
    marked = {
        "kind": "plane",
        "title": "Words",
        "axes": ["a", "b"],
        "columns": [0, 1],
        "badge": False,
        "hint": "",
    }
    marked |= {"ranges": [[-5, 5], [-5, 5]], "marks": [words]}
    vectors = [[0, 1], [0, 0.5], [2, 2], [0.5, 0], [-2, 2]]
    return {
        "pose": {"vectors": vectors, "word": 2, "other": 3},
        "given": {"words": BUY, "table": [*BUY[:4], "orange"], "ids": [0, 1, 2, 3, 1, 4]},
        "columns": [{"share": 1, "least": 300, "turn": 0, "parts": [marked]}],
    }


def pull(page, word):
    """Move a word by a key, and wait until Python has heard of it."""
    handle = page.locator(f"[data-stage='by itself'] [data-handle='{word}']")
    handle.focus()
    handle.press("ArrowUp")
    page.wait_for_function("sent.length > 0")
    return page.evaluate("sent.pop()")


@pytest.mark.parametrize(("word", "place"), [("orange", 5), ("an", 1), ("buy", 0)])
def test_a_word_taken_hold_of_is_the_other_where_it_stands_in_the_sentence(page, word, place):
    """Its row in the table is no place: of a word that comes again, its first place is meant."""
    mount(page, **plane(other="other"))
    said = pull(page, word)
    assert said["other"] == place
    assert "word" not in said["moved"]


def test_the_word_of_interest_taken_hold_of_is_no_other(page):
    mount(page, **plane(other="other"))
    assert pull(page, "apple")["moved"] == ["vectors"]


def test_a_word_that_takes_the_interest_takes_it_where_it_stands(page):
    mount(page, **plane(takes=True))
    assert pull(page, "orange")["word"] == 5
