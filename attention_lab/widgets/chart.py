"""Putting a chart on the page: a constant spec, and its data."""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attention_lab.text import ui_text
from attention_lab.text.number_format import format_near_zero

from .page_layout import badge
from .session import Page


def show(data: pd.DataFrame, spec: dict[str, Any], *, key: str, provenance: str = "") -> None:
    """Draw a chart; below it a badge, if its `provenance` is told."""
    st.vega_lite_chart(data, spec, key=key, width="stretch")
    if provenance:
        badge(provenance)


def abreast(page: Page, charts: Mapping[str, tuple[str, pd.DataFrame, dict[str, Any]]]) -> None:
    """Charts beside one another, by their names: each its caption, its data and its spec."""
    for column, (name, (caption, data, spec)) in zip(st.columns(len(charts)), charts.items(), strict=True):
        with column:
            st.caption(caption)
            show(data, spec, key=page.key(name))


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
) -> None:
    """All against all, `drawn_by` the module ``attention_lab.charts.heatmap``.

    `of` names the page's fields that the numbers depend on. Where these come from is written in the corner.
    `workings` returns how the number in a row and a column is computed. For `limit` see
    `attention_lab.charts.heatmap`.
    """
    turned, places = page.state.orientation == "columns", range(len(names))
    data = drawn_by.rows(
        matrix,
        names,
        names,
        limit=limit,
        texts=[[format_near_zero(number) for number in row] for row in matrix],
        workings=[[workings(asks, answers) for answers in places] for asks in places],
        turned=turned,
        provenance=ui_text(f"badge_labels/{page.provenance_of(*of)}"),
    )
    show(data, drawn_by.spec(turned=turned, mirrored=drawn_by.runs_left(names)), key=page.key(key))
