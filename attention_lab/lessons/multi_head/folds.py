"""What is computed only once its fold is open: a matrix in two steps, and the rest of a block."""

from functools import lru_cache
from typing import Any

import numpy as np

import attention_core
from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.figure.parts import constant
from attention_lab.state.state import State
from attention_lab.text.number_format import format_share, format_whole

from .calculation import RANDOM, HeadSet, heads_of
from .parts import column

SEED = 5


# A square matrix, down to a few numbers and up again -----------------------------------------------------


@lru_cache(32)
def square_matrix(heads: HeadSet, name: str) -> np.ndarray:
    """A random matrix with nothing to say, or what a head does besides weighing: value down, value up."""
    example = heads.example
    if name == RANDOM:
        d = len(example.axes)
        return np.random.default_rng(SEED).standard_normal((d, d)) / d**0.5
    k = example.heads.index(name)
    return np.matmul(example.W_value[k], example.W_output[k])


@lru_cache(128)
def in_two_steps(heads: HeadSet, name: str, inner: int) -> attention_core.LowRank:
    """The same matrix through so few dimensions."""
    return attention_core.low_rank(square_matrix(heads, name), inner)


def map_names(state: State) -> dict[str, str]:
    """What the square matrices are called."""
    of_heads = {name: state.text.plain(f"heads/{name}") for name in heads_of(state).example.heads}
    return {RANDOM: state.text["low_rank/random"]} | of_heads


def sizes_text(state: State) -> str:
    """How much gets through the two steps, and how many numbers they have, here and at GPT-3's size."""
    d, inner, gpt = len(heads_of(state).example.axes), int(state.inner), attention_core.SHAPES["gpt3"]
    halves = in_two_steps(heads_of(state), state.map, inner)
    return state.text.filled(
        "low_rank/told",
        kept=format_share(halves.retained),
        square=format_whole(d * d),
        steps=format_whole(2 * d * inner),
        d=str(d),
        inner=str(inner),
        rank=str(int((halves.singular_values > 1e-9).sum())),
        gpt3_square=format_whole(gpt.d_model**2),
        gpt3_step=format_whole(gpt.d_model * gpt.d_k),
        gpt3_less=str(gpt.d_model // (2 * gpt.d_k)),
    )


def two_steps_constants(state: State) -> dict[str, Any]:
    """What `two_steps` shows."""
    halves = in_two_steps(heads_of(state), state.map, int(state.inner))
    return {
        "axes": heads_of(state).example.axes,
        "matrix": square_matrix(heads_of(state), state.map),
        "through": halves.through,
        "sizes": halves.singular_values,
    }


def two_steps(state: State) -> list[figure.Column]:
    """The matrix, what gets through two steps of it, and how much each dimension carries."""
    maps = [
        figure.Column([figure.heading(state.text[f"low_rank/{of}"]), square_map(state, of, what)], least=240)
        for of, what in (("matrix", "one step"), ("through", "two steps"))
    ]
    sizes = figure.part(
        "through",
        of=constant("sizes"),
        kept=int(state.inner),
        title=state.text["low_rank/sizes"],
        what="singular value",
    )
    return [*maps, figure.Column([sizes], least=300)]


def square_map(state: State, of: str, what: str) -> figure.Part:
    """A square matrix from features to features."""
    return figure.heatmap(
        constant(of),
        title=state.text[f"low_rank/{of}"],
        what=what,
        limit=1.0,
        rows=constant("axes"),
        columns=constant("axes"),
        row_title="",
        column_title="",
        row=None,
        column=None,
        form="hundredths",
        small=True,
    )


# The rest of a block -------------------------------------------------------------------------------------


@lru_cache(8)
def feed_forward(heads: HeadSet) -> attention_core.FeedForward:
    """The network of the block, as it is before training."""
    return attention_core.random_feed_forward(len(heads.example.axes), seed=SEED)


def block_constants(state: State, now: Results) -> dict[str, Any]:
    """Every vector between the block's input and its output, by name, and what `block` says of the words."""
    example = heads_of(state).example
    heads_on = example.W_output * state.heads[0][:, None, None]
    attention = attention_core.MultiHeadAttention(example.W_query, example.W_key, example.W_value, heads_on)
    steps = attention_core.block_steps(now.x, attention, feed_forward(heads_of(state)), state.norm == "before")
    return steps | {"words": now.words, "word": now.word}


def block(state: State, shown: dict[str, Any]) -> list[figure.Column]:
    """The chosen word's way through a whole block, `shown` as `block_constants` returns it."""
    signs = dict.fromkeys(("attention", "feed_forward"), "+") | dict.fromkeys(("sum", "second_sum"), "=")
    signs |= dict.fromkeys(("norm", "second_norm"), "→")
    roles = {"attention": "context", "feed_forward": "context", "x": "word"}
    columns = [
        column(
            constant(name),
            state.text[f"block/{name}"],
            what=name,
            sign=signs.get(name, ""),
            role=roles.get(name, ""),
        )
        for name in shown
        if name not in ("words", "word")
    ]
    past = [(0, 3), (3, 6)] if state.norm == "before" else [(0, 2), (3, 5)]  # attention, and feed-forward
    table = figure.part(
        "addends",
        columns=columns,
        axes=heads_of(state).example.axes,
        names=figure.WORDS,
        title=state.text.plain("block/title", word=state.word),
        full=heads_of(state).full,
        arcs=[(start, end, state.text["block/kept"]) for start, end in past],
    )
    return [figure.Column([table])]
