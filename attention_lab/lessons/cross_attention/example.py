"""The worked examples of Cross-attention: what lies on the stage, what is predicted, what can be exported."""

from typing import Any

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Expression, Results
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.labels import labels

from .calculation import ACROSS as s
from .calculation import (
    ADJECTIVE,
    FIELDS,
    HOW_MANY,
    MASKS,
    MATRICES,
    calculate,
    goal_names,
    reachable_goals,
    sizes_to_guess,
    words_that_answer,
)


def can_be_guessed(state: State) -> bool:
    """Whether the numbers of weights to choose from differ: 2 + 2 and 2 × 2 do not."""
    sizes = sizes_to_guess(state)
    return len(set(sizes.values())) == len(sizes)


def sizes_named(state: State) -> dict[str, str]:
    """How many words ask and answer, and the numbers of weights to choose from, as the question says them."""
    counts = {"n": len(state.words), "m": len(words_that_answer(state))} | sizes_to_guess(state)
    return {name: str(count) for name, count in counts.items()}


# What lies on the stage --------------------------------------------------------------------------------------


def draw(state: State, now: Results, waits: Hidden) -> list[figure.Column]:
    """The links, the queries among the keys, and the matrices of weights and contexts.

    Whom the chosen word finds is hidden until the first prediction, the shape of the pattern until the last.
    """
    hidden = waits[0]
    formulas = [] if hidden else [with_numbers(state)]  # its names would tell whom the word finds
    goals = figure.goals(state, reachable_goals(state, now), now, names=goal_names(state, now))
    matrices = [contexts(state)] if waits[-1] else [weights(state), contexts(state)]
    needs_mask = state.options("goal").index("lost")
    mask = figure.fold(state.text["mask"], figure.Column([choose_mask(state)]), goals=[needs_mask])
    return [
        goals,
        figure.Column([figure.pictured(alignment(state)), *formulas, mask], share=1.5, least=560),
        figure.Column([figure.pictured(queries_and_keys(state, hidden))], least=320),
        *matrices,
    ]


def alignment(state: State) -> figure.Part:
    """Two lines of words, and between them a link for every pair, as strong as its weight.

    The words that answer can change places, unless they are the same sentence's.
    """
    text, across = state.text, state.looks == "across"
    return figure.part(
        "links",
        title=text.plain("figure"),
        asks=labels(state.words),
        answers=labels(words_that_answer(state)),
        heads=[text["links/asks"], text["links/answers" if across else "links/itself"]],
        weights=s.trace.weights,
        strongest=s.strongest,
        lost=s.lost,
        crossings=s.crossings,
        masked=s.mask,
        order=s.seats if across else None,
        said=s.word_at,
        stands=s.place_of,
        focus=s.word,
        badge=True,
        what="link",
        texts={name: text[f"links/{name}"] for name in ("crossings", "lost", "kept")},
    )


def choose_mask(state: State) -> figure.Part:
    """What a causal mask by place would hide."""
    names = [state.text[f"mask/{name}"] for name in MASKS]
    which = "" if state.looks == "across" else "itself_"
    descriptions = [state.text[f"notes_on/{which}{name}"] for name in MASKS]
    return figure.options(s.mask, state.text["mask/label"], names, descriptions=descriptions)


def with_numbers(state: State) -> figure.Part:
    """The chosen word's strongest link, from the score to the weight, with its present numbers."""
    asks, answer = f.name(s.words[s.word], "query"), f.name(s.answering[s.partner], "key")
    query, key = s.query[s.word], s.key[s.partner]
    terms = [
        f.row(
            f.number(query[k], [f"query {k + 1} ", s.words[s.word]]),
            "×",
            f.number(key[k], [f"key {k + 1} ", s.answering[s.partner]]),
        )
        for k in range(2)
    ]

    def of_pair(matrix: Expression, what: str, form: str = "settled") -> f.Tree:
        return f.number(matrix[s.word, s.partner], what, result=True, form=form)

    over_root = f.fraction(of_pair(s.trace.scores, "over root"), f.root("2"))
    scaled, weight = (
        of_pair(s.trace.scaled_scores, "line scaled"),
        of_pair(s.trace.weights, "line weight", "share"),
    )
    lines = {
        "score": f.row(
            f.row(f.index("q", asks), "·", f.index("k", answer)),
            "=",
            f.joined("+", terms),
            "=",
            of_pair(s.trace.scores, "line score"),
        ),
        "weight": f.row(over_root, "=", scaled, "→", state.text["formula/softmax"], "→", weight),
    }
    return figure.formulas(lines, small=True)


