"""Similarity: the dot product, the cosine and the scaled dot product of words as arrows on a plane."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from attention_core import loadable_examples
from attention_lab import figure
from attention_lab.calculation import Results, Value, record
from attention_lab.calculation.operations import cosine_similarity, dot_product, ratio, scaled_dot_product
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import Goal, Guess
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_number, norm, products

OWN_PARTS = figure.OwnParts("similarity", Path(__file__).parent)
TRAINED = ("readable",)  # what was learned here is of these models
EXAMPLES = ("orange_apple_phone", "orange_apple_phone_and_an", *loadable_examples("learned_colours"))
MEASURES = ("dot", "cosine", "scaled")
LIMITS = {"dot": 16.0, "cosine": 1.0, "scaled": 12.0}  # where a cell's colour is full
COLUMNS = {"1-2": (0, 1), "1-3": (0, 2), "2-3": (1, 2)}
GOAL_NAMES = ("right_angle", "twice", "opposites")


def axes_offered(values: permalink.Values) -> list[str]:
    """The pairs of axes that there are."""
    return list(COLUMNS)[: 1 if values["vectors"].shape[1] == 2 else 3]


FIELDS = (
    *vocabulary.fields(EXAMPLES, word=("apple", "blue"), other=("phone", "green")),
    permalink.choice("measure", "the measure that leads", MEASURES),
    permalink.choice("axes", "the two axes the plane shows, from three", axes_offered),
    figure.goal_field(GOAL_NAMES),
)


def measures(s) -> None:
    """All pairs under each measure."""
    s.dot = dot_product(s.vectors, s.vectors)
    s.cosine = cosine_similarity(s.vectors, s.vectors)
    s.scaled = scaled_dot_product(s.vectors, s.vectors)
    s.of_lengths = ratio(s.dot[s.word, s.other], s.cosine[s.word, s.other])  # both lengths, multiplied


CALCULATION = s = record(measures, FIELDS, given=["words"])
OF_PAIR = {
    "dot": s.dot[s.word, s.other],
    "cosine": s.cosine[s.word, s.other],
    "scaled": s.scaled[s.word, s.other],
}
DOT, COSINE = OF_PAIR["dot"], OF_PAIR["cosine"]
GOALS = (
    Goal("right_angle", COSINE.within(0.005, of=0), tells={"dot": DOT}),
    Goal(
        "twice",
        DOT >= 2 * DOT.at_start,
        COSINE.within(0.02, of=COSINE.at_start),
        s.of_lengths >= 1.8 * s.of_lengths.at_start,
        tells={"dot": DOT, "cosine": COSINE},
    ),
    Goal("opposites", COSINE <= -0.98, tells={"cosine": COSINE}),
)
GUESS = Guess("largest_dot", s.dot[s.word])


def calculate(state: State) -> Results:
    """What follows from the vectors on screen."""
    return CALCULATION.run(state.scope(), {"words": state.words, "measure": state.measure})


def first_move(state: State) -> str:
    """What the ring lies on at first."""
    return state.other


def choose_word(state: State, word: str) -> permalink.Values:
    """Another word of interest; where it is the one compared with, the two change places."""
    return {"word": word} | ({"other": state.word} if word == state.other else {})


def figure_columns(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals; the words on their plane, beside them the measures and the formulas."""
    beside = [figure.pictured(live_measures(state)), with_numbers(state)]
    return [
        figure.goals(state, GOALS if state.word != state.other else (), now, names=twice(state, now)),
        figure.Column([figure.pictured(on_the_plane(state)), *what_is_drawn(state)], share=1.15, least=320),
        figure.Column(beside),
    ]


def twice(state: State, now: Results) -> dict[str, str]:
    """The chosen pair's first cosine, and twice its first dot product."""
    first = CALCULATION.run(state.scope(state.defaults()) | {"word": now.word, "other": now.other}, now.added)
    return {"cosine": f"{first[COSINE]:.2f}", "dot": format_number(2 * first[DOT])}


def on_the_plane(state: State) -> figure.Part:
    """The words as arrows under the hand; the other word's shadow falls on the word of interest."""
    word, other = s.vectors[s.word], s.vectors[s.other]
    flat = state.vectors.shape[1] == 2  # a shadow and an angle seen from the side would mislead
    shadow = (
        [figure.angle(word, other), figure.projection(other, onto=word, label=shadow_name(state))] if flat else []
    )
    words = figure.vectors(s.vectors, handles=True, focus=s.word, other=s.other)
    return figure.plane(state, state.worked_example.axes, [*shadow, words], columns=COLUMNS[state.axes])


