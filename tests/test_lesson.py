"""Every lesson as a value: what a link leads to and what its page shows, without Streamlit."""

import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from threading import Barrier, get_ident

import numpy as np
import pytest

from attention_lab import faults
from attention_lab.calculation.read_cache import ReadCache
from attention_lab.course import lesson_module
from attention_lab.lesson import Lesson, Views
from attention_lab.state import permalink
from attention_lab.state.update import Move, Predict, Redo, Reset, SetFields, Undo, on_example
from lab import ROOT
from tests.visit import EVERY, lesson_of, received

ALONE = """
import json, sys
from importlib import import_module

sys.modules["streamlit"] = None  # importing it raises
for module in sys.argv[1:]:
    lesson = import_module(module).LESSON
    state, notices = lesson.parse({"predict": "1"})
    assert not notices
    if lesson.draw:
        payload = lesson.view(state).data
        assert payload["page"] == lesson.name and payload["columns"]
        assert lesson.tables(state) and (not lesson.exported(state) or lesson.program(state))
"""


COME_WITH_MORE = {"model", "opening", "task", "experiment", "text", "way"}  # choices that set other fields, too


LESSONS = [lesson_of(path).LESSON for path in EVERY]
DRAWN = [lesson for lesson in LESSONS if lesson.draw]
SIMILARITY = next(lesson for lesson in LESSONS if lesson.name == "similarity")


def test_every_lesson_works_in_a_process_without_streamlit():
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *map(lesson_module, EVERY)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_link_leads_back_to_the_state_it_was_made_of_and_undo_to_the_first_state():
    wrong = []
    for lesson in LESSONS:
        chance = random.Random(lesson.name)
        state, notices = lesson.parse({})
        assert not notices
        first = state
        for _ in range(12):
            state = lesson.update(state, random_event(state, chance))
            there, notices = lesson.parse(state.link)
            assert not notices
            wrong += [(lesson.name, name) for name in state.values if differ(there, state, name)]
        while state.undo_stack:
            state = lesson.update(state, Undo())
        own = (f.name for f in lesson.fields if not f.shared and f.name != "goal")
        wrong += [(lesson.name, name, "after undo") for name in own if differ(state, first, name)]
    assert wrong == []


def differ(state, other, name):
    return not permalink.same(state.values[name], other.values[name])


def random_event(state, chance):
    """Something that a hand or a widget may do: a choice, a number moved, a step back or on, a reset."""
    f = chance.choice([f for f in state.fields if f.name not in COME_WITH_MORE])
    if f.name == "example":
        return SetFields(on_example(state, chance.choice(list(state.options("example")))))
    value = state.values[f.name]
    if f.options:
        return SetFields({f.name: chance.choice(list(f.options(state.values)))})
    if f.interactive and isinstance(value, np.ndarray) and value.size and f.name != "seats":
        moved = value.copy()
        moved[chance.randrange(len(moved)), 0] += 1
        return Move({f.name: moved.tolist()})
    return chance.choice([Undo(), Redo(), Reset(), Reset((f.name,))])


def test_a_page_shows_the_same_whatever_was_shown_before(monkeypatch):
    for lesson in DRAWN:
        chance = random.Random(lesson.name)
        state = lesson.parse({})[0]
        for _ in range(16):
            shown = lesson.view(state)
            with monkeypatch.context() as fresh:
                fresh.setattr("attention_lab.lesson.VIEWS", Views())
                fresh.setattr("attention_lab.lesson.FRAMES", ReadCache(1, 0, lambda frame: 1))
                computed = lesson.view(state)
            assert shown.data == computed.data, lesson.name
            assert [each.about for each in shown.questions] == [each.about for each in computed.questions]
            state = lesson.update(after_seeing(shown), random_event(state, chance))


def test_moving_a_handle_sends_only_what_changes():
    state = SIMILARITY.parse({})[0]
    before = SIMILARITY.view(state)
    after = SIMILARITY.view(SIMILARITY.update(state, Move({"vectors": [[0, 3], [2, 2], [4, 1]]})))
    change = json.loads(after.message(before.frame.id))
    assert change["pose"]["vectors"] == [[0, 3], [2, 2], [4, 1]]
    assert not {"columns", "calculation", "constants"} & set(change)
    assert received(after.message(""))[0] == after.data


def test_a_views_payload_is_its_figure_as_bytes_of_json():
    view = SIMILARITY.view(SIMILARITY.parse({})[0])
    assert isinstance(view.payload, bytes)
    assert json.loads(view.payload) == view.data
    assert view.data["page"] == "similarity"


def test_readers_who_ask_for_the_same_at_once_have_it_computed_once(monkeypatch):
    views, computed, missed, waited = Views(), [], Barrier(8), set()
    monkeypatch.setattr("attention_lab.lesson.VIEWS", views)

    def calculate(state, of=SIMILARITY.calculate):
        computed.append(state)
        return of(state)

    def get(key, of=views._kept.get):
        """Look up a view; nobody goes on before all have missed it once."""
        found = of(key)
        if get_ident() not in waited:
            waited.add(get_ident())
            missed.wait(60)
        return found

    monkeypatch.setitem(vars(SIMILARITY), "calculate", calculate)
    monkeypatch.setattr(views._kept, "get", get)
    with ThreadPoolExecutor(8) as readers:
        shown = list(readers.map(lambda _: SIMILARITY.view(SIMILARITY.parse({})[0]).data, range(8)))
    assert len(computed) == 1
    assert all(each == shown[0] for each in shown)


def after_seeing(view):
    """The state once a reader has seen a view."""
    return reduce(view.state.lesson.update, view.goals_in_sight, view.state)


def with_a_right_angle(**address):
    """The view of similarity once the first goal is met, which was seen before it was."""
    state = after_seeing(SIMILARITY.view(SIMILARITY.parse(address)[0]))
    return SIMILARITY.view(SIMILARITY.update(state, Move({"vectors": [[0, 3], [3, 0], [0, 3]]})))


def test_making_a_view_ticks_no_goal():
    view = with_a_right_angle()
    assert view.state.completed_goals == set()
    assert after_seeing(view).completed_goals == {"right_angle"}


def test_no_goal_is_ticked_behind_an_open_question():
    view = with_a_right_angle(predict="1")
    assert view.results_hidden
    state = after_seeing(view)
    assert state.completed_goals == set()
    question = view.questions[-1]
    answered = SIMILARITY.update(state, Predict(question.about, question.judge(None)))
    assert after_seeing(SIMILARITY.view(answered)).completed_goals == {"right_angle"}


def test_a_misspelt_hook_is_named():
    with pytest.raises(faults.UnknownNameError, match=r"'first_moves' is not .* mean 'first_move'"):
        Lesson("page", (), first_moves=lambda state: "")
