"""Masking: who may look at whom, −∞ before the softmax against zero after it, and a later word that changes."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core import SHAPES, pattern_bytes, pattern_entries
from attention_lab import figure
from attention_lab.calculation import Expression, Results
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_bytes, format_count

from .calculation import CALCULATION as s
from .calculation import (
    FIELDS,
    GOALS,
    GUESSED,
    LATER_WORD,
    MASK,
    MASKS,
    MATRICES,
    OWN,
    ROW_SUM,
    SHOWN,
    calculate,
    constants,
)
from .parts import all_outputs, choose_mask, output_axes

LENGTHS = (1_000, 10_000, 100_000, 1_000_000)


def draw(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """The goals; the masks; the matrix and what it shows; the chosen row; below, what the last word changes."""
    shown = figure.options(s.shown, state.text["shown"], [state.text[f"shown/{name}"] for name in SHOWN])
    return [
        figure.goals(state, GOALS if len(state.words) > 1 else GOALS[-1:], now, of_word=False),
        figure.Column([choose_mask(state)], least=figure.WHOLE_WIDTH),
        figure.Column([figure.pictured(matrix(state, veiled=hidden[-1])), shown], share=2.2, least=560),
        figure.Column([chosen_row(state)], least=260, turn=1),
        figure.Column([figure.beside(*leak_of_last_word(state))], least=figure.WHOLE_WIDTH, turn=2),
    ]


def matrix(state: State, *, veiled: bool) -> figure.Part:
    """A number for every pair of words, the mask under the hand; whether −∞ before the softmax or 0 after it."""
    text = state.text
    opened, closed = text["grid/open"], text["grid/closed"]
    weights = {"limit": 1.0, "scale": "share", "form": "share"}

    def sums(of: Expression, what: str) -> dict[str, Any]:
        return {"what": what, "sums": figure.row_sums(of, what=f"sum of {what}", title=text["sum"])}

    scores = {"what": "masked score", "limit": 6.0, "form": "tenths", "scale": "", "sums": None}
    cases = [
        {"title": text["grid"], "of": s.trace.masked_scores, **scores},
        {"title": text["before"], "of": s.trace.weights, **sums(s.sums, "weight"), **weights},
        {"title": text["after"], "of": s.cut, **sums(s.cut_sums, "cut weight"), **weights, "veiled": veiled},
    ]
    return figure.heatmap(
        **cases[SHOWN.index("before")],
        column=None,
        turned=state.orientation == "columns",
        large=True,
        mask=s.may_look,
        toggle=figure.switches(s.own, s.mask, MASKS.index(OWN), opened=opened, closed=closed, idle=text["hint"]),
        by=s.shown,
        cases=cases,
    )


def chosen_row(state: State) -> figure.Part:
    """The scores of the row that was pressed, and the weights that softmax makes of them."""
    text = state.text
    score = {"of": s.trace.masked_scores[s.word], "what": "chosen score", "form": "settled"}
    weight = {
        "of": s.trace.weights[s.word],
        "what": "chosen weight",
        "form": "weight",
        "result": True,
        "bar": True,
    }
    return figure.part(
        "tally",
        names=figure.WORDS,
        focus=figure.WORD,
        columns=[{"head": text["shown/scores"]} | score, {"head": text["shown/before"]} | weight],
        head=figure.pieces(text.around("row", word=s.words[s.word])),
        title=text["before"],
    )


def leak_of_last_word(state: State) -> list[figure.Column]:
    """All outputs; the last word's vector under the hand, and the chosen word's output, before and now."""
    axes, text = state.worked_example.axes, state.text
    outputs = figure.Column([figure.heading(text["later"]), all_outputs(state)], share=1.5, least=330)
    if len(axes) != 2:
        return [outputs]
    before, now = s.trace.context[s.word], s.later_trace.context[s.word]
    marks = [
        figure.vectors(s.last_word, names=s.last_name),
        figure.displacement(None, before, label=text["plane/before"], tone="ghost", result=True),
        figure.displacement(None, now, label=text["plane/output"], result=True),
        figure.vectors(s.later, names=None, label=text["plane/last"], handles=True),
    ]
    caption, title = text.plain("plane", word=state.word), text.plain("plane/figure", word=state.word)
    ranges = [[-1, 6], [-1, 6]]
    plane = figure.plane(state, axes, marks, ranges=ranges, small=True, caption=caption, title=title)
    return [outputs, figure.Column([plane], least=230)]


def growth(state: State) -> str:
    """How the pattern grows with the square of the context: a paragraph, and a table."""
    text, gpt = state.text, SHAPES["gpt3"]
    lines = [text["growth_table"], "---:|---:|---:|---:"]
    for tokens in (len(state.words), *LENGTHS):
        cells, one = format_count(pattern_entries(tokens)), format_bytes(pattern_bytes(tokens))
        every = format_bytes(pattern_bytes(tokens, gpt.num_heads, gpt.num_layers))
        lines.append(f"{format_count(tokens)} | {cells} | {one} | {every}")
    return "\n\n".join([text["growth"], "\n".join(lines)])


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text = calculate(state), state.text
    names, total = now.words, text["tables/total"]

    def pairs(matrix: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(matrix, names, names)

    got = pd.DataFrame(now.trace.context, names, output_axes(state))
    return {
        text["tables/mask"]: pairs(np.asarray(now.may_look, dtype=int)),
        text["tables/scores"]: pairs(now.trace.masked_scores),
        text["tables/before"]: pairs(now.trace.weights).assign(**{total: now.sums}),
        text["tables/after"]: pairs(now.cut).assign(**{total: now.cut_sums}),
        text["tables/outputs"]: got.assign(**{text["tables/moves_by"]: now.moved}),
    }


def for_programs(state: State) -> dict[str, list | np.ndarray]:
    """What the programs begin with."""
    now = MASK.run(state.scope(), constants(state))
    matrices = {name: now[name] for name in MATRICES}
    may_look = np.asarray(now.may_look).tolist()
    return {"words": list(state.words), "x": now.x, **matrices, "may_look": may_look, "later": state.later[0]}


def predictions(state: State, now: Results) -> list[Prediction]:
    """What does a later word change; what does a row sum to?"""
    asked = GUESSED.run_extension(now) if state.predict else now
    return [Prediction(LATER_WORD, asked), Prediction(ROW_SUM, asked)]


def first_move(state: State, now: Results) -> str:
    """The cell to close first: the one with the largest weight in the chosen row, or another open one.

    One that shares its row with another open cell is preferred: closing it makes weights grow.
    """
    may_look, weights = np.asarray(now.may_look, dtype=bool), np.asarray(now.trace.weights)
    asks, other = max(
        np.ndindex(may_look.shape),
        key=lambda cell: (may_look[cell], may_look[cell[0]].sum() > 1, cell[0] == now.word, weights[cell]),
    )
    return f"{asks} {other}"


LESSON = Lesson(
    "masking",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    paragraphs=lambda state: ["text", "zero_after", "why_a_mask"],
    first_move=first_move,
    tables=tables,
    program=for_programs,
    trained=("readable", "unmasked", "gallery"),
)
