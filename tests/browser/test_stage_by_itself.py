"""The figure without Python: put away and back, answered late, with data that it does not know."""

import json
import re

import pytest

from attention_lab import faults
from attention_lab.text import ui_text
from tests.browser.harness import AppServer
from tests.server.harness import wait_until

DATA = {
    "own": "", "page": "by itself", "title": "A stage", "pose": {"choice": 0}, "version": 0,
    "constants": {}, "calculation": [], "address": {}, "search": None, "provenance": "",
    "completed_goals": [], "results_hidden": False,
    "columns": [{"share": 1, "least": 100, "turn": 0, "parts": [
        {"kind": "options", "of": "choice", "label": "Choice", "options": ["a", "b", "c"], "descriptions": None},
    ]}],
}  # fmt: skip
FRAME = {"own", "columns", "constants", "calculation", "address"}  # what a change does not repeat
MOUNT = """([data, again]) => {
    const there = document.querySelector('[data-stage="by itself"]')?.parentElement;
    const host = again ? there : document.body.appendChild(document.createElement('div'));
    globalThis.sent = [];
    globalThis.triggered = [];
    globalThis.take_away = attention_lab.modules.stage.showStage({
        parentElement: host, data, setTriggerValue: (...said) => triggered.push(said),
        setStateValue: (_, events) => sent.push(events),
    }, '');
}"""
RECEIVE = """async lines => {
    globalThis.host ??= document.body.appendChild(document.createElement('div'));
    await attention_lab.modules.message.showFigure({
        parentElement: host, data: new TextEncoder().encode(lines.join('\\n')), setTriggerValue: () => {},
        setStateValue: (_, events) => sent.push(events),
    });
}"""
CHOSEN = "document.querySelector('[data-stage=\"by itself\"] input:checked').dataset.option"


@pytest.fixture
def page(open_file):
    return open_file("queries_keys")  # which has a ruler


def mount(page, /, *, again=False, **more):
    page.evaluate(MOUNT, [DATA | more, again])


def answer(page, **more):
    mount(page, again=True, **more)


def choose(page, place):
    page.locator(f"[data-option='choice {place}']").evaluate("option => option.click()")


def sent(page):
    return page.evaluate("sent.map(events => events.map(([number, { move }]) => [number, move]))")


def test_what_python_has_not_heard_of_outlives_the_stage(page):
    """Put away and back at once: the choice stands, and it is sent again."""
    mount(page)
    choose(page, 2)
    assert sent(page) == [[[1, {"choice": 2}]]]
    page.evaluate("take_away()")
    mount(page)
    assert page.evaluate(CHOSEN) == "choice 2"
    assert sent(page) == [[[1, {"choice": 2}]]]


def test_what_python_has_heard_of_is_not_done_again(page):
    mount(page)
    choose(page, 2)
    page.evaluate("take_away()")
    mount(page, version=1, pose={"choice": 1})
    assert page.evaluate(CHOSEN) == "choice 1"
    assert sent(page) == []


def test_another_page_or_other_words_take_nothing_over(page):
    for more in ({"page": "another"}, {"constants": {"words": ["other", "words"]}}):
        mount(page)
        choose(page, 2)
        page.evaluate("take_away()")
        mount(page, **more)
        assert page.evaluate(CHOSEN.replace("by itself", more.get("page", "by itself"))) == "choice 0"
        assert sent(page) == []
        page.evaluate("take_away()")


def test_a_room_knows_the_stage_that_is_left_when_another_is_taken_away(page):
    mount(page, room={"sharing_key": "", "begun": {}, "asked": {}})
    page.evaluate("globalThis.stays = attention_lab.modules.room_overlay.roomOverlay.stage")
    mount(page, room={"sharing_key": "", "begun": {}, "asked": {}})
    assert not page.evaluate("attention_lab.modules.room_overlay.roomOverlay.stage === stays")
    frames = page.evaluate("stays.frames")
    page.evaluate("take_away()")
    assert page.evaluate("attention_lab.modules.room_overlay.roomOverlay.stage === stays")
    page.wait_for_function("frames => stays.frames > frames", arg=frames)  # hands may have come meanwhile


