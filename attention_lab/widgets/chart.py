"""Putting a chart on the page: a constant spec, its data, and what choosing a cell does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attention_lab.text import say
from attention_lab.text.number_format import format_settled

from .page_layout import badge
from .session import Page


def show(
    data: pd.DataFrame,
    spec: dict[str, Any],
    *,
    key: str,
    on_choose: Callable[[str, str], None] | None = None,
    turned: bool = False,
    width: int | str = "stretch",
    provenance: str = "",
) -> None:
    """Draw a chart. `width` is in pixels; above it a badge, if its `provenance` is told.

    `on_choose` is called with the names of the row and the column of a chosen cell."""
    if provenance:
        badge(provenance)
    if on_choose is None:
        st.vega_lite_chart(data, spec, key=key, width=width)
        return

    def chosen() -> None:
        if cell := _cell(st.session_state[key]):
            on_choose(*(reversed(cell) if turned else cell))

    st.vega_lite_chart(data, spec, key=key, width=width, on_select=chosen, selection_mode="cell")


def abreast(page: Page, charts: Mapping[str, tuple[str, pd.DataFrame, dict[str, Any]]]) -> None:
    """Charts beside one another, by their names: each its caption, its data and its spec."""
    for column, (name, (caption, data, spec)) in zip(st.columns(len(charts)), charts.items(), strict=True):
        with column:
            st.caption(caption)
            show(data, spec, key=page.key(name))


def _cell(said: Any) -> tuple[str, str] | None:
    """The row and the column of the cell chosen, if one is: whatever a browser may send."""
    try:
        cell = said["selection"]["cell"][0]
        names = cell["row"], cell["column"]
    except (KeyError, IndexError, TypeError):
        return None
    return names if all(isinstance(name, str) for name in names) else None


def heatmap(
    page: Page,
    drawn_by: ModuleType,
    matrix: np.ndarray,
    names: Sequence[str],
    *,
    of: Sequence[str],
    limit: float,
    workings: Callable[[int, int], str],
    key: str,
    kind: str = "attention",
    pair: tuple[str, str] | None = None,
    above: str = "",
    width: int | str = "stretch",
) -> None:
    """All against all, `drawn_by` the module ``attention_lab.charts.heatmap``.

    `of` names the page's fields that the numbers depend on. Where these come from is written in the corner,
    unless it is what the figure above says, `above`. `workings` returns how the number in a row and a column is
    computed. `pair` names the page's fields that choosing a cell sets. For `limit` and `kind` see
    `attention_lab.charts.heatmap`.
    """
    turned, places = page.orientation == "columns", range(len(names))
    provenance = page.provenance_of(*of)
    data = drawn_by.rows(
        matrix,
        names,
        names,
        limit=limit,
        texts=[[format_settled(number) for number in row] for row in matrix],
        workings=[[workings(asks, answers) for answers in places] for asks in places],
        chosen=tuple(names.index(getattr(page, name)) for name in pair) if pair else None,
        turned=turned,
        provenance="" if provenance == above else say(f"badge_labels/{provenance}"),
    )
    show(
        data,
        drawn_by.spec(kind, turned=turned, mirrored=drawn_by.runs_left(names)),
        key=page.key(key),
        on_choose=(lambda *chosen: page.put(**dict(zip(pair, chosen, strict=True)))) if pair else None,
        turned=turned,
        width=width,
    )
