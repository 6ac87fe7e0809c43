"""Values: what is handed over, shortened to its weight; how the sum lies in the hull, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results, Value
from attention_lab.figure import formula as f
from attention_lab.state.page_state import PageState
from attention_lab.widgets import vocabulary

from .article import FIFTY_SEVENTHS, derivation, in_words, where_scores_come_from
from .calculation import (
    AS_PRINTED,
    BANKS,
    CALCULATION,
    COLDEST,
    EXAMPLES,
    FIELDS,
    GOALS,
    HOTTEST,
    IDENTITY,
    PRINTED,
    TEMPERATURE_OF_ARTICLE,
    calculate,
    gives_what_is_printed,
    is_printed,
    names_in_question,
    question,
    suiting,
)
from .parts import column, note, tally

__all__ = [
    "BANKS",
    "EXAMPLES",
    "FIELDS",
    "FIFTY_SEVENTHS",
    "GOALS",
    "OWN_PARTS",
    "calculate",
    "derivation",
    "first_move",
    "for_programs",
    "in_words",
    "names_in_question",
    "on_stage",
    "question",
    "tables",
    "where_scores_come_from",
]

OWN_PARTS = figure.OwnParts("values", Path(__file__).parent)
FRAME, FRAME_OF_BANKS = [[-2, 8], [-2, 8]], [[-1, 18], [-9, 10]]  # where there is room for x + Δx, too
s = CALCULATION
X, CONTEXT, NEW = s.x[s.word], s.trace.context[s.word], s.new[s.word]
WEIGHTS = s.trace.weights[s.word]


def first_move(page: PageState) -> str:
    """What the ring lies on at first."""
    return page.spoken("other")


def on_stage(page: PageState, now: Results, hidden: bool) -> list[figure.Column]:
    """The goals; the arrows and their sum, beside them all that makes them; below, all weights.

    While results are `hidden`, no button tells the weights that the article assumes.
    """
    matrix = figure.beside(figure.Column(value_matrix(page), share=0, least=168))
    numbers = [*temperature(page, hidden), from_scores_to_weights(page), with_numbers(page), matrix]
    return [
        figure.goals(page, suiting(page, now), now),
        figure.Column([figure.pictured(on_the_plane(page)), ways_to_add(page)], share=1.1, least=320),
        figure.Column(numbers),
        figure.Column(all_weights(page), least=figure.WHOLE_WIDTH),
    ]


def on_the_plane(page: PageState) -> figure.Part:
    """The values, each shortened to its weight, and their sum within the hull."""
    text = page.text
    values = figure.vectors(s.value, role="value", form="whole", prefix="v", unlike=s.x, little=0.1)
    words = figure.vectors(
        s.vectors,
        names=figure.TABLE,
        handles=True,
        places=True,
        focus=s.word,
        through=s.ids,
        little=0.3,
    )
    sums = [
        figure.displacement(None, CONTEXT, label=text["context"], when=s.replaces, result=True),
        figure.displacement(None, CONTEXT, label=text["shift"], tone="ghost", when=s.change, result=True),
        figure.displacement(X, NEW, label=text["new"], when=s.change, result=True),
    ]
    return figure.plane(
        page,
        page.worked_example.axes,
        [
            figure.hull(s.value),
            values,
            *([where_the_article_goes(page)] if is_printed(page) else []),
            words,
            figure.addition(
                s.value, WEIGHTS, apart=s.drawn, start=X, carried=s.change, focus=s.word, other=s.other
            ),
            *sums,
            figure.hull(s.value, label=text["hull"]),
        ],
        ranges=frame(page),
    )


def where_the_article_goes(page: PageState) -> figure.Part:
    """The way that the article's word goes by the weights assumed."""
    return figure.displacement(
        X,
        AS_PRINTED.printed_context[0],
        label=page.text["printed"],
        tone="ghost",
        role="word",
        when=AS_PRINTED.printed_moves,
        result=True,
    )


def frame(page: PageState) -> list[list[int]]:
    """How far the plane goes: the banks lie farther out than other words."""
    example = page.worked_example
    return FRAME_OF_BANKS if example.name in BANKS and set(page.words) & set(example.words) else FRAME


def ways_to_add(page: PageState) -> figure.Part:
    """How the arrows lie, and what becomes of their sum."""
    choices = [
        figure.options(of, page.text[name], [*page.text.parts(name).values()])
        for name, of in (("drawn", s.drawn), ("change", s.change))
    ]
    return figure.beside(*(figure.Column([choice], share=1, least=190) for choice in choices))