def test_every_message_holds_all_that_python_has_not_acknowledged(page):
    mount(page)
    choose(page, 2)
    choose(page, 1)
    assert sent(page)[-1] == [[1, {"choice": 2}], [2, {"choice": 1}]]
    answer(page, version=1, pose={"choice": 2})
    assert page.evaluate(CHOSEN) == "choice 1", "what came later is done again"
    choose(page, 0)
    assert sent(page) == [[[2, {"choice": 1}], [3, {"choice": 0}]]]
    answer(page, version=3, pose={"choice": 0})
    choose(page, 2)
    assert sent(page) == [[[4, {"choice": 2}]]]


def test_a_frame_is_sent_once_and_asked_for_where_it_is_missing(page):
    change = {name: value for name, value in DATA.items() if name not in FRAME} | {"lang": "en", "frame": "a"}
    frame = {name: DATA[name] for name in FRAME} | {"animated": [], "arrays": {}}
    page.evaluate("globalThis.sent = []")
    page.evaluate(RECEIVE, [*map(json.dumps, (change, frame)), ""])
    assert page.evaluate(CHOSEN) == "choice 0"
    page.evaluate(RECEIVE, [json.dumps(change | {"pose": {"choice": 1}})])
    assert page.evaluate(CHOSEN) == "choice 1"
    choose(page, 2)
    page.evaluate(RECEIVE, [json.dumps(change | {"frame": "b"})])
    move = [1, {"move": {"choice": 2}, "rows": {}, "goals": []}]
    assert page.evaluate("sent") == [["a", move], ["", move]]


def test_an_undo_between_two_moves_stands_between_them(page):
    mount(page, room={"sharing_key": "", "begun": {}, "asked": {}})
    choose(page, 2)
    page.evaluate("attention_lab.modules.room_overlay.roomOverlay.stage.ask({ turn: -1 })")
    choose(page, 1)
    events = page.evaluate("sent.at(-1).map(([number, { move, turn }]) => [number, move ?? turn])")
    assert events == [[1, {"choice": 2}], [2, -1], [3, {"choice": 1}]]
    answer(page, version=2, pose={"choice": 0})
    assert page.evaluate(CHOSEN) == "choice 1"


def column(*parts):
    return {"columns": [{"share": 1, "least": 100, "turn": 0, "parts": list(parts)}]}


def test_an_operation_without_a_twin_is_named_in_the_figures_place(browser, page_file):
    page = browser.new_page()  # which may print errors
    page.goto(page_file("queries_keys").as_uri())
    page.locator("[data-stage] [data-pictured]").first.wait_for()
    mount(page, calculation=[["y", "doubled", []]])
    ((_, message),) = page.evaluate("triggered")
    assert re.match(r"the operation 'doubled' has no twin .*`export const doubled = …`", message)
    assert page.locator("body > div:last-child .stage").inner_text() == message
    assert len(message) < faults.LONGEST
    page.close()


def test_what_cannot_be_drawn_is_said_in_a_sentence_until_it_can(browser, page_file):
    page = browser.new_page()  # which may print errors
    page.goto(page_file("queries_keys").as_uri())
    page.locator("[data-stage] [data-pictured]").first.wait_for()
    stage = page.locator("[data-stage='by itself']")
    for more, named in [
        (column({"kind": "plain"}), "unknown part 'plain'"),
        (column({"kind": "heading", "text": ["of ", ["wrod"]]}), "unknown 'wrod'"),
    ]:
        mount(page, **more)
        assert stage.inner_text() == ui_text("stage/undrawn")
        ((kind, message),) = page.evaluate("triggered")
        assert kind == "fault"
        assert message.startswith(f"{named}; known are: ")
        answer(page)
        assert page.evaluate(CHOSEN) == "choice 0"
        page.evaluate("take_away()")
    mount(page)
    again = """data => attention_lab.modules.stage.showStage({
        parentElement: document.body.lastElementChild, data,
        setTriggerValue: () => {}, setStateValue: () => {},
    }, '')"""
    page.evaluate(again, {"given": {"far": None}})
    assert page.locator("body > div:last-child .stage").text_content() == ui_text("stage/undrawn")
    page.evaluate(again, DATA)
    assert page.evaluate(CHOSEN) == "choice 0"
    page.close()


