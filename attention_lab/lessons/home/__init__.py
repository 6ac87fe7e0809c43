"""Home: one small sentence the whole way, from words to new vectors, and the ways to the other pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from .calculation import AXES, CALCULATION, FIELDS, GIVEN, GOALS, GUESS, MATRICES, OWN_AXES, WORDS
from .stations import FOR_A_CLASS, PAGE_LINKS, the_path

__all__ = [
    "FIELDS",
    "FOR_A_CLASS",
    "GOALS",
    "GUESS",
    "PAGE_LINKS",
    "first_move",
]

OWN_PARTS = figure.OwnParts("home", Path(__file__).parent)


def calculate(state: State) -> Results:
    """What follows from the vectors on screen."""
    return CALCULATION.run(state.scope(), GIVEN)


def first_move(_: State) -> str:
    """What the ring lies on at first."""
    return "phone"


def figure_columns(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals; the whole path; below it how one new vector is mixed."""
    return [
        figure.goals(state, GOALS, now),
        figure.Column([figure.pictured(the_path(state))], least=figure.WHOLE_WIDTH),
        figure.Column(
            [new_vector(), figure.told(state.text.plain("told")), figure.remark(state.text["legend"])],
            share=1.4,
            least=420,
        ),
    ]


def new_vector() -> figure.Part:
    """How the new vector of the word that is followed is mixed, in numbers."""
    s = CALCULATION
    word = s.words[s.word]

    def taken(j: int) -> f.Tree:
        share = f.number(s.trace.weights[s.word, j], ["taken ", word, f" {WORDS[j]}"], result=True, form="share")
        return f.row(share, "×", f.index("v", f.name(s.words[j], role="value")))

    def made(k: int) -> f.Tree:
        return f.number(s.trace.context[s.word, k], ["new ", word, f" {OWN_AXES[k]}"], result=True)

    terms = f.joined("+", [taken(j) for j in range(len(WORDS))])
    return figure.formulas(
        {
            "mix": f.row(f.index("c", f.name(word, role="context")), "=", terms),
            "new": f.row("=", "(", made(0), ",", made(1), ")"),
        }
    )


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the picture."""
    now = calculate(state)
    own = {"query": now.query, "key": now.key, "value": now.value, "context": now.trace.context}
    square = {"scores": now.trace.scores, "weights": now.trace.weights}
    titles = state.text.parts("names")
    return {
        titles["embeddings"]: pd.DataFrame(state.vectors, WORDS, AXES),
        **{titles[name]: pd.DataFrame(numbers, WORDS, OWN_AXES) for name, numbers in own.items()},
        **{titles[name]: pd.DataFrame(numbers, WORDS, WORDS) for name, numbers in square.items()},
        **{name: pd.DataFrame(matrix, AXES, OWN_AXES) for name, matrix in MATRICES.items()},
    }


def for_programs(state: State) -> dict[str, list | np.ndarray]:
    """What the programs begin with."""
    return {"words": list(WORDS), "vectors": state.vectors, **MATRICES}


def predictions(state: State, now: Results) -> list[Prediction]:
    """To which word does the word of interest attend most?"""
    return [Prediction(GUESS, now)]


LESSON = Lesson(
    "home",
    FIELDS,
    calculate=calculate,
    figure=figure_columns,
    predictions=predictions,
    title=lambda state: state.text["figure"],
    first_move=first_move,
    tables=tables,
    program=for_programs,
    own_parts=OWN_PARTS,
)
