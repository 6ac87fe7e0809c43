"""Putting a chart on the page: a constant spec, its data, and what choosing a cell does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from .lesson import Lesson


def draw(
    data: pd.DataFrame,
    spec: dict[str, Any],
    *,
    key: str,
    on_choose: Callable[[str, str], None] | None = None,
    turned: bool = False,
    width: int | str = "stretch",
) -> None:
    """Draw a chart. `width` is in pixels.

    `on_choose` is called with the names of the row and the column of a chosen cell."""
    if on_choose is None:
        st.vega_lite_chart(data, spec, key=key, width=width)
        return

    def chosen() -> None:
        cells = st.session_state[key].selection.get("cell")
        if cells:
            row, column = cells[0]["row"], cells[0]["column"]
            on_choose(*((column, row) if turned else (row, column)))

    st.vega_lite_chart(data, spec, key=key, width=width, on_select=chosen, selection_mode="cell")


def pattern(
    lesson: Lesson,
    heatmap: ModuleType,
    matrix: np.ndarray,
    names: Sequence[str],
    *,
    limit: float,
    text: Callable[[float], str],
    made: Callable[[int, int], str],
    key: str = "pattern",
    kind: str = "attention",
    sentence: bool = False,
    width: int | str = "stretch",
) -> None:
    """Words that ask and words that answer, as the page's kind of `heatmap`; choosing a cell chooses the pair.

    `text` writes a number into its cell, and `made` says how the one in a row and a column was made. For `limit`,
    `kind` and `sentence` see `charts.heatmap`.
    """
    turned, places = lesson.orientation == "columns", range(len(names))
    data = heatmap.rows(
        matrix,
        names,
        names,
        limit=limit,
        texts=[[text(number) for number in row] for row in matrix],
        made=[[made(asks, answers) for answers in places] for asks in places],
        chosen=(names.index(lesson.word), names.index(lesson.other)),
        turned=turned,
        provenance=lesson.provenance,
    )
    draw(
        data,
        heatmap.spec(kind, turned=turned, sentence=sentence),
        key=lesson.key(key),
        on_choose=lambda asks, answers: lesson.put(word=asks, other=answers),
        turned=turned,
        width=width,
    )
