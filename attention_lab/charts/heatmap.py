"""A matrix as a heatmap: its numbers written in the cells, hover shows how each is computed."""

import copy
import unicodedata
from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from attention_lab.text import read
from attention_lab.text.languages import by_language
from attention_lab.theme import NEGATIVE, POSITIVE

from .theme import SIGNED, constant

OPACITY = (0.04, 0.95)  # of a cell's colour, at zero and at the limit
PERCENT = f"{100 * OPACITY[0]} + {100 * (OPACITY[1] - OPACITY[0])} * datum.strength"
# The page behind the cells is white where letters are dark, and black where they are bright.
PAGE = f"color(from currentColor srgb {' '.join(['clamp(0, (0.5 - g) * 1e6, 1)'] * 3)})"
CELL = f"'color-mix(in srgb, ' + (datum.shade < 0 ? '{NEGATIVE} ' : '{POSITIVE} ') + ({PERCENT}) + '%, {PAGE})'"
# A number is black or white, whichever has more contrast with its cell: at a luminance (y) of 0.179 both have
# 4.58 : 1.
WHITE = "clamp(0, (0.179 - y) * 1e6, 1)"
INK = f"'color(from ' + {CELL} + ' xyz-d65 calc(0.9505 * {WHITE}) {WHITE} calc(1.089 * {WHITE}))'"


@by_language()
def _spec() -> dict:
    """Colour is the sign, its strength the size (`shade`, between −1 and 1); titles come later."""
    axis = {"labelLimit": 110, "labelFontSize": 12, "titleFontSize": 12, "ticks": False, "domain": False}
    base = alt.Chart(pd.DataFrame({"row": [""]})).encode(
        x=alt.X(
            "column:N",
            sort=alt.EncodingSortField("across", op="min"),
            title="",
            axis=alt.Axis(orient="top", labelAngle=0, **axis),
        ),
        y=alt.Y("row:N", sort=alt.EncodingSortField("down", op="min"), title="", axis=alt.Axis(**axis)),
        tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("workings:N", title="=")],
    )
    cells = base.mark_rect(cornerRadius=3, stroke="#888", tooltip=True).encode(
        color=SIGNED,
        opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=list(OPACITY)), legend=None),
        strokeWidth=alt.value(0.4),
    )
    numbers = base.mark_text(fontSize=14, tooltip=True).encode(
        text="text:N",
        color=alt.Color("ink:N", scale=None),
    )
    badge = base.mark_text(align="left", fontSize=12, fontStyle="italic", tooltip=False).encode(
        x=alt.value(0), y=alt.value(-48), text="badge:N", tooltip=alt.value(None), color=alt.value("currentColor")
    )
    chart = (cells + numbers + badge).properties(height=300, description=read("charts")["heatmap"])
    return constant(
        chart.transform_calculate(
            strength="abs(datum.shade)", down="floor(datum.place)", across="datum.place % 1", ink=INK
        )
    )


@by_language()
def spec(*, turned: bool, mirrored: bool = False) -> dict:
    """The heatmap, its queries in columns if `turned`, its first column at the right if `mirrored`."""
    result = copy.deepcopy(_spec())  # building one anew takes Altair as long as a page's whole run
    titles = [read("charts")[f"heatmap/{name}"] for name in ("query", "key")]
    row_title, column_title = titles[::-1] if turned else titles
    asks, answers = ("column", "row") if turned else ("row", "column")
    arrow = "←" if mirrored else "→"
    result["transform"].append({"calculate": f"datum.{asks} + ' {arrow} ' + datum.{answers}", "as": "name"})
    for layer in result["layer"]:
        for channel, title in (("x", column_title), ("y", row_title)):
            if "title" in layer["encoding"][channel]:
                layer["encoding"][channel]["title"] = title
        if mirrored and "sort" in layer["encoding"]["x"]:
            layer["encoding"]["x"]["sort"]["order"] = "descending"
            layer["encoding"]["y"]["axis"]["orient"] = "right"
    return result


def runs_left(words: Sequence[str]) -> bool:
    """Whether the script of most of the words runs from right to left."""
    count = sum(any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in word) for word in words)
    return 2 * count > len(words)


def rows(
    matrix: np.ndarray,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    limit: float,
    texts: Sequence[Sequence[str]],
    workings: Sequence[Sequence[str]],
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
            # names keep the order of the data when it changes: rows by the whole part, columns by the rest
            "place": j + i / (n + 1) if turned else i + j / (m + 1),
            "shade": shade,
            "text": [texts[a][b] for a, b in zip(i, j, strict=True)],
            "workings": [workings[a][b] for a, b in zip(i, j, strict=True)],
            "badge": [provenance] + [""] * (n * m - 1) if n * m else [],
        }
    )
