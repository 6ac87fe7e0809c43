"""Masking: who may look at whom, −∞ before the softmax against zero after it, and a later word that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

from .calculation import (
    CALCULATION,
    COUNTS,
    FIELDS,
    GOALS,
    LATER_WORD,
    MASK,
    MASKS,
    MATRICES,
    OWN,
    PADDING,
    ROW_SUM,
    WINDOW,
    calculate,
    constants,
    with_guesses,
)
from .parts import OWN_PARTS, further, masks, outputs, replacement

TRAINED = ("readable", "unmasked", "gallery")  # what was learned here is of these models
LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
FRAME = [[-1, 6], [-1, 6]]
FULL, LONGEST = 6.0, {True: 5.0, False: 1.0}  # where the colour of a score and the bar of a change are full
s = CALCULATION


def first_move(state: State, _: Results) -> str:
    """What the ring lies on at first."""
    return f"{min(2, len(state.words) - 1)} 0"


def draw(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """The goals; the choice of a mask; the grid and both patterns; all outputs, the last word under the hand."""
    return [
        figure.goals(state, GOALS if len(state.words) > 1 else GOALS[-1:], now),
        figure.Column([choose_mask(state)], least=figure.WHOLE_WIDTH),
        figure.Column(
            [
                figure.pictured(
                    figure.beside(
                        grid(state),
                        pattern(state, "before", s.trace.weights, "weight", s.sums),
                        pattern(state, "after", s.cut, "cut weight", s.cut_sums, veiled=hidden[-1]),
                    )
                )
            ],
            least=figure.WHOLE_WIDTH,
        ),
        figure.Column([all_outputs(state)], share=1.5, least=330),
        *last_word_on_the_plane(state),
    ]


def choose_mask(state: State) -> figure.Part:
    """The masks, and what some of them still need."""
    text, n = state.text, len(state.words)
    notes = text.parts("notes_on")
    windows = [notes["window_0"], *[notes["window"]] * (n - 2), *[notes["window_all"]] * (n > 1)]
    fillers = [notes["padding_0"], *[notes["padding"]] * (n - 1), notes["padding_all"]]
    numbers = {
        WINDOW: further(s.width, text["width"], _counts(n - 1, state.width), windows),
        PADDING: further(s.padding, text["filler"], _counts(n, state.padding), fillers),
    }
    return masks(
        s.mask,
        text["mask"],
        [text[f"mask/{name}"] for name in MASKS],
        [notes[name] for name in MASKS],
        [numbers.get(name) for name in MASKS],
        grid=s.own,
        open_all=text["open_all"],
        changed=text["own_changed"],
        counts=s.looks_at,
        nothing=text["nothing_to_look_at"],
    )


def _counts(most: int, now: str) -> tuple[str, ...]:
    """The counts offered: up to the `most` that make sense, and the one that holds now."""
    return COUNTS[: max(most, int(now)) + 1]


def grid(state: State) -> figure.Column:
    """Who may look at whom, cell by cell, with the scores: the mask under the hand."""
    opened, closed = state.text["grid/open"], state.text["grid/closed"]
    own = figure.switches(s.own, s.mask, MASKS.index(OWN), opened=opened, closed=closed, idle=state.text["hint"])
    return _pairs(state, "grid", s.trace.masked_scores, "masked score", limit=FULL, form="tenths", toggle=own)


def pattern(
    state: State, name: str, of: Expression, what: str, sums: Expression, *, veiled: bool = False
) -> figure.Column:
    """One of two patterns: with −∞ before the softmax, or with zeros after it, each row with its sum."""
    return _pairs(
        state,
        name,
        of,
        what,
        limit=1.0,
        scale="share",
        form="hundredths",
        sums=figure.row_sums(sums, what=f"sum of {what}", title=state.text["sum"]),
        closed=state.text["grid/closed"],
        veiled=veiled,
    )


def _pairs(
    state: State,
    name: str,
    of: Expression,
    what: str,
    *,
    limit: float,
    form: str,
    scale: str = "",
    closed: str = "",
    veiled: bool = False,
    sums: Mapping[str, Any] | None = None,
    toggle: Mapping[str, Any] | None = None,
) -> figure.Column:
    """A number for every pair of words, the mask upon it, under its heading."""
    matrix = figure.heatmap(
        of,
        title=state.text[name],
        what=what,
        limit=limit,
        column=None,
        scale=scale,
        form=form,
        turned=state.orientation == "columns",
        small=True,
        veiled=veiled,
        mask=s.may_look,
        closed=closed,
        sums=sums,
        toggle=toggle,
    )
    return figure.Column([figure.heading(state.text[name]), matrix], least=300)


def all_outputs(state: State) -> figure.Part:
    """All outputs as numbers, with their changes."""
    text = state.text
    plain_axes = len(state.worked_example.axes) == 2
    label = text.plain("replace_last", last=state.words[-1])
    return outputs(
        s.looks_at,
        s.trace.context,
        s.moved,
        s.replaced,
        output_axes(state),
        limit=LONGEST[plain_axes],
        replace=replacement(label, state.options("instead"), of=s.instead, later=s.later, vectors=s.vectors),
        texts=text.parts("outputs"),
        title=text["outputs"],
        heads=[text["outputs_heads/asks"], text["outputs_heads/looks"], text["outputs_heads/moves"]],
    )


def output_axes(state: State) -> Sequence[str]:
    """What the numbers of an output stand for: the axes, or those that the output matrix writes them to."""
    axes, written = state.worked_example.axes, state.worked_example.W_output
    return axes if written is None else [axes[int(np.argmax(row))] for row in written]


def last_word_on_the_plane(state: State) -> list[figure.Column]:
    """The last word's vector under the hand, and the output of the word of interest, before and now."""
    axes, text = state.worked_example.axes, state.text
    if len(axes) != 2:
        return []
    before, now = s.trace.context[s.word], s.later_trace.context[s.word]
    marks = [
        figure.vectors(s.last_word, names=s.last_name),
        figure.displacement(None, before, label=text["plane/before"], tone="ghost", result=True),
        figure.displacement(None, now, label=text["plane/output"], result=True),
        figure.vectors(s.later, names=None, label=text["plane/last"], handles=True),
    ]
    caption, title = text.plain("plane", word=state.word), text.plain("plane/figure", word=state.word)
    plane = figure.plane(state, axes, marks, ranges=FRAME, small=True, caption=caption, title=title)
    return [figure.Column([plane], least=230)]


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
    asked = with_guesses(state, now)
    return [Prediction(LATER_WORD, asked), Prediction(ROW_SUM, asked)]


LESSON = Lesson(
    "masking",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    first_move=first_move,
    tables=tables,
    program=for_programs,
    own_parts=OWN_PARTS,
    trained=TRAINED,
)
