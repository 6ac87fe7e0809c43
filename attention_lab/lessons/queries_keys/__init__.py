"""Queries and keys: two matrices, or one for both, and who looks at whom by them."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from attention_core import dot_product
from attention_lab.calculation import Results
from attention_lab.charts import landscape
from attention_lab.lesson import Lesson
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.state.vocabulary import example_setting
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import format_number, products

from .calculation import calculate, has_apples, question
from .fields import AS_IT_IS, FEATURES, FIELDS, PLANES, initial_matrix, ways
from .parts import drags_arrows, draw, reach

MATRICES = ("W_query", "W_key")
PARAGRAPHS = {"two": "library", "one": "best_space", "features": "features"}  # of the page's words, by the way

# Ways in -----------------------------------------------------------------------------------------------


def take_way(state: State, way: str) -> permalink.Values:
    """Go another way in: with the matrices at hand where they fit, else with words and matrices of its own."""
    known = dict(state.values)
    if way not in ways(known):
        known = {"example": FEATURES[0] if way == "features" else PLANES[0]}
    elif all(permalink.same(known[name], initial_matrix(name)(known)) for name in MATRICES):
        known = {name: value for name, value in known.items() if not name.startswith("W_")}
    elif way == "one":  # what was made of the one serves for both
        known["W_key"] = known["W_query"]
    known = {name: value for name, value in known.items() if name not in ("start", "goal")} | {"way": way}
    return permalink.complete(state.fields, known)


def take_start(state: State, start: str) -> permalink.Values:
    """Begin with ready-made matrices."""
    known = {name: value for name, value in state.values.items() if name not in ("W_query", "W_key")}
    return permalink.complete(state.fields, known | {"start": start})


def matrices(state: State) -> dict[str, str]:
    """The matrices that can be typed in, and what they are called."""
    if state.way == "one":
        return {"W_query": state.text["matrices/both"]}
    return {name: state.text[f"matrices/{name}"] for name in MATRICES}


# Further -----------------------------------------------------------------------------------------------


def seen(state: State, now: Results) -> pd.DataFrame:
    """The landscape of scores that the asking word sees over the plane: what the chart draws."""
    asking, ids = now.word, now.ids
    key = now.W_query if state.way == "one" else now.W_key
    query, edge = now.query[[asking]], reach(state)
    firsts = [ids.index(row) for row in range(len(state.vectors))]
    return landscape.rows(
        dot_product(query, landscape.grid(edge) @ key)[0],
        dot_product(query, AS_IT_IS @ key)[0],
        edge,
        names=now.table,
        places=state.vectors,
        texts=[format_number(now.trace.scores[asking, place]) for place in firsts],
        axes=now.axes,
        asks=ids[asking],
        write=format_number,
    )


def wanted_features(state: State) -> np.ndarray:
    """W_query W_keyᵀ: how much each feature of the asking word wants each feature of the other."""
    return dot_product(state.W_query, state.W_key)


def workings(state: State) -> Callable[[int, int], str]:
    """How the number of two features, by their places, was made."""
    return lambda asks, answers: products(state.W_query[asks], state.W_key[answers])


# To take away ------------------------------------------------------------------------------------------


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, called = calculate(state), state.text.parts("tables")
    names, axes = now.words, now.axes
    two = [state.text["axes/first"], state.text["axes/second"]]
    result = {called["words"]: pd.DataFrame(now.x, names, axes)}
    result |= {called[name]: pd.DataFrame(now[name], axes, two) for name in MATRICES}
    result |= {called[name]: pd.DataFrame(now[name], names, two) for name in ("query", "key")}
    of_pairs = {"scores": now.trace.scores, "weights": now.trace.weights}
    result |= {called[name]: pd.DataFrame(matrix, names, names) for name, matrix in of_pairs.items()}
    if has_apples(state):
        told = state.text["separation"]
        result[told] = pd.DataFrame({told: [float(now.separation)]})
    return result


def for_programs(state: State) -> dict[str, list | np.ndarray | bool | None]:
    """What the two programs begin with."""
    now = calculate(state)
    return {
        "words": list(now.words),
        "vectors": now.x,
        "W_query": state.W_query,
        "W_key": state.W_query if state.way == "one" else state.W_key,
        "only_earlier": now.mask is not None,
        "apart": ["orange", "apple", "phone"] if has_apples(state) else None,
    }


def predictions(state: State, now: Results) -> list[Prediction]:
    """Where does a word attend, or what do the matrices leave?"""
    return [Prediction(*question(state, now), names={"other": escape_markdown(state.other)})]


LESSON = Lesson(
    "queries_keys",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    title=lambda state: state.text.plain("figure_by_features" if state.way == "features" else "figure"),
    settings=lambda state: {
        **example_setting(state),
        "way": {way: state.text[f"ways/{way}"] for way in ways(state.values)},
    },
    paragraphs=lambda state: ["text", PARAGRAPHS[state.way]],
    # a query, or a row of the query matrix
    first_move=lambda state, now: (
        f"query {state.spoken('word')}" if drags_arrows(state) else f"W_query {state.feature}"
    ),
    tables=tables,
    program=for_programs,
)
