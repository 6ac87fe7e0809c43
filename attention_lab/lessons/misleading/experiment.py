"""An experiment as a lesson: its question comes first, and what was counted waits for the answer."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Calculation, Results
from attention_lab.figure import Column
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from .fields import FIELDS


def experiment(
    calculation: Calculation,
    *,
    constants: Callable[[State], Mapping[str, Any]],
    question: ChoiceQuestion,
    goals: Callable[[State], Sequence[Goal]],  # those that can be reached here
    names: Callable[[State], Mapping[str, str]],  # what goals and the question may say
    question_names: Callable[[State], Mapping[str, str]] | None = None,  # where the question says others
    columns: Callable[[State, bool], Sequence[Column]],  # what was counted over many texts waits for the answer
    tables: Callable[[State, Results], Mapping[str, pd.DataFrame]],
    program: Callable[[State, Results], Mapping[str, Any]],
    first_text: Callable[[Results], str] = lambda _: "first",  # the section that says what to move first
    **hooks: Any,
) -> Lesson:
    """Return the lesson of one experiment; `hooks` are further ones of a lesson."""

    def calculate(state: State) -> Results:
        return calculation.run(state.scope(), constants(state))

    def predictions(state: State, now: Results) -> list[Prediction]:
        about = (state.experiment, state.opening, state.model, state.seed, state.other_seed)
        said = (question_names or names)(state)
        return [Prediction(question, _asked_of(now), again=about, always=True, names=said)]

    def draw(state: State, now: Results, hidden: Hidden) -> list[Column]:
        sentence = figure.goals(
            state,
            goals(state),
            _asked_of(now),
            names=names(state),
            first=f"{state.experiment}/{first_text(now)}",
            none=state.text["nothing"],
            waits=hidden[0],
        )
        return [sentence, *columns(state, not hidden[0])]

    return Lesson(
        "misleading",
        FIELDS,
        calculate=calculate,
        draw=draw,
        predictions=predictions,
        title=lambda state: state.text["figure"],
        tables=lambda state: tables(state, calculate(state)),
        program=lambda state: program(state, calculate(state)),
        **hooks,
    )


def _asked_of(now: Results) -> Results:
    """The results without the words that a hand exchanges or chooses: a question does not change with them."""
    result = copy(now)
    for name in ("word", "words"):
        result.pop(name, None)
    return result
