"""Position: what becomes of words in another order, with and without a vector for each place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.charts import places
from attention_lab.state import permalink
from attention_lab.state.page_state import PageState
from attention_lab.text.number_format import format_number
from attention_lab.widgets.page_layout import BY_FORMULA, as_text

from .calculation import (
    FIELDS,
    LEARNED,
    PLACES,
    REAL,
    calculate,
    likeness,
    question,
    rotary,
    rotary_scores,
    score_later,
    table,
)
from .parts import on_stage, turning

__all__ = [
    "FIELDS",
    "OWN_PARTS",
    "TRAINED",
    "calculate",
    "in_words",
    "made_by",
    "on_stage",
    "question",
    "rotary",
    "said_of",
    "table_names",
    "turning",
]

OWN_PARTS = figure.OwnParts("position", Path(__file__).parent)
TRAINED = ("readable", "gallery")  # what was learned here is of these models
DRAWN = 64  # numbers of a position vector

# The two orders ----------------------------------------------------------------------------------------


def in_words(page: PageState, now: Results) -> str:
    """What the order does to the weights, by how words know their place; and how far apart both orders are."""
    moved = not np.array_equal(page.order, permalink.in_order(len(page.words)))
    known = page.positions if page.strength else "none"
    told = page.text[f"core/{known if moved else 'as_given'}"]
    return f"{told}\n\n{page.text.filled('apart', largest=format_number(now.largest))}"


# The table ---------------------------------------------------------------------------------------------


def drawn_table(page: PageState) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table, the two chosen places marked: data and spec. Of a wide one the first numbers are drawn.

    Colour is full at its largest number; in the real model's table, where one number towers, at all but the
    largest fiftieth.
    """
    vectors, texts = table(page.width)
    full = np.quantile(np.abs(vectors), 0.98 if page.width == REAL else 1)
    drawn = np.clip(vectors / full, -1, 1)[:, :DRAWN]
    texts = np.reshape(texts, vectors.shape)[:, :DRAWN].ravel().tolist()
    return places.table_rows(drawn, texts, (int(page.near), int(page.far))), places.TABLE


def table_names(page: PageState) -> dict[str, str]:
    """What the tables to choose from are called."""
    return {width: page.text[f"width/{width}"] if width in LEARNED else width for width in page.options("width")}


def said_of(page: PageState, section: str) -> str:
    """The section of the page's words that speaks of the table chosen."""
    return f"{section}/{page.width}" if page.width in LEARNED else section


def made_by(page: PageState) -> str:
    """Where the numbers of the table come from."""
    return "learned" if page.width in LEARNED else BY_FORMULA


def alike(page: PageState) -> tuple[pd.DataFrame, dict[str, Any]]:
    """How alike each place is to the near one, as a curve: data and spec."""
    shares = likeness(page.width)[int(page.near) - 1]
    marked = {int(page.near): page.near, int(page.far): page.far}
    return places.curve_rows(shares, [*map(format_number, shares)], marked), (
        places.COSINES if page.width in LEARNED else places.ALIKE
    )


def alike_in_words(page: PageState) -> dict[str, str]:
    """The numbers of the two chosen places, for the sentence about them."""
    vectors, _ = table(page.width)
    near, far = vectors[int(page.near) - 1], vectors[int(page.far) - 1]
    told = {"alike": format_number(float(near @ far)), "own": format_number(float(near @ near))}
    told["cosine"] = format_number(float(likeness(page.width)[int(page.near) - 1, int(page.far) - 1]))
    told["distance_1"] = format_number(float(np.diag(likeness(page.width), 1).mean()))
    far_apart = np.diag(likeness(page.width), PLACES // 2)
    told |= {"distance_16": format_number(float(far_apart.mean())), "width": str(vectors.shape[1])}
    return {"near": page.near, "far": page.far} | told


# Rotary positions --------------------------------------------------------------------------------------


def scores(page: PageState, pair: Results) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The score of the turned query with the key at every place, as a curve: data and spec."""
    curve, marked = rotary_scores(pair), {int(page.asks_at): "q", int(page.answers_at): "k"}
    return places.curve_rows(curve, [*map(format_number, curve)], marked), places.SCORE


def score_in_words(page: PageState, pair: Results) -> dict[str, str]:
    """The score and the one ten places later, for the sentence about them."""
    score = rotary_scores(pair)[int(page.answers_at) - 1]
    told = {
        "word": page.word,
        "other": page.other,
        "distance": str(int(page.asks_at) - int(page.answers_at)),
        "score": format_number(score),
        "later": format_number(float(score_later(pair))),
    }
    return {name: as_text(text) for name, text in told.items()}


# To take away ------------------------------------------------------------------------------------------


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text = calculate(page), page.text
    words, axes, said = now.words, page.worked_example.axes, now.words_said
    vectors, _ = table(page.width)
    shares = likeness(page.width)[int(page.near) - 1]
    at = [text.filled("tables/place", place=str(place + 1)) for place in range(PLACES)]
    return {
        text["tables/first"]: pd.DataFrame(now.as_given.context, words, axes),
        text["tables/shuffled"]: pd.DataFrame(now.shuffled.context, said, axes),
        text["tables/largest"]: pd.DataFrame({text["order/difference"]: now.changes}, words),
        text["tables/weights"]: pd.DataFrame(now.as_given.weights, words, words),
        text["tables/weights_shuffled"]: pd.DataFrame(now.shuffled.weights, said, said),
        text["tables/positions"]: pd.DataFrame(vectors, at, [str(k + 1) for k in range(vectors.shape[1])]),
        text["tables/alike"]: pd.DataFrame({text.filled("tables/with_place", place=page.near): shares}, at),
    }


def for_programs(page: PageState) -> dict[str, list | np.ndarray | str | float]:
    """What the programs begin with."""
    now = calculate(page)
    return {
        "words": list(page.words),
        "vectors": now.x,
        "order": now.said.tolist(),
        "positions": page.positions,
        "strength": float(page.strength),
    }
