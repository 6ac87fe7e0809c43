"""Position: what becomes of words in another order, with and without a vector for each position."""

from typing import Any

import numpy as np
import pandas as pd

from attention_lab.calculation import Results
from attention_lab.charts import places
from attention_lab.lesson import Lesson, View
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import BY_FORMULA, State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_number

from . import calculation
from .calculation import FIELDS
from .parts import draw

DRAWN = 64  # numbers of a position vector

# The two orders ----------------------------------------------------------------------------------------


def in_words(state: State, now: Results) -> str:
    """What the order does to the weights, by the position information."""
    text = state.text
    moved = not np.array_equal(state.order, permalink.in_order(len(state.words)))
    known = state.positions if state.strength else "none"
    return text[f"core/{known if moved else 'as_given'}"]


def first_move(state: State, _: Results) -> str:
    """Return the tile that the ring marks at first: the second, since no move of it alone moves all words."""
    if len(set(state.words)) == 1:
        return ""
    return f"place {labels(state.words)[int(state.order[0][1]) - 1]}"


# The table ---------------------------------------------------------------------------------------------


def drawn_table(state: State) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table, the two chosen positions marked: data and spec. Of a wide one the first numbers are drawn.

    Colour is full at its largest number; in the real model's table, where one number towers, at all but the
    largest fiftieth.
    """
    vectors, texts = calculation.table(state.width)
    full = np.quantile(np.abs(vectors), 0.98 if state.width == calculation.REAL else 1)
    drawn = np.clip(vectors / full, -1, 1)[:, :DRAWN]
    texts = np.reshape(texts, vectors.shape)[:, :DRAWN].ravel().tolist()
    return places.table_rows(drawn, texts, (int(state.near), int(state.far))), places.table()


def table_fold(view: View) -> str:
    """Return the name of the table's fold: another one where the goal is about the table."""
    state = view.state
    asked = state.goal == "far_places" or len(calculation.reachable_goals(state)) == 1
    return "far_places" if asked else "position_vectors"


def begins_open(fold: str, state: State) -> bool:
    """Whether this fold of the table is open at first: for its goal, and where a link has set what is in it."""
    first = state.defaults()
    return fold == "far_places" or any(state.values[name] != first[name] for name in ("width", "near", "far"))


def section_of(state: State, section: str) -> str:
    """Return the section of the page's text on the chosen table."""
    return f"{section}/{state.width}" if state.width in calculation.LEARNED else section


def origin(state: State) -> str:
    """Return where the numbers of the table come from."""
    return "learned" if state.width in calculation.LEARNED else BY_FORMULA


def alike(state: State) -> tuple[pd.DataFrame, dict[str, Any]]:
    """How alike each position is to the near one, as a curve: data and spec."""
    shares = calculation.likeness(state.width)[int(state.near) - 1]
    marked = {int(state.near): state.near, int(state.far): state.far}
    spec = places.cosines() if state.width in calculation.LEARNED else places.alike()
    return places.curve_rows(shares, [*map(format_number, shares)], marked), spec


def alike_in_words(state: State) -> dict[str, str]:
    """The numbers of the two chosen positions, for the sentence about them."""
    vectors, cosines = calculation.table(state.width)[0], calculation.likeness(state.width)
    near, far = int(state.near) - 1, int(state.far) - 1
    numbers = {
        "alike": vectors[near] @ vectors[far],
        "own": vectors[near] @ vectors[near],
        "cosine": cosines[near, far],
        "distance_1": np.diag(cosines, 1).mean(),
        "distance_16": np.diag(cosines, calculation.PLACES // 2).mean(),
    }
    placeholders = {name: format_number(float(number)) for name, number in numbers.items()}
    return placeholders | {"near": state.near, "far": state.far, "width": str(vectors.shape[1])}


# Rotary positions --------------------------------------------------------------------------------------


def scores(state: State, pair: Results) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The score of the rotated query with the key at every position, as a curve: data and spec."""
    curve, marked = calculation.rotary_scores(pair), {int(state.asks_at): "q", int(state.answers_at): "k"}
    return places.curve_rows(curve, [*map(format_number, curve)], marked), places.score()


def score_in_words(state: State, pair: Results) -> dict[str, str]:
    """The score and the one ten positions later, for the sentence about them."""
    score = calculation.rotary_scores(pair)[int(state.answers_at) - 1]
    placeholders = {
        "word": state.word,
        "other": state.other,
        "score": format_number(score),
        "later": format_number(float(calculation.score_later(pair))),
    }
    return {name: escape_markdown(text) for name, text in placeholders.items()}


# To take away ------------------------------------------------------------------------------------------


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text = calculation.calculate(state), state.text
    words, axes, said = now.words, state.worked_example.axes, now.words_said
    vectors, _ = calculation.table(state.width)
    shares = calculation.likeness(state.width)[int(state.near) - 1]
    at = [text.filled("tables/place", place=str(place + 1)) for place in range(calculation.PLACES)]
    return {
        text["tables/first"]: pd.DataFrame(now.as_given.context, words, axes),
        text["tables/shuffled"]: pd.DataFrame(now.shuffled.context, said, axes),
        text["tables/largest"]: pd.DataFrame({text["order/difference"]: now.changes}, words),
        text["tables/weights"]: pd.DataFrame(now.as_given.weights, words, words),
        text["tables/weights_shuffled"]: pd.DataFrame(now.shuffled.weights, said, said),
        text["tables/positions"]: pd.DataFrame(vectors, at, [str(k + 1) for k in range(vectors.shape[1])]),
        text["tables/alike"]: pd.DataFrame({text.filled("tables/with_place", place=state.near): shares}, at),
    }


def for_programs(state: State) -> dict[str, list | np.ndarray | str | float]:
    """What the programs begin with."""
    now = calculation.calculate(state)
    return {
        "words": list(state.words),
        "vectors": now.x,
        "order": now.said.tolist(),
        "positions": state.positions,
        "strength": float(state.strength),
    }


def predictions(state: State, now: Results) -> list[Prediction]:
    """Does order change a word's vector; once positions count, a question about the table."""
    return [Prediction(calculation.SAME_VECTOR if state.positions == "none" else calculation.SAME_DISTANCE, now)]


LESSON = Lesson(
    "position",
    FIELDS,
    calculate=calculation.calculate,
    draw=draw,
    predictions=predictions,
    paragraphs=lambda state: ["text", "equivariant"],
    first_move=first_move,
    tables=tables,
    program=for_programs,
    trained=("readable", "gallery"),
)
