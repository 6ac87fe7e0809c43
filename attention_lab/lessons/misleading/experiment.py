"""An experiment as a lesson: its question comes first, and what was counted waits for the answer."""

from collections.abc import Callable, Mapping
from copy import copy
from types import ModuleType
from typing import Any

from attention_lab import figure, language_models
from attention_lab.calculation import Results
from attention_lab.figure import Column
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from .fields import FIELDS, SMALL


def experiment(
    of: ModuleType,
    program: Callable[[State, Results], Mapping[str, Any]],
    first_text: Callable[[Results], str] = lambda _: "first",  # the section that says what to move first
    **hooks: Any,
) -> Lesson:
    """Return the lesson of one experiment; `hooks` are further ones of a lesson.

    Its module has the `CALCULATION` and its `constants`, the question `GUESS`, the `reachable_goals`, and the
    `names` that both may say, or `question_names` where the question says others; the `tables`; and the `columns`
    of the figure, in which what was counted over many texts waits for the answer.
    """

    def calculate(state: State) -> Results:
        return of.CALCULATION.run(state.scope(), of.constants(state))

    def predictions(state: State, now: Results) -> list[Prediction]:
        about = (state.experiment, state.opening, state.model, state.seed, state.other_seed)
        said = getattr(of, "question_names", of.names)(state)
        return [Prediction(of.GUESS, _asked_of(now), again=about, always=True, names=said)]

    def draw(state: State, now: Results, hidden: Hidden) -> list[Column]:
        sentence = figure.goals(
            state,
            of.reachable_goals(state),
            _asked_of(now),
            names=of.names(state),
            first=f"{state.experiment}/{first_text(now)}",
            none=state.text["nothing"],
            waits=hidden[0],
        )
        return [sentence, *of.columns(state, not hidden[0])]

    return Lesson(
        "misleading",
        FIELDS,
        calculate=calculate,
        draw=draw,
        predictions=predictions,
        tables=lambda state: of.tables(state, calculate(state)),
        program=lambda state: program(state, calculate(state)),
        arrays=lambda state, _: {} if state.experiment in SMALL else language_models.arrays(state.model),
        **hooks,
    )


def _asked_of(now: Results) -> Results:
    """The results without the words that a hand exchanges or chooses: a question does not change with them."""
    result = copy(now)
    for name in ("word", "words"):
        result.pop(name, None)
    return result
