"""Embeddings and context: a word starts at its vector in a table, and its sentence moves it."""

from collections.abc import Sequence

import pandas as pd

from attention_core import Example
from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.calculation.read_cache import fact
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state import vocabulary
from attention_lab.state.state import State
from attention_lab.text import ui_text

from .calculation import BESIDE, CALCULATION, ELSEWHERE, FIELDS, calculate, phrases_elsewhere
from .goals import on_offer, question
from .kinds import what_is_drawn

s = CALCULATION
LEARNED_REACH = 4.0  # how far the plane of learned vectors goes
STATIC, CONTEXT, WEIGHTS = s.x[s.word], s.trace.context[s.word], s.trace.weights[s.word]


def section(state: State, name: str) -> str:
    """The section of the page's words for what it shows: vectors placed by hand, or learned."""
    return f"{name}_learned" if state.worked_example.learned else name


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals; the table on its plane, beside it the attention weights; below it all words."""
    beside = [who_pulls(state), with_numbers(state), in_words(state, now)]
    text = state.text
    weights = figure.weights(
        state,
        s.trace,
        title=text["pattern/title"],
        what="share of all:",
        form="percent",
        row_title=text["pattern/rows"],
        column_title=text["pattern/columns"],
        sentence=ui_text("share_of"),
    )
    return [
        on_offer(state, now),
        figure.Column([figure.pictured(on_the_plane(state)), *what_is_drawn(state)], share=1.15, least=320),
        figure.Column(beside),
        figure.Column([*weights, figure.remark(text["pattern"])], least=figure.WHOLE_WIDTH),
    ]


def on_the_plane(state: State) -> figure.Part:
    """The table of words as places under the hand; the word of interest moves away from its own."""
    base = state.worked_example
    tinted = figure.are_tech_and_fruit(base.axes)
    known = {*vocabulary.table((), vocabulary.neighbours(BESIDE, base)), *base.lexicon}
    places = figure.vectors(
        s.vectors,
        names=s.table,
        handles=True,
        places=True,
        tinted=tinted,
        among=s.ids,
        outside=state.text.plain("outside"),
        through=s.ids,
        focus=s.word,
        little=0.75,
        little_name=state.text["little"],
    )
    marks = [
        *([] if base.learned else [figure.diagonal()]),  # on directions without a name it tells nothing apart
        figure.pulls(STATIC, s.x, WEIGHTS, tinted=tinted),
        places,
        *displacements_elsewhere(phrases_elsewhere(state)),
        figure.displacement(STATIC, CONTEXT, label=state.text["arrow"], result=True),
    ]
    hint = "hint" if set(state.words) <= known else "new_words"
    low, high = (-LEARNED_REACH, LEARNED_REACH) if base.learned else (-1, 6)
    title = state.text.plain(section(state, "figure"))
    return figure.plane(state, base.axes, marks, low=low, high=high, title=title, hint=hint)


def displacements_elsewhere(phrases: Sequence[Example]) -> list[figure.Part]:
    """Where the word of interest moves in the other phrases that say it, paler."""
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


def who_pulls(state: State) -> figure.Part:
    """The sentence with each word's attention weight, following the hand."""
    return figure.sentence(
        WEIGHTS,
        head=state.text.around("pulls/head", word=s.words[s.word]),
        ask=state.text["pulls/ask"],
        tinted=s.x if figure.are_tech_and_fruit(state.worked_example.axes) else None,
        title=state.text["pulls/title"],
    )


def with_numbers(state: State) -> figure.Part:
    """The new vector, one axis a line: weights times vectors."""

    def term(axis: int, name: str, place: int) -> f.Tree:
        share = f.number(WEIGHTS[place], [f"{name} share ", s.words[place]], veiled=True)
        return f.row(share, "×", f.number(s.x[place, axis], [f"{name} of ", s.words[place]]))

    def line(axis: int, name: str) -> f.Tree:
        terms = [term(axis, name, place) for place in range(len(state.words))]
        result = f.number(CONTEXT[axis], ["context ", s.words[s.word], f" {name}"], result=True)
        return f.row(name, "=", f.most(3, WEIGHTS, terms, least=0.005), "=", result)

    return figure.formulas({name: line(axis, name) for axis, name in enumerate(state.worked_example.axes)})


def stands_still(now: Results) -> bool:
    """Whether nothing moves the word of interest."""
    return bool(now[s.shift_length[s.word]] < 1e-9)


def in_words(state: State, now: Results) -> figure.Part:
    """The rule; or, where nothing moves the word of interest, that."""
    still = fact(now, stands_still)
    return figure.remark(state.text.plain("still" if still else "rule", word=now.words[now.word]))


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, axes, titles = calculate(state), state.worked_example.axes, state.text.parts("tables")
    return {
        titles["vectors"]: pd.DataFrame(state.vectors, now.table, axes),
        titles["context"]: pd.DataFrame(now.trace.context, now.words, axes),
        titles["weights"]: pd.DataFrame(now.trace.weights, now.words, now.words),
    }


LESSON = Lesson(
    "embeddings",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=lambda state, now: [question(state, now)],
    title=lambda state: state.text.plain(section(state, "figure")),
    paragraphs=lambda state: [section(state, "text"), "lookup", "tokens", "last_vector"],
    first_move=lambda state, now: state.spoken("other"),
    tables=tables,
    program=lambda state: {
        "sentence": list(state.words),
        "table": list(vocabulary.lookup(state, BESIDE)["table"]),
        "vectors": state.vectors,
    },
    trained=("readable",),
)
