"""Every lesson as a value: what a link leads to and what its page shows, without Streamlit."""

import json
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from threading import Barrier

import numpy as np
import pytest

from attention_lab import faults
from attention_lab.calculation.read_cache import ReadCache
from attention_lab.lesson import Lesson, Views
from attention_lab.state import permalink
from attention_lab.state.update import Choose, Move, Predict, Redo, Reset, Undo, on_example
from lab import ROOT
from tests.visit import EVERY, PAGES, Visit, lesson_of, whole

ALONE = """
import json, sys
from importlib import import_module

sys.modules["streamlit"] = None  # importing it raises
for name in sys.argv[1:]:
    lesson = import_module(f"attention_lab.lessons.{name}").LESSON
    state, notices = lesson.parse({"predict": "1"})
    assert not notices
    if lesson.figure:
        payload = json.loads(lesson.view(state).payload)
        assert payload["page"] == name and payload["columns"]
        assert lesson.tables(state) and lesson.program(state)
"""


COME_WITH_MORE = {"model", "opening", "task", "experiment", "text", "way"}  # choices that set other fields, too


def of_pages(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


def test_every_lesson_works_in_a_process_without_streamlit():
    names = [lesson_of(path).LESSON.name for path in EVERY]
    done = subprocess.run([sys.executable, "-c", ALONE, *names], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@of_pages(PAGES)
def test_a_page_sends_the_browser_what_its_lesson_shows(path):
    lesson, visit = lesson_of(path).LESSON, Visit(path)
    sent = visit.stage
    shown = json.loads(lesson.view(lesson.parse({})[0]).payload)
    for name in sent.get("arrays", {}):
        sent["constants"].pop(name)
    assert sent == shown


@of_pages(EVERY)
def test_a_link_leads_back_to_the_state_it_was_made_of(path):
    lesson, chance = lesson_of(path).LESSON, random.Random(path.stem)
    state, notices = lesson.parse({})
    assert not notices
    first = state
    for _ in range(12):
        state = lesson.update(state, random_event(state, chance))
        there, notices = lesson.parse(state.link)
        assert not notices
        for name, value in state.values.items():
            assert permalink.same(there.values[name], value), name
    while state.steps_back:
        state = lesson.update(state, Undo())
    for f in (f for f in lesson.fields if not f.shared):
        assert permalink.same(state.values[f.name], first.values[f.name]), f.name


def random_event(state, chance):
    """Something that a hand or a widget may do: a choice, a number moved, a step back or on, a reset."""
    f = chance.choice([f for f in state.fields if f.name not in COME_WITH_MORE])
    if f.name == "example":
        return Choose(on_example(state, chance.choice(list(state.options("example")))))
    value = state.values[f.name]
    if f.options:
        return Choose({f.name: chance.choice(list(f.options(state.values)))})
    if f.interactive and isinstance(value, np.ndarray) and value.size and f.name != "seats":
        moved = value.copy()
        moved[chance.randrange(len(moved)), 0] += 1
        return Move({f.name: moved.tolist()})
    return chance.choice([Undo(), Redo(), Reset(), Reset((f.name,))])


@of_pages(PAGES)
def test_a_page_shows_the_same_whatever_was_shown_before(path, monkeypatch):
    lesson, chance = lesson_of(path).LESSON, random.Random(path.stem)
    state = lesson.parse({})[0]
    for _ in range(16):
        shown = lesson.view(state)
        with monkeypatch.context() as fresh:
            fresh.setattr("attention_lab.lesson.VIEWS", Views())
            fresh.setattr("attention_lab.lesson.FRAMES", ReadCache(1, 0, lambda frame: 1))
            computed = lesson.view(state)
        assert shown.payload == computed.payload
        assert [each.about for each in shown.questions] == [each.about for each in computed.questions]
        state = lesson.update(after_seeing(shown), random_event(state, chance))


def test_moving_a_handle_sends_only_what_changes():
    lesson = next(lesson_of(path).LESSON for path in PAGES if path.stem.endswith("similarity"))
    state = lesson.parse({})[0]
    before = lesson.view(state)
    after = lesson.view(lesson.update(state, Move({"vectors": [[0, 3], [2, 2], [4, 1]]})))
    change = json.loads(after.message(before.frame.id))
    assert change["pose"]["vectors"] == [[0, 3], [2, 2], [4, 1]]
    assert not {"columns", "calculation", "constants"} & set(change)
    assert json.loads(whole(after.message("").decode())) == json.loads(after.payload)


def test_readers_who_ask_for_the_same_at_once_have_it_computed_once(monkeypatch):
    lesson = next(lesson_of(path).LESSON for path in PAGES if path.stem.endswith("similarity"))
    monkeypatch.setattr("attention_lab.lesson.VIEWS", Views())
    computed, together = [], Barrier(8)

    def calculate(state, of=lesson.calculate):
        computed.append(state)
        time.sleep(0.05)
        return of(state)

    def ask(_):
        together.wait()
        return lesson.view(lesson.parse({"example": "fruit_or_phone"})[0])

    monkeypatch.setitem(vars(lesson), "calculate", calculate)
    with ThreadPoolExecutor(8) as readers:
        views = list(readers.map(ask, range(8)))
    assert len(computed) == 1
    assert len({view.payload for view in views}) == 1


def after_seeing(view):
    """The state once a reader has seen a view."""
    return reduce(view.state.lesson.update, view.goals_in_sight, view.state)


def test_making_a_view_ticks_no_goal():
    lesson = next(lesson_of(path).LESSON for path in PAGES if path.stem.endswith("similarity"))
    state = after_seeing(lesson.view(lesson.parse({})[0]))
    view = lesson.view(lesson.update(state, Move({"vectors": [[0, 3], [3, 0], [0, 3]]})))
    assert view.state.completed_goals == set()
    assert after_seeing(view).completed_goals == {"right_angle"}


def test_no_goal_is_ticked_behind_an_open_question():
    lesson = next(lesson_of(path).LESSON for path in PAGES if path.stem.endswith("similarity"))
    state = after_seeing(lesson.view(lesson.parse({"predict": "1"})[0]))
    view = lesson.view(lesson.update(state, Move({"vectors": [[0, 3], [3, 0], [0, 3]]})))
    assert view.veil
    state = after_seeing(view)
    assert state.completed_goals == set()
    question = view.questions[-1]
    answered = lesson.update(state, Predict(question.about, question.judge(None)))
    assert after_seeing(lesson.view(answered)).completed_goals == {"right_angle"}


def test_a_misspelt_hook_is_named():
    with pytest.raises(faults.UnknownNameError, match=r"'first_moves' is not .* mean 'first_move'"):
        Lesson("page", (), first_moves=lambda state: "")


def test_a_language_that_is_not_there_is_named():
    lesson = lesson_of(PAGES[0]).LESSON
    with pytest.raises(faults.UnknownNameError, match="'xx' is not a language of the course"):
        lesson.view(lesson.parse({})[0], "xx")
