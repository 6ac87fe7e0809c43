"""Questions as a page that stands alone asks them: the browser judges what the reader predicts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from attention_lab.calculation import NO_CALCULATION, Results
from attention_lab.calculation.expressions import path_of
from attention_lab.calculation.recording import steps_of
from attention_lab.figure.payload import as_lists, json_text
from attention_lab.html_file.html_text import inline
from attention_lab.state.goals import ArgmaxQuestion
from attention_lab.state.predictions import Question, every_question, verdict
from attention_lab.state.state import State
from attention_lab.state.update import Predict, update
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.languages import speaking

ANSWERED = (None, None, "", "")  # a verdict that nobody reads
PREDICT = "predict"  # whether the reader wants to predict: a setting of every page


@dataclass(frozen=True)
class Asked:
    """All that a lesson asks in a `state` in which the reader wants to predict, and the `numbers` of its figure.

    Of the `questions`, in order, those without answers are None.
    """

    state: State
    numbers: Results
    questions: Sequence[Question | None]

    @property
    def open_numbers(self) -> range:
        """The numbers under which a question can be open; 0 where none is."""
        return range(len(self.questions) + 1)

    def with_open(self, number: int) -> State:
        """Return the state in which the question of this number is open; with 0 none is, and nobody predicts."""
        result = self.state if number else replace(self.state, values={**self.state.values, PREDICT: False})
        for place, question in enumerate(self.questions, 1):
            if question and (place < number or not number):
                result = update(result, Predict(question.about, ANSWERED))
        return result

    def to_payload(self) -> list[dict[str, Any]]:
        """Return each question as the browser asks it and judges its answers.

        ``number`` counts the questions from 1; ``about`` tells those apart that are to be answered again. Of
        each of the ``answers`` the text and the reason are HTML; those that can't be chosen are null. The right
        one is the first whose condition in ``conditions`` holds, or that has the largest (``least``: the
        smallest) number of the ``row``, which is written in the ``form``. ``steps`` and ``constants`` are what
        the figure's calculation lacks for that.
        """
        with speaking(self.state.language):
            numbered = enumerate(self.questions, 1)
            return [_question(number, each, self.numbers) for number, each in numbered if each]


def asked(state: State) -> Asked:
    """Return all that a state's lesson asks, in its language; nothing where there is no figure."""
    state, lesson = replace(state, values={**state.values, PREDICT: True}), state.lesson
    if lesson.missing_file(state):
        return Asked(state, Results(NO_CALCULATION, {}), [])
    with speaking(state.language):
        now = lesson.calculate(state)
        return Asked(state, now, every_question(state, lesson.predictions(state, now)))


def texts() -> dict[str, str]:
    """What is said around questions, as HTML, with names to be filled in."""
    names = ["{answer}", "{said}"]
    verdicts = {"right": (0, 0), "wrong": (1, 0), "it_is": (None, 0), "undefined": (None, None)}
    return {name: inline(verdict(*places, "", names).strip()) for name, places in verdicts.items()} | {
        "ask": inline(ui_text("guess/ask", question="{question}")),
        "reveal": ui_text("guess/reveal"),
    }


def _question(number: int, question: Question, now: Results) -> dict[str, Any]:
    guess, numbers = question.prediction.guess, question.prediction.numbers
    answers = [
        [inline(escape_markdown(question.answers[place])), inline(question.because(place, "{value}"))]
        if place in question.options
        else None
        for place in range(len(question.answers))
    ]
    if isinstance(guess, ArgmaxQuestion):
        judged = {"row": guess.row, "least": guess.least, "form": "share" if guess.shares else "figure"}
    else:
        judged = {"conditions": [condition.to_payload() for _, condition in guess.answers]}
    known = steps_of(now.calculation)
    result = judged | {
        "number": number,
        "about": question.same_for_all,
        "always": question.prediction.always,
        "text": inline(question.text),
        "answers": answers,
        "steps": [step for step in steps_of(numbers.calculation) if step not in known],
        "constants": {
            name: as_lists(value)
            for name, value in numbers.constants.items()
            if now.constants.get(name) is not value
        },
    }
    return json.loads(json_text(result, path_of))
