"""Three shares as a point in the triangle of all of them, on the path that temperature draws through it."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from attention_core import TRIANGLE_CORNERS, softmax, temperature_path, triangle_coordinates
from attention_lab.text import listed, read
from attention_lab.text.languages import by_language
from attention_lab.text.number_format import format_digits, format_percentage
from attention_lab.theme import WEIGHT

from .theme import GREY, INK, constant

TEMPERATURES = np.geomspace(0.05, 20, 121)
NAMED = (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0)
GRID = (0.25, 0.5, 0.75)
COLUMNS = ("kind", "x", "y", "order", "line", "text", "shares")


@by_language()
def spec() -> dict:
    """Grid, sides, path, named temperatures, corners and the point, all from one table by their `kind`."""
    unit = "min(width / 1.3, height / 1.16)"  # as many pixels up as across, whatever room there is
    across = [{"expr": f"width / 2 {sign} 0.65 * {unit}"} for sign in "-+"]
    up = [{"expr": f"height / 2 {sign} 0.58 * {unit}"} for sign in "+-"]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.15, 1.15], range=across, nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.15, 1.01], range=up, nice=False))
    base = alt.Chart(pd.DataFrame({"kind": [""]})).encode(x=x, y=y)

    def only(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind === '{kind}'")

    lines = {"detail": "line:N", "order": "order:Q"}
    grid = only("grid").mark_line(color="#888", opacity=0.28, strokeWidth=1).encode(**lines)
    sides = only("side").mark_line(color="#888", opacity=0.8, strokeWidth=1.6).encode(**lines)
    told = [alt.Tooltip("text:N", title=" "), alt.Tooltip("shares:N", title="=")]
    path = only("path").mark_circle(size=22, opacity=0.85, color=GREY).encode(tooltip=told)
    named = only("named").mark_point(filled=True, size=46, opacity=1, color=INK).encode(tooltip=told)
    names = only("name").mark_text(fontSize=12, color="#888").encode(text="text:N")
    corners = only("corner").mark_text(fontSize=14, fontWeight=600, color="currentColor").encode(text="text:N")
    point = only("point").mark_point(filled=True, size=260, opacity=1, color=WEIGHT, stroke="#fff", strokeWidth=2)
    return constant(
        (grid + sides + path + named + names + corners + point.encode(tooltip=told)).properties(
            height=400,
            description=read("charts")["triangle"],
        )
    )


def three(scores: np.ndarray, *first: int) -> list[int] | None:
    """The places of three words for the corners: those in `first`, then those with the largest scores."""
    counted = [int(place) for place in np.argsort(-scores, stable=True) if scores[place] > -np.inf]
    chosen = list(dict.fromkeys([*(place for place in first if place in counted), *counted]))[:3]
    return sorted(chosen) if len(chosen) == 3 else None


def rows(scores: np.ndarray, names: Sequence[str], temperature: float) -> pd.DataFrame:
    """The triangle's data for three scores: one table for all its marks."""
    beside = ((-0.06, -0.07), (0.06, -0.07), (0.0, 0.07))  # a corner's name
    named = zip(TRIANGLE_CORNERS, beside, names, strict=True)
    made = [*_frame(), *(("corner", *(at + apart), 0, "", name, "") for at, apart, name in named)]
    path = temperature_path(scores, TEMPERATURES)
    places = triangle_coordinates(path)
    ways = np.gradient(places, axis=0)
    for k, (heat, shares) in enumerate(zip(TEMPERATURES, path, strict=True)):
        made.append(_at("path", shares, heat, names, k))
    last = np.full(2, np.inf)
    for heat in NAMED:
        k = int(np.abs(np.log(TEMPERATURES / heat)).argmin())
        if np.hypot(*(places[k] - last)) > 0.09:  # names need room
            last = places[k]
            made.append(_at("named", path[k], heat, names, 0))
            _, x, y, *told = made[-1]
            across = np.array([-ways[k][1], ways[k][0]]) / max(np.hypot(*ways[k]), 1e-12)
            beside = across * (0.055 if across[1] >= 0 else -0.055) if across.any() else (0, 0.055)
            made.append(("name", x + 1.5 * beside[0], y + beside[1], *told))
    made.append(_at("point", softmax(scores, temperature), temperature, names, 0))
    return pd.DataFrame(made, columns=COLUMNS)


def _at(kind: str, shares: np.ndarray, heat: float, names: Sequence[str], order: int) -> tuple:
    x, y = triangle_coordinates(shares)
    percent = [format_percentage(share, 1) for share in shares]
    told = listed(f"{name} {text}" for name, text in zip(names, percent, strict=True))
    return (kind, x, y, order, kind, f"T = {format_digits(heat, 3)}", told)


def _frame() -> list[tuple]:
    made = []
    for side, (a, b) in enumerate(((0, 1), (1, 2), (2, 0))):
        for order, corner in enumerate((a, b)):
            made.append(("side", *TRIANGLE_CORNERS[corner], order, f"s{side}", "", ""))
    for part in GRID:
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            for order, corner in enumerate((b, c)):
                place = part * TRIANGLE_CORNERS[a] + (1 - part) * TRIANGLE_CORNERS[corner]
                made.append(("grid", *place, order, f"g{part}{a}", "", ""))
    return made
