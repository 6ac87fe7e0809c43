"""Putting a chart on the page: a constant spec, its data, and what choosing a cell does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st


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
