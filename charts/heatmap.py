"""A matrix as a heatmap: its numbers written in the cells, hover shows how each was made."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from .theme import SIGNED, constant


def _spec(row_title: str, column_title: str, *, sentence: bool = False) -> dict:
    """Queries down, keys across; colour is the sign, its strength the size (`shade`, between −1 and 1).

    For a `sentence` there is room for the names of 16 words.
    """
    axis = {"labelLimit": 110, "labelFontSize": 13, "titleFontSize": 12, "ticks": False, "domain": False}
    axis |= {"labelOverlap": False} if sentence else {}
    across = axis | {"labelAngle": -40 if sentence else 0}
    base = alt.Chart(pd.DataFrame({"row": [""]})).encode(
        x=alt.X(
            "column:N",
            sort=alt.EncodingSortField("across", op="min"),
            title=column_title,
            axis=alt.Axis(orient="top", **across),
        ),
        y=alt.Y("row:N", sort=alt.EncodingSortField("down", op="min"), title=row_title, axis=alt.Axis(**axis)),
        tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("made:N", title="=")],
    )
    chosen = alt.selection_point(name="cell", fields=["row", "column"], toggle=False, empty=False)
    cells = base.mark_rect(cornerRadius=3, stroke="#888", tooltip=True).encode(
        color=SIGNED,
        opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.95]), legend=None),
        strokeWidth=alt.condition("datum.chosen", alt.value(3), alt.value(0.4)),
    )
    numbers = base.mark_text(fontSize=12 if sentence else 14, tooltip=True).encode(
        text="text:N",
        color=alt.condition("datum.strength > 0.75", alt.value("#ffffff"), alt.value("currentColor")),
    )
    badge = base.mark_text(align="left", fontSize=11, fontStyle="italic", tooltip=False).encode(
        x=alt.value(0), y=alt.value(-48), text="badge:N", tooltip=alt.value(None), color=alt.value("currentColor")
    )
    chart = (cells.add_params(chosen) + numbers + badge).properties(
        height=430 if sentence else 300, description="A heatmap. Its numbers are in the table under Take away."
    )
    return constant(chart)


TITLES = {
    "attention": ("query (asks)", "key (answers)"),
    "shares": ("each word", "takes from"),
    "pairs": ("word", "and word"),
}
SPECS = {
    (kind, turned, sentence): _spec(*(titles[::-1] if turned else titles), sentence=sentence)
    for kind, titles in TITLES.items()
    for turned in (False, True)
    for sentence in (False, True)
}


def spec(kind: str = "attention", *, turned: bool, sentence: bool = False) -> dict:
    """The heatmap of a `kind` of titles, its queries in columns if `turned`.

    ``attention`` speaks of queries and keys; ``shares`` and ``pairs`` do not yet.
    """
    return SPECS[kind, turned, sentence]


def rows(
    matrix: np.ndarray,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    limit: float,
    texts: Sequence[Sequence[str]],
    made: Sequence[Sequence[str]],
    chosen: tuple[int, int] | None = None,
    turned: bool = False,
    provenance: str = "",
) -> pd.DataFrame:
    """The heatmap's data, one row a cell.

    `limit` is the size at which colour is full: it belongs to the page, so that a cell's colour means the same
    while things move. `turned` exchanges rows and columns; `provenance` is written in the corner.
    """
    n, m = matrix.shape
    i, j = np.divmod(np.arange(n * m), max(m, 1))
    numbers = matrix.ravel() / limit
    shade = np.where(np.isfinite(numbers), np.clip(numbers, -1, 1), 0.0)  # −∞ and undefined have no colour
    asks, answers = np.array(row_labels, dtype=object)[i], np.array(column_labels, dtype=object)[j]
    return pd.DataFrame(
        {
            "row": answers if turned else asks,
            "column": asks if turned else answers,
            "down": j if turned else i,  # names keep the order of the data when it changes
            "across": i if turned else j,
            "shade": shade,
            "strength": np.abs(shade),
            "text": [texts[a][b] for a, b in zip(i, j, strict=True)],
            "name": [f"{row_labels[a]} → {column_labels[b]}" for a, b in zip(i, j, strict=True)],
            "made": [made[a][b] for a, b in zip(i, j, strict=True)],
            "badge": [provenance] + [""] * (n * m - 1) if n * m else [],
            "chosen": [(a, b) == chosen for a, b in zip(i.tolist(), j.tolist(), strict=True)],
        }
    )
