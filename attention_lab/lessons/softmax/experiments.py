"""Two experiments beside the stage: three scores in a triangle, and random scores over the width d."""

from __future__ import annotations

from typing import Any

import pandas as pd

from attention_core import RandomScores, random_scores
from attention_lab.calculation import Results
from attention_lab.charts import curves, shares, simplex
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import format_number

from .calculation import WIDTHS


def three_words(now: Results) -> list[int] | None:
    """The positions of three words for the triangle's corners, where so many are counted."""
    return simplex.three(now.counted[0], now.word, now.other)


def named(state: State, three: list[int], now: Results) -> str:
    """Whose scores alone count in the triangle."""
    return state.text.filled("triangle/three", words=escape_markdown(listed(now.words[place] for place in three)))


def in_the_triangle(state: State, three: list[int], now: Results) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Three scores as a point among all weights of three, with the path that temperature draws: data and spec."""
    names = [now.words[place] for place in three]
    return simplex.rows(now.counted[0, three], names, state.temperature), simplex.spec()


def sample(state: State, width: str = "") -> RandomScores:
    """Random queries and keys of the width chosen, or of another, from the seed chosen."""
    return random_scores(int(width or state.d), int(state.seed))


def one_query(state: State) -> tuple[pd.DataFrame, dict[str, Any]]:
    """One random query of the width chosen and the weights of its keys, scaled and not: data and spec."""
    return shares.rows(sample(state)), shares.spec()


def over_d(state: State) -> dict[str, tuple[str, pd.DataFrame, dict[str, Any]]]:
    """What the width does to the scores and to their softmax, divided and not: caption, data and spec by name."""
    samples, now = [sample(state, width) for width in WIDTHS], sample(state)

    def caption(name: str) -> str:
        plain, divided = (format_number(getattr(spread, name)) for spread in (now.plain, now.divided))
        return state.text.filled(f"root_d/{name}", plain=plain, divided=divided)

    return {
        name: (caption(name), curves.rows(samples, name, now.d_k), spec) for name, spec in curves.over_d().items()
    }
