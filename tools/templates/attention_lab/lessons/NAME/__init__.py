"""TITLE: each word becomes a mixture of all words, most of those that it resembles."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import scaled_dot_product, softmax  # words
from attention_lab.calculation.operations import rows, scaled_dot_product, softmax  # sentence
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import ArgmaxQuestion, Goal
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

EXAMPLES = ("orange_apple_phone",)  # words
EXAMPLES = ("apple_unveiled", "buy_an_apple")  # sentence
LOW, HIGH = 0.1, 5.0
FIELDS = (
    *vocabulary.fields(EXAMPLES, word="apple", other="phone"),  # words
    *vocabulary.fields(EXAMPLES, word="apple", other=("phone", "orange"), sentence=True),  # sentence
    permalink.number("temperature", "what the scores are divided by", LOW, HIGH, 1.0, interactive=True),
    permalink.goal_field(["most_of_it", "while_warm"]),
)


def mixtures(s) -> None:
    """The scores of all pairs, their weights, and what these make of each word."""
    s.x = s.vectors  # words
    s.x = rows(s.vectors, s.ids)  # sentence
    s.scores = scaled_dot_product(s.x, s.x)
    s.weights = softmax(s.scores, s.temperature)
    s.context = s.weights @ s.x


CALCULATION = s = record(mixtures, FIELDS, constants=["words"])  # words
CALCULATION = s = record(mixtures, FIELDS, constants=vocabulary.CONSTANTS)  # sentence
WEIGHT = s.weights[s.word, s.other]
GOALS = (
    Goal("most_of_it", WEIGHT >= 0.8, names={"weight": (WEIGHT, "share")}),
    Goal("while_warm", WEIGHT >= 0.8, s.temperature >= 2, names={"weight": (WEIGHT, "share")}),
)
GUESS = ArgmaxQuestion("largest_weight", s.weights[s.word], shares=True)


def calculate(state: State) -> Results:
    """What follows from the vectors and the temperature on screen."""
    return CALCULATION.run(state.scope(), {"words": state.words})  # words
    return CALCULATION.run(state.scope(), vocabulary.lookup(state))  # sentence


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals; the words on their plane, beside it the slider and the formula."""
    slider = figure.slider(s.temperature, state.text["temperature"], axis="T", low=LOW, high=HIGH, ticks=(1, 2))
    goals = figure.goals(state, GOALS if len(set(state.words)) > 1 else (), now)
    return [goals, figure.Column([on_the_plane(state)], share=1.15), figure.Column([slider, with_numbers(state)])]


def on_the_plane(state: State) -> figure.Part:
    """The words under the hand, and the way of the word of interest to what it becomes."""
    words = figure.vectors(s.vectors, handles=True, focus=s.word, other=s.other)  # words
    words = figure.vectors(s.vectors, names=s.table, through=s.ids, handles=True, focus=s.word, other=s.other)  # sentence
    way = figure.displacement(s.x[s.word], s.context[s.word], label=state.text["becomes"], result=True)
    return figure.plane(state, state.worked_example.axes, [words, way], low=-1, high=6)


def with_numbers(state: State) -> figure.Part:
    """The formula of one weight, with its present numbers."""
    pair = f.row(f.name(s.words[s.word]), "→", f.name(s.words[s.other]))
    score = f.number(s.scores[s.word, s.other], "line score", signed=False)
    above = f.power("e", f.row(score, "/", f.number(s.temperature, "line temperature")))
    below = f.row("Σ", f.power("e", f.row(state.text["score"], "/", "T")))
    weight = f.number(WEIGHT, "line weight", form="share", result=True)
    return figure.formulas({"weight": f.row(pair, "=", f.fraction(above, below), "=", weight)})


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, titles = calculate(state), state.text.parts("tables")
    found = {titles[name]: pd.DataFrame(now[name], now.words, now.words) for name in ("scores", "weights")}
    return found | {titles["context"]: pd.DataFrame(now.context, now.words, state.worked_example.axes)}


def for_programs(state: State) -> dict[str, list | np.ndarray | float]:
    """What the programs begin with."""
    now = calculate(state)
    return {"words": list(now.words), "vectors": now.x, "temperature": state.temperature}


LESSON = Lesson(
    "NAME",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=lambda _, now: [Prediction(GUESS, now)],
    first_move=lambda state, _: state.other,
    tables=tables,
    program=for_programs,
)
