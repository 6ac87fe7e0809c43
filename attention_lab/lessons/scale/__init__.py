"""Scale: what the sizes of a transformer cost, counted exactly, and what the length of a text adds."""

import pandas as pd

from attention_core import count_parameters
from attention_lab.calculation import Results
from attention_lab.lesson import Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_gap, format_whole

from .drawn import draw, format_total
from .sizes import (
    CALCULATION,
    CONSTANTS,
    DOUBLE_CONTEXT,
    FIELDS,
    LESS_THAN_HALF,
    LONGER,
    MODELS,
    PARTS,
    PUBLISHED,
    SHAPE,
    SHAPE_OF,
    SHIPPED,
)
from .text_length import memories, operations


def calculate(state: State) -> Results:
    """What follows from the sizes on screen."""
    return CALCULATION.run(state.scope(), CONSTANTS)


def published_and_counted(state: State) -> str:
    """Beside each published total the computed one, the gap, and what is assumed."""
    text = state.text
    rows = [text["published/head"], ":---|---:|---:"]
    for name in MODELS:
        total, published = count_parameters(SHAPE_OF[name]).total, PUBLISHED[name]
        counted = f"{format_whole(total)} | {format_gap(total / published)}"
        rows.append(f"{text[f'models/{name}']}: {format_total(published)} | {counted}")
    return "\n\n".join([text["published/table"], "\n".join(rows), *text.parts("assumed").values()])


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, tokens = calculate(state), state.context
    published = {name: (PUBLISHED[name], count_parameters(SHAPE_OF[name]).total) for name in MODELS}
    needs = {"cells": now.cells, **memories(now.shape, tokens)}
    needs["operations"] = operations(now.shape, tokens)["total"]
    return {
        "sizes": pd.DataFrame({"size": vars(now.shape)}, dtype=object),
        "parameters": pd.DataFrame({"parameters": vars(now.count)}, dtype=object),
        "shares": pd.DataFrame({"share": {part: now[f"{part}_share"] for part in PARTS}}),
        "a text": pd.DataFrame({f"{tokens} tokens": needs}, dtype=object),
        "published": pd.DataFrame.from_dict(published, orient="index", columns=["published", "counted"]),
    }


def predictions(state: State, now: Results) -> list[Prediction]:
    """How much of a layer is attention; what does a text of twice the length cost?"""
    twice_as_long = LONGER.run(now.settings, CONSTANTS, {"longer": 2 * state.context})
    return [Prediction(LESS_THAN_HALF, now), Prediction(DOUBLE_CONTEXT, twice_as_long)]


LESSON = Lesson(
    "scale",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    provenance_at=("by hand", "model", MODELS.index(SHIPPED)) if SHIPPED in MODELS else None,  # our own sizes
    paragraphs=lambda state: ["text", "which_total"],
    first_move=lambda state, now: "context",
    tables=tables,
    program=lambda state: {"sizes": vars(SHAPE.run(state.scope(), CONSTANTS).shape)},
    trained=(SHIPPED,),
)
