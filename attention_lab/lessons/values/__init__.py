"""Values: what is handed over, shortened to its weight; how the sum lies in the hull, and what becomes of it."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Expression, Results
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state import vocabulary
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed

from .calculation import (
    AS_PRINTED,
    BANKS,
    CALCULATION,
    COLDEST,
    FIELDS,
    HOTTEST,
    IDENTITY,
    PRINTED,
    TEMPERATURE_OF_ARTICLE,
    calculate,
    gives_what_is_printed,
    is_printed,
    names_in_question,
    question,
    reachable_goals,
)

FRAME, FRAME_OF_BANKS = [[-2, 6], [-3, 5]], [[-1, 18], [-9, 10]]
s = CALCULATION
X, CONTEXT, NEW = s.x[s.word], s.trace.context[s.word], s.new[s.word]
WEIGHTS = s.trace.weights[s.word]


def draw(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """The goals; what the first of them moves; the arrows and their sum; the numbers, and a fold with other ways.

    While results are `hidden`, no button tells the weights that the article assumes.
    """
    banks, text = state.example in BANKS, state.text
    choices = [  # how the arrows lie, and what becomes of their sum
        figure.options(of, text[name], [*text.parts(name).values()])
        for name, of in (("drawn", s.drawn), ("change", s.change))
    ]
    heat, matrix, numbers = temperature(state, hidden[0]), value_matrix(state), from_scores_to_weights(state)
    sums, result = with_numbers(state)
    weights = figure.weights(state, s.trace, title=text["pattern"], what="weight of all:", form="weight")
    needs_heat = [at for at, name in enumerate(state.options("goal")) if name == "middle"]
    folded = figure.Column([*([] if banks else heat), *choices, sums, *weights])
    more = figure.fold(text["more"], folded, goals=needs_heat, opened_by=None if banks else s.folded >= 1e-9)
    first, second = (heat, matrix) if banks else (matrix, [])
    return [
        figure.goals(state, reachable_goals(state, now), now, first="first_banks" if banks else "first"),
        figure.Column(first, least=290),
        figure.Column([figure.pictured(on_the_plane(state))], share=1.4, least=330),
        figure.Column([numbers, result, *second, more], least=290),
    ]


def on_the_plane(state: State) -> figure.Part:
    """The values, each shortened to its weight, and their sum within the hull."""
    text = state.text
    values = figure.vectors(s.value, role="value", form="whole", prefix="v", unlike=s.x, little=0.1)
    words = figure.vectors(
        s.vectors,
        names=figure.TABLE,
        handles=True,
        places=True,
        tinted=figure.are_tech_and_fruit(state.worked_example.axes),
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
        state,
        state.worked_example.axes,
        [
            figure.hull(s.value),
            values,
            *([where_the_article_goes(state)] if is_printed(state) else []),
            words,
            figure.addition(
                s.value, WEIGHTS, apart=s.drawn, start=X, from_start=s.change, focus=s.word, other=s.other
            ),
            *sums,
            figure.hull(s.value, label=text["hull"]),
        ],
        ranges=frame(state),
    )


def where_the_article_goes(state: State) -> figure.Part:
    """The way that the article's word goes by the weights assumed."""
    return figure.displacement(
        X,
        AS_PRINTED.printed_context[0],
        label=state.text["printed"],
        tone="ghost",
        role="word",
        when=AS_PRINTED.printed_moves,
        result=True,
    )


def frame(state: State) -> list[list[int]]:
    """How far the plane goes: the banks lie farther out than other words."""
    example = state.worked_example
    return FRAME_OF_BANKS if example.name in BANKS and set(state.words) & set(example.words) else FRAME


def temperature(state: State, hidden: bool) -> list[figure.Part]:
    """The temperature, and the one that the article's weights need."""
    label = state.text["temperature"]
    if state.example not in BANKS:
        return [slider(label, (COLDEST, 1.0, HOTTEST))]
    money, bank = PRINTED["printed_weights"][0]
    names = {"temperature": format_fixed(TEMPERATURE_OF_ARTICLE, 4), "money": str(money), "bank": str(bank)}
    promised = not hidden and gives_what_is_printed(state)
    plain, article = "temperature/plain", "temperature/article" if promised else "temperature/unexplained"
    buttons = {
        state.text[plain]: figure.preset((s.temperature, 1.0)),
        state.text.filled(article, **names): figure.preset((s.temperature, TEMPERATURE_OF_ARTICLE)),
    }
    return [slider(label, (COLDEST, 1.0, TEMPERATURE_OF_ARTICLE)), figure.presets(buttons, title=label)]


def slider(label: str, ticks: Sequence[float]) -> figure.Part:
    """The temperature under the hand, from cold to hot."""
    return figure.slider(s.temperature, label, axis="T", low=COLDEST, high=HOTTEST, ticks=ticks, logarithmic=True)