def queries_and_keys(state: State, hidden: bool) -> figure.Part:
    """The queries under the hand, among the keys of the words that answer; other words make it a new picture."""
    keys = figure.vectors(
        s.key_of_word,
        names=s.answers,
        role="key",
        prefix="k",
        form="wide",
        little=0.3,
        about=" ".join(words_that_answer(state)),
    )
    queries = figure.vectors(
        s.query,
        role="query",
        prefix="q",
        handles=True,
        pushed=s.pushed,
        base=s.query_unmoved,
        focus=s.word,
        takes=True,
    )
    shadow = [] if hidden else [figure.projection(s.key[s.partner], onto=s.query[s.word])]
    return figure.plane(
        state,
        axes_named(state),
        [*shadow, keys, queries],
        title=state.text.plain("figure_plane"),
        hint="hint" if state.looks == "across" else "hint_itself",
    )


def axes_named(state: State) -> list[str]:
    """What the two axes of queries and keys are called."""
    return [state.text["axes/first"], state.text["axes/second"]]


def weights(state: State) -> figure.Column:
    """The alignment as a heatmap."""
    text, turned = state.text, state.orientation == "columns"
    shown = figure.heatmap(
        s.trace.weights,
        title=text[f"weights/{state.looks}"],
        what="weight",
        limit=1.0,
        scale="share",
        form="share",
        columns=s.answering,
        column=None,
        mask=s.may_look,
        closed=text["weights/closed"],
        computed_from=[s.trace.masked_scores],
        idle=text["weights/idle"],
        turned=turned,
    )
    return figure.Column([figure.heading(text[f"weights/{state.looks}"]), shown], share=1, least=420, turn=2)


def contexts(state: State) -> figure.Column:
    """What comes out: a vector for each French word, mixed from the values of those that answer."""
    text = state.text
    shown = figure.heatmap(
        s.trace.context,
        title=text["contexts"],
        what="context",
        limit=1.0,
        form="two",
        columns=s.axes,
        row_title=text["contexts/word"],
        column_title=text["contexts/feature"],
        column=None,
        computed_from=[s.trace.weights, s.value_columns],
        idle=text["contexts/idle"],
        turned=state.orientation == "columns",
    )
    return figure.Column([figure.heading(text["contexts"]), shown], share=1.15, least=420, turn=2)


# What can be taken away --------------------------------------------------------------------------------------


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, features, two = calculate(state), state.worked_example.axes, axes_named(state)
    asks, answer, trace = now.words, now.answering, now.trace
    result = {
        "weights": pd.DataFrame(trace.weights, asks, answer),
        "scores": pd.DataFrame(trace.masked_scores, asks, answer),
        "queries": pd.DataFrame(now.query, asks, two),
        "keys": pd.DataFrame(now.key, answer, two),
        "values": pd.DataFrame(now.value, answer, features),
        "contexts": pd.DataFrame(trace.context, asks, features),
    }
    return {state.text[f"tables/{name}"]: table for name, table in result.items()}


def for_programs(state: State) -> dict[str, Any]:
    """What the programs begin with: the words that answer stand in their order on screen."""
    now = calculate(state)
    return {
        "words": list(state.words),
        "memory_words": [words_that_answer(state)[word] for word in now.word_at],
        "x": now.x,
        "memory": now.memory[now.word_at],
        **{name: now[name] for name in (*MATRICES, "pushed")},
        "may_look": np.asarray(now.may_look).tolist(),
    }


def predictions(state: State, now: Results) -> list[Prediction]:
    """Where does a word attend; and how many weights are there?"""
    first = Prediction(ADJECTIVE, now, names={"asks": escape_markdown(state.word)})
    return [first, Prediction(HOW_MANY, now, names=sizes_named(state))] if can_be_guessed(state) else [first]


LESSON = Lesson(
    "cross_attention",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    paragraphs=lambda state: ["text", "no_causal_mask", "sound"],
    first_move=lambda state, now: state.word,
    tables=tables,
    program=for_programs,
)
