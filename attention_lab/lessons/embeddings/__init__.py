"""Embeddings and context: a word starts at its place in a table, and its sentence pulls it to another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attention_core import Example
from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.figure import formula as f
from attention_lab.state.page_state import PageState
from attention_lab.text import say
from attention_lab.widgets import vocabulary

from .calculation import BESIDE, CALCULATION, ELSEWHERE, FIELDS, calculate, phrases_elsewhere
from .further import GIVEN as FURTHER
from .further import TOWER, tip_to_tail_planes
from .goals import GOALS, on_offer, question
from .kinds import what_is_drawn

__all__ = [
    "BESIDE",
    "FIELDS",
    "FURTHER",
    "GOALS",
    "TOWER",
    "TRAINED",
    "calculate",
    "first_move",
    "question",
    "section",
    "tip_to_tail_planes",
]

TRAINED = ("readable",)  # what was learned here is of these models
s = CALCULATION
LEARNED_REACH = 4.0  # how far the plane of learned vectors goes
STATIC, CONTEXT, WEIGHTS = s.x[s.word], s.trace.context[s.word], s.trace.weights[s.word]


def first_move(page: PageState) -> str:
    """What the ring lies on at first."""
    return page.spoken("other")


def section(page: PageState, name: str) -> str:
    """The section of the page's words for what it shows: vectors placed by hand, or learned."""
    return f"{name}_learned" if page.worked_example.learned else name


def on_stage(page: PageState, now: Results) -> list[figure.Column]:
    """The goals; the table on its plane, beside it who pulls, in words and numbers; below it all words."""
    beside = [who_pulls(page), with_numbers(page), in_words(page, now)]
    return [
        on_offer(page, now),
        figure.Column([figure.pictured(on_the_plane(page)), *what_is_drawn(page)], share=1.15, least=320),
        figure.Column(beside),
        figure.Column(whole_pattern(page), least=figure.WHOLE_WIDTH),
    ]


def on_the_plane(page: PageState) -> figure.Part:
    """The table of words as places under the hand; the word of interest is pulled away from its own."""
    base = page.worked_example
    known = {*vocabulary.table((), vocabulary.neighbours(BESIDE, base)), *base.lexicon}
    places = figure.vectors(
        s.vectors,
        names=s.table,
        handles=True,
        places=True,
        among=s.ids,
        outside=page.text.plain("outside"),
        through=s.ids,
        focus=s.word,
        little=0.75,
        little_name=page.text["little"],
    )
    marks = [
        *([] if base.learned else [figure.diagonal()]),  # on directions without a name it tells nothing apart
        figure.pulls(STATIC, s.x, WEIGHTS),
        places,
        *displacements_elsewhere(phrases_elsewhere(page)),
        figure.displacement(STATIC, CONTEXT, label=page.text["arrow"], result=True),
    ]
    hint = "hint" if set(page.words) <= known else "new_words"
    low, high = (-LEARNED_REACH, LEARNED_REACH) if base.learned else (-1, 6)
    title = page.text.plain(section(page, "figure"))
    return figure.plane(page, base.axes, marks, low=low, high=high, title=title, hint=hint)


def displacements_elsewhere(phrases: Sequence[Example]) -> list[figure.Part]:
    """Where the word of interest is pulled in the other phrases that say it, paler."""
    there = ELSEWHERE[len(phrases)]
    return [
        figure.displacement(
            STATIC,
            there.traces_elsewhere[k].context[s.word],
            when=there.said_elsewhere[k, s.word],
            label=" ".join(phrase.words),
            tone="ghost",
            result=True,
        )
        for k, phrase in enumerate(phrases)
    ]


def who_pulls(page: PageState) -> figure.Part:
    """The sentence with each word's share of the pull, following the hand."""
    return figure.sentence(
        WEIGHTS,
        head=page.text.around("pulls/head", word=s.words[s.word]),
        ask=page.text["pulls/ask"],
        title=page.text["pulls/title"],
    )


def with_numbers(page: PageState) -> figure.Part:
    """The new vector, one axis a line: shares times vectors."""

    def term(axis: int, name: str, place: int) -> f.Tree:
        share = f.number(WEIGHTS[place], [f"{name} share ", s.words[place]], veiled=True)
        return f.row(share, "×", f.number(s.x[place, axis], [f"{name} of ", s.words[place]]))

    def line(axis: int, name: str) -> f.Tree:
        terms = [term(axis, name, place) for place in range(len(page.words))]
        result = f.number(CONTEXT[axis], ["context ", s.words[s.word], f" {name}"], result=True)
        return f.row(name, "=", f.most(3, WEIGHTS, terms, least=0.005), "=", result)

    return figure.formulas({name: line(axis, name) for axis, name in enumerate(page.worked_example.axes)})


def in_words(page: PageState, now: Results) -> figure.Part:
    """The rule; or, where nothing moves the word of interest, that."""
    still = now[s.shift_length[s.word]] < 1e-9
    return figure.remark(page.text.plain("still" if still else "rule", word=now.words[now.word]))


def whole_pattern(page: PageState) -> list[figure.Part]:
    """Who takes how much from whom, for every word of the sentence; choosing a cell chooses who asks."""
    weights = figure.weights(
        page,
        s.trace,
        title=page.text["pattern/title"],
        what="share of all:",
        form="percent",
        row_title=page.text["pattern/rows"],
        column_title=page.text["pattern/columns"],
        says=say("share_of"),
    )
    return [*weights, figure.remark(page.text["pattern"])]


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, axes, titles = calculate(page), page.worked_example.axes, page.text.parts("tables")
    return {
        titles["vectors"]: pd.DataFrame(page.vectors, now.table, axes),
        titles["context"]: pd.DataFrame(now.trace.context, now.words, axes),
        titles["weights"]: pd.DataFrame(now.trace.weights, now.words, now.words),
    }


def for_programs(page: PageState) -> dict[str, list | np.ndarray]:
    """What the programs begin with."""
    table = vocabulary.lookup(page, BESIDE)["table"]
    return {"sentence": list(page.words), "table": list(table), "vectors": page.vectors}