BROKEN = '''
"""A page whose figure names what nobody gives."""

from attention_lab.calculation import record
from attention_lab.figure import Column, part
from attention_lab.lesson import Lesson
from attention_lab.widgets import figure_component, page_layout

columns = [Column([part("heading", text=["of ", ["wrod"]])])]
results = record(lambda s: None).run({})
lesson = Lesson("broken", (), calculate=lambda _: results, draw=lambda *_: columns, title=lambda _: "A figure")
page = page_layout.open_page(lesson)
figure_component.library()
figure_component.show(page, page.view())
'''


def test_a_fault_in_the_browser_is_told_in_the_terminal(open_page, tmp_path):
    script = tmp_path / "broken.py"
    script.write_text(BROKEN)
    with AppServer(script=script) as server:
        page = open_page("", server=server, allow=["unknown 'wrod'"], wait=False)
        page.get_by_text("can’t be drawn").wait_for()
        wait_until(lambda: "the figure of the page broken: unknown 'wrod'; known are:" in server.output())
        page.close()


BUY = ["buy", "an", "apple", "and", "an₂", "orange"]  # the second "an" has the vector of the first


def plane(**hand):
    """A plane on which the words of a table are moved, and the positions of a sentence are chosen."""
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
        "constants": {"words": BUY, "table": [*BUY[:4], "orange"], "ids": [0, 1, 2, 3, 1, 4]},
        "columns": [{"share": 1, "least": 300, "turn": 0, "parts": [marked]}],
    }


def pull(page, word, stage="by itself"):
    """Move a word by a key, and return what is sent to Python."""
    handle = page.locator(f"[data-stage='{stage}'] [data-handle='{word}']")
    handle.focus()
    handle.press("ArrowUp")
    page.wait_for_function("sent.length > 0")
    return page.evaluate("sent.pop().at(-1)[1].move")


def test_a_word_taken_hold_of_is_meant_where_it_stands_in_the_sentence(page):
    """Its row in the table is no position: of a word that comes again, its first position is meant."""
    mount(page, **plane(other="other"))
    for word, position in [("orange", 5), ("an", 1), ("buy", 0)]:
        move = pull(page, word)
        assert move["other"] == position
        assert "word" not in move
    assert list(pull(page, "apple")) == ["vectors"], "the word of interest is no other"
    page.evaluate("take_away()")
    mount(page, page="another", **plane(takes=True))
    assert pull(page, "orange", "another")["word"] == 5


RULER = {"kind": "ruler", "title": "How far", "of": ["far", 0], "what": "far", "low": 0, "high": 1, "marks": [
    {"name": "there", "of": "nowhere"},
]}  # fmt: skip
FAR = {
    "own": "queries_keys",
    "columns": [{"share": 1, "least": 100, "turn": 0, "parts": [RULER]}],
    "calculation": [["far", "row_sums", [{"of": ["rows"]}]]],
}


def test_what_is_undefined_is_said_and_is_not_nothing(page):
    """Null on the way: beside numbers and among those that something is computed with."""
    mount(page, **FAR, constants={"nowhere": None, "rows": [[1, None]]})
    numbers = page.locator("[data-stage='by itself'] [data-value]")
    assert numbers.all_text_contents() == ["undefined", "undefined"]
    assert {number.get_attribute("data-exact") for number in numbers.all()} == {"NaN"}
