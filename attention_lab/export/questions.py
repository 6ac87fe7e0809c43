"""Questions as a page that stands alone asks them: the browser judges what the reader predicts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from attention_lab.calculation import Results
from attention_lab.calculation.expressions import path_of
from attention_lab.calculation.recording import steps_of
from attention_lab.figure.conditions import condition_payload
from attention_lab.figure.payload import as_lists, json_text
from attention_lab.lesson import NO_CALCULATION
from attention_lab.state.goals import ArgmaxQuestion
from attention_lab.state.predictions import Question, every_question, verdict
from attention_lab.state.state import State
from attention_lab.state.update import Predict, update
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown

from .html_text import inline

ANSWERED = (None, None, "", "")  # a verdict that nobody reads
PREDICT = "predict"  # whether the reader wants to predict: a setting of every page


def predicting(state: State) -> State:
    """Return the state in which the reader wants to predict."""
    return replace(state, values={**state.values, PREDICT: True})


def with_open(state: State, number: int) -> State:
    """Return the state in which the question of this number is open; with 0 none is."""
    asking = predicting(state)
    result = asking if number else state
    for place, question in enumerate(_asked(asking)[1], 1):
        if question and (place < number or not number):
            result = update(result, Predict(question.about, ANSWERED))
    return result


def count(state: State) -> int:
    """How many questions there are at most."""
    return len(_asked(state)[1])


def to_payload(state: State) -> list[dict[str, Any]]:
    """Return each question in a state, in order, as the browser asks it and judges its answers.

    ``number`` counts the questions from 1; ``about`` tells those apart that are to be answered again. Of each of
    the ``answers`` the text and the reason are HTML; those that can't be chosen are null. The right one is the
    first whose condition in ``conditions`` holds, or that has the largest (``least``: the smallest) number of the
    ``row``. ``steps`` and ``constants`` are what the figure's calculation lacks for that.
    """
    now, asked = _asked(predicting(state))
    return [_question(number, each, now) for number, each in enumerate(asked, 1) if each]


def texts() -> dict[str, str]:
    """What is said around questions, as HTML, with names to be filled in."""
    names = ["{answer}", "{said}"]
    verdicts = {"right": (0, 0), "wrong": (1, 0), "it_is": (None, 0), "undefined": (None, None)}
    return {name: inline(verdict(*places, "", names).strip()) for name, places in verdicts.items()} | {
        "ask": inline(ui_text("guess/ask", question="{question}")),
        "reveal": ui_text("guess/reveal"),
    }


def _asked(state: State) -> tuple[Results, list[Question | None]]:
    """The numbers of a state's figure, and all its questions; none where there is no figure."""
    lesson = state.lesson
    if lesson.missing_file(state):
        return Results(NO_CALCULATION, {}), []
    now = lesson.calculate(state)
    return now, every_question(state, lesson.predictions(state, now))


def _question(number: int, question: Question, now: Results) -> dict[str, Any]:
    guess, numbers = question.prediction.guess, question.prediction.numbers
    answers = [
        [inline(escape_markdown(question.answers[place])), inline(question.because(place, "{value}"))]
        if place in question.options
        else None
        for place in range(len(question.answers))
    ]
    if isinstance(guess, ArgmaxQuestion):
        judged = {"row": guess.row, "least": guess.least}
    else:
        judged = {"conditions": [condition_payload(condition) for _, condition in guess.answers]}
    known = steps_of(now.calculation)
    result = judged | {
        "number": number,
        "about": question.same_for_all,
        "always": question.prediction.always,
        "text": inline(question.text),
        "answers": answers,
        "steps": [step for step in steps_of(numbers.calculation) if step not in known],
        "constants": {
            name: as_lists(value) for name, value in numbers.added.items() if now.added.get(name) is not value
        },
    }
    return json.loads(json_text(result, path_of))