def from_scores_to_weights(state: State) -> figure.Part:
    """Scores and weights; where an article prints them, the steps between and its numbers, too."""
    text, notes = state.text, {}
    if is_printed(state):
        numbers = {"scaled": AS_PRINTED.printed_scaled, "weight": AS_PRINTED.printed_weights[0]}
        for (what, of), name in zip(numbers.items(), ("printed", "assumed"), strict=True):
            notes[what] = {"note": {"of": of, "text": text[f"tally/{name}"], "when": AS_PRINTED.untouched}}

    def column(of: Expression, what: str, form: str = "settled", **more: bool) -> dict[str, Any]:
        return {"of": of, "head": text[f"tally/{what}"], "what": what, "form": form} | more | notes.get(what, {})

    between = [column(s.scaled[s.word], "scaled"), column(s.trace.scaled_scores[s.word], "heated")]
    return figure.part(
        "tally",
        names=figure.WORDS,
        focus=figure.WORD,
        other=figure.OTHER,
        columns=[
            column(s.trace.scores[s.word], "score"),
            *(between if state.example in BANKS else []),
            column(WEIGHTS, "weight", "weight", result=True, bar=True),
        ],
        head=figure.pieces(text.around("tally/asks", word=s.words[s.word])),
        title=text.filled("tally", word=state.word),
    )


def with_numbers(state: State) -> list[figure.Part]:
    """The sum with its present numbers; what becomes of it."""
    axes, word = state.worked_example.axes, s.words[s.word]

    def vector(of: Expression, called: str, whose: Expression, *, result: bool = False) -> f.Tree:
        numbers = [
            f.number(of[k], [called, whose, f" {axis}"], result=result, signed=False)
            for k, axis in enumerate(axes)
        ]
        return f.vector(numbers)

    terms = [
        f.row(
            f.number(WEIGHTS[j], ["share of ", s.words[j]], result=True, form="portion"),
            "×",
            vector(s.value[j], "value ", s.words[j]),
        )
        for j in range(len(state.words))
    ]
    replaced = vector(CONTEXT, "context ", word, result=True)
    added = f.row(vector(X, "x ", word), "+", vector(CONTEXT, "shift ", word, result=True))
    moved = vector(NEW, "new ", word, result=True)
    sums = f.row(state.text["formula/sum"], "=", f.most(3, WEIGHTS, terms, least=0.0))
    lines = {
        "replace": f.row(f.name(word), ":", state.text["formula/context"], "=", replaced),
        "add": f.row(f.name(word), ":", f.row("x", "+", "Δx"), "=", added, "=", moved),
    }
    result = figure.formulas(lines, when={"replace": s.replaces, "add": s.change})
    return [figure.formulas({"": sums}), result]


def value_matrix(state: State) -> list[figure.Part]:
    """The value matrix under the hand: where it sends the axes, and what it is to the plane."""
    text, title = state.text, state.text["value_matrix"]
    marks = figure.weight_matrix(s.W_value, "value", reach=3, axes=s.axes)
    small = figure.plane(state, state.worked_example.axes, marks, low=-1.5, high=1.5, title=title, small=True)
    as_it_is = {text["value_matrix/identity"]: figure.preset((s.W_value, IDENTITY.tolist()))}
    said = [
        figure.remark(text["value_matrix/role"]),
        figure.presets(as_it_is, title=title),
    ]
    pair = figure.beside(figure.Column([small], share=1.6, least=190), figure.Column(said, least=110))
    return [figure.heading(title), pair]


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, names, axes = calculate(state), state.text.parts("tables"), state.worked_example.axes
    words, trace = now.words, now.trace
    return {
        names["values"]: pd.DataFrame(now.value, words, axes),
        names["scores"]: pd.DataFrame(trace.scores, words, words),
        names["scaled"]: pd.DataFrame(now.scaled, words, words),
        names["weights"]: pd.DataFrame(trace.weights, words, words),
        names["context"]: pd.DataFrame(trace.context, words, axes),
        names["new"]: pd.DataFrame(now.new, words, axes),
    }


LESSON = Lesson(
    "values",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=lambda state, now: [Prediction(*question(now), names=names_in_question(now))],
    # the handle that the first goal asks for
    first_move=lambda state, now: (
        "temperature" if state.example in BANKS else f"W_value {state.worked_example.axes[0]}"
    ),
    tables=tables,
    program=lambda state: {
        "sentence": list(state.words),
        "table": list(vocabulary.lookup(state)["table"]),
        **{name: getattr(state, name) for name in ("vectors", "W_query", "W_key", "W_value", "temperature")},
    },
)