def what_is_drawn(state: State) -> list[figure.Part]:
    """Of learned vectors: whose they are, and how much of their spread two directions show."""
    if not state.worked_example.learned:
        return []
    return [figure.remark(state.text.plain("drawn", **vocabulary.told_of_learned(state)))]


def shadow_name(state: State) -> figure.Text:
    """What the shadow on the plane is called."""
    return state.text.around("shadow", word=s.words[s.word], other=s.words[s.other])


def live_measures(state: State) -> figure.Part:
    """All pairs with their measures, following the hand."""
    columns = [{"head": state.text[f"measures/{name}"], "of": s[name]} for name in MEASURES]
    chosen = {"focus": s.word, "other": s.other, "leading": s.measure}
    return figure.part("pairs", head=state.text["measures/pair"], columns=columns, **chosen)


def with_numbers(state: State) -> figure.Part:
    """The formulas of the chosen pair with their present numbers."""
    axes = state.worked_example.axes
    a, b = f.name(s.words[s.word]), f.name(s.words[s.other])

    def at(word: Value, axis: int) -> f.Tree:
        return f.number(s.vectors[word, axis], ["factor ", s.words[word], f" {axes[axis]}"])

    def length(line: str, word: Value) -> f.Tree:
        return f.root(f.number(s.dot[word, word], [f"{line} square ", s.words[word]]))

    terms = [f.row(at(s.word, axis), "×", at(s.other, axis)) for axis in range(len(axes))]
    lengths = f.row(length("first", s.word), "×", length("second", s.other))
    over_lengths = f.fraction(f.number(DOT, "over lengths", result=True), lengths)
    over_root = f.fraction(f.number(DOT, "over root d", result=True), f.root(str(len(axes))))
    a_b = f.row(a, "·", b)
    lines = {
        "dot": f.row(a, "·", b, "=", f.joined("+", terms)),
        "cosine": f.row(f.fraction(a_b, f.row("‖", a, "‖", "‖", b, "‖")), "=", over_lengths),
        "scaled": f.row(f.fraction(a_b, f.root("d")), "=", over_root),
    }
    results = {name: f.number(of, f"line {name}", result=True) for name, of in OF_PAIR.items()}
    return figure.formulas(
        {name: f.row(line, "=", results[name]) for name, line in lines.items()}, leading=s.measure
    )


def measure_names(state: State) -> dict[str, str]:
    """What the measures are called."""
    return {name: state.text[f"measures/{name}_named"] for name in MEASURES}


def axes_names(state: State) -> dict[str, str]:
    """What the pairs of axes are called."""
    axes = state.worked_example.axes
    return {pair: " and ".join(axes[k] for k in COLUMNS[pair]) for pair in state.options("axes")}


def workings(state: State) -> Callable[[int, int], str]:
    """How the leading measure of two words, by their places, was made."""

    def made(a: int, b: int) -> str:
        first, second = state.vectors[a], state.vectors[b]
        dot = products(first, second)
        if state.measure == "cosine":
            return f"({dot}) ÷ ({format_number(norm(first))} × {format_number(norm(second))})"
        return f"({dot}) ÷ √{len(first)}" if state.measure == "scaled" else dot

    return made


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, words = calculate(state), state.words
    of_pairs = {title: pd.DataFrame(now[name], words, words) for name, title in measure_names(state).items()}
    return {"vectors": pd.DataFrame(state.vectors, words, state.worked_example.axes)} | of_pairs


def for_programs(state: State) -> dict[str, list | np.ndarray]:
    """What the programs begin with."""
    return {"words": list(state.words), "vectors": state.vectors}


def predictions(state: State, now: Results) -> list[Prediction]:
    """Which word has the largest dot product with the word of interest?"""
    return [Prediction(GUESS, now)]


LESSON = Lesson(
    "similarity",
    FIELDS,
    calculate=calculate,
    figure=figure_columns,
    predictions=predictions,
    first_move=first_move,
    tables=tables,
    program=for_programs,
    own_parts=OWN_PARTS,
    trained=TRAINED,
)