def temperature(page: PageState, hidden: bool) -> list[figure.Part]:
    """The temperature, and the one that the article's weights need."""
    label = page.text["temperature"]
    if page.example not in BANKS:
        return [slider(label, (COLDEST, 1.0, HOTTEST))]
    money, bank = PRINTED["printed_weights"][0]
    names = {"temperature": f"{TEMPERATURE_OF_ARTICLE:.4f}", "money": str(money), "bank": str(bank)}
    promised = not hidden and gives_what_is_printed(page)
    plain, article = "temperature/plain", "temperature/article" if promised else "temperature/unexplained"
    buttons = {
        page.text[plain]: figure.preset((s.temperature, 1.0)),
        page.text.filled(article, **names): figure.preset((s.temperature, TEMPERATURE_OF_ARTICLE)),
    }
    return [slider(label, (COLDEST, 1.0, TEMPERATURE_OF_ARTICLE)), figure.presets(buttons, title=label)]


def slider(label: str, ticks: Sequence[float]) -> figure.Part:
    """The temperature under the hand, from cold to hot."""
    return figure.slider(s.temperature, label, axis="T", low=COLDEST, high=HOTTEST, ticks=ticks, logarithmic=True)


def from_scores_to_weights(page: PageState) -> figure.Part:
    """Scores, scaled, divided by the temperature, and the weights; beside them what the article prints."""
    text, printed, assumed = page.text, None, None
    if is_printed(page):
        untouched = AS_PRINTED.untouched
        printed = note(AS_PRINTED.printed_scaled, text["tally/printed"], untouched)
        assumed = note(AS_PRINTED.printed_weights[0], text["tally/assumed"], untouched)
    scores, heated = s.trace.scores[s.word], s.trace.scaled_scores[s.word]
    return tally(
        [
            column(scores, text["tally/score"], what="score", form="settled"),
            column(s.scaled[s.word], text["tally/scaled"], what="scaled", form="settled", note=printed),
            column(heated, text["tally/heated"], what="heated", form="settled"),
            column(
                WEIGHTS, text["tally/weight"], what="weight", form="weight", result=True, bar=True, note=assumed
            ),
        ],
        head=[s.words[s.word], f" {text['tally/asks']}"],
        title=text.filled("tally", word=page.word),
    )


def with_numbers(page: PageState) -> figure.Part:
    """The sum with its present numbers, and what becomes of it."""
    axes, word = page.worked_example.axes, s.words[s.word]

    def vector(of: Value, called: str, whose: Value, *, result: bool = False) -> f.Tree:
        numbers = [
            f.number(of[k], [called, whose, f" {axis}"], result=result, signed=False)
            for k, axis in enumerate(axes)
        ]
        return f.row("(", f.joined(",", numbers), ")")

    terms = [
        f.row(
            f.number(WEIGHTS[j], ["share of ", s.words[j]], result=True, form="portion"),
            "×",
            vector(s.value[j], "value ", s.words[j]),
        )
        for j in range(len(page.words))
    ]
    replaced = vector(CONTEXT, "context ", word, result=True)
    added = f.row(vector(X, "x ", word), "+", vector(CONTEXT, "shift ", word, result=True))
    moved = vector(NEW, "new ", word, result=True)
    lines = {
        "": f.row(page.text["formula/sum"], "=", f.most(3, WEIGHTS, terms, least=0.0)),
        "replace": f.row(f.name(word), ":", page.text["formula/context"], "=", replaced),
        "add": f.row(f.name(word), ":", f.row("x", "+", "Δx"), "=", added, "=", moved),
    }
    return figure.formulas(lines, leading=s.leading)


def value_matrix(page: PageState) -> list[figure.Part]:
    """The value matrix under the hand: where it sends the axes."""
    title = page.text["value_matrix"]
    marks = figure.weight_matrix(s.W_value, "value", reach=3, axes=s.axes)
    small = figure.plane(page, page.worked_example.axes, marks, low=-1.5, high=1.5, title=title, small=True)
    as_it_is = {page.text["value_matrix/identity"]: figure.preset((s.W_value, IDENTITY.tolist()))}
    return [figure.presets(as_it_is, title=title, shown=True), small]


def all_weights(page: PageState) -> list[figure.Part]:
    """Every word's weights."""
    title = page.text["pattern"]
    return figure.weights(page, s.trace, title=title, what="weight of all:", form="weight")


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, names, axes = calculate(page), page.text.parts("tables"), page.worked_example.axes
    words, trace = now.words, now.trace
    return {
        names["values"]: pd.DataFrame(now.value, words, axes),
        names["scores"]: pd.DataFrame(trace.scores, words, words),
        names["scaled"]: pd.DataFrame(now.scaled, words, words),
        names["weights"]: pd.DataFrame(trace.weights, words, words),
        names["context"]: pd.DataFrame(trace.context, words, axes),
        names["new"]: pd.DataFrame(now.new, words, axes),
    }


def for_programs(page: PageState) -> dict[str, list | np.ndarray | float]:
    """What the programs begin with."""
    table = {"sentence": list(page.words), "table": list(vocabulary.lookup(page)["table"])}
    matrices = {name: getattr(page, name) for name in ("vectors", "W_query", "W_key", "W_value")}
    return table | matrices | {"temperature": page.temperature}
