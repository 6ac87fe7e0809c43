"""Two experiments beside the stage: three scores in a triangle, and random scores over the width d."""

from typing import Any

import pandas as pd

from attention_core import RandomScores, random_scores
from attention_lab.charts import curves
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.escape_markdown import escape_markdown

from .calculation import WIDTHS


def of_three(state: State, names: list[str]) -> str:
    """Say whose scores alone count in the triangle."""
    return state.text.filled("triangle/three", words=escape_markdown(listed(names)))


def sample(state: State, width: str = "") -> RandomScores:
    """Random queries and keys of the width chosen, or of another, from the seed chosen."""
    return random_scores(int(width or state.d), int(state.seed))


def over_d(state: State) -> dict[str, tuple[str, pd.DataFrame, dict[str, Any]]]:
    """What the width does to the scores and to their softmax, divided and not: caption, data and spec by name."""
    samples, now = [sample(state, width) for width in WIDTHS], sample(state)

    def caption(name: str) -> str:
        plain, divided = (curves.written(name, getattr(spread, name)) for spread in (now.plain, now.divided))
        return state.text.filled(f"root_d/{name}", plain=plain, divided=divided)

    return {
        name: (caption(name), curves.rows(samples, name, now.d_k), spec) for name, spec in curves.over_d().items()
    }
