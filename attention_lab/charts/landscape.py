"""The scores that one query gives to every place of a plane: colour, level lines and the words on it."""

from collections.abc import Callable, Sequence

import altair as alt
import numpy as np
import pandas as pd

from attention_lab.text import read
from attention_lab.text.languages import by_language
from attention_lab.theme import NEGATIVE, POSITIVE, QUERY

from .theme import constant

SIDE = 25  # squares along one side
LEVELS = 9
LITTLE = 0.1  # words nearer to zero than this part of the plane have no room for their names


@by_language()
def spec(reach: int) -> dict:
    """The picture for a plane from −`reach` to `reach`: squares, lines between them and words share one table.

    `kind` says which a row is.
    """
    names_of = read("charts")
    base = alt.Chart(pd.DataFrame({"x": [0.0]}))
    plane = alt.Scale(domain=[-reach, reach], nice=False)

    axis = alt.Axis(grid=False, tickMinStep=1)
    x, y = alt.X("x:Q", scale=plane, axis=axis), alt.Y("y:Q", scale=plane, axis=axis)

    squares = (
        base.transform_filter("datum.kind == 'square'")
        .mark_rect(tooltip=True, clip=True)
        .encode(
            x=x.title(None),
            x2="x2:Q",
            y=y.title(None),
            y2="y2:Q",
            color=alt.Color(
                "shade:Q",
                scale=alt.Scale(domain=[-1, 0, 1], range=[NEGATIVE, "#88888818", POSITIVE]),
                legend=None,
            ),
            tooltip=[alt.Tooltip("text:N", title=names_of["landscape/here"])],
        )
    )
    lines = (
        base.transform_filter("datum.kind == 'level'")
        .mark_rule(strokeWidth=1, opacity=0.55, color="currentColor")
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q")
    )
    words = base.transform_filter("datum.kind == 'word'").encode(x=x, y=y)
    points = words.mark_point(filled=True, size=90, opacity=1, tooltip=True).encode(
        color=alt.condition("datum.asks", alt.value(QUERY), alt.value("currentColor")),
        tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("text:N", title=names_of["landscape/score"])],
    )
    names = words.mark_text(dy=-13, fontSize=14, fontWeight=600, color="currentColor").encode(text="label:N")
    ends = base.transform_filter("datum.kind == 'axis'").encode(x=x, y=y, text="label:N")
    axes = ends.mark_text(align="right", dx=-6, dy=-8, fontSize=12, fontStyle="italic", color="currentColor")
    return constant(
        (squares + lines + points + names + axes).properties(
            height=400,
            description=names_of["landscape"],
        )
    )


def grid(reach: float) -> np.ndarray:
    """The middles of the squares, (SIDE², 2), row by row from the lower left."""
    side = np.linspace(-reach, reach, SIDE + 1)
    middles = (side[1:] + side[:-1]) / 2
    return np.stack(np.meshgrid(middles, middles), axis=-1).reshape(-1, 2)


def rows(
    heights: np.ndarray,
    slope: np.ndarray,
    reach: float,
    *,
    names: Sequence[str],
    places: np.ndarray,
    texts: Sequence[str],
    axes: Sequence[str],
    asks: int,
    write: Callable[[float], str],
) -> pd.DataFrame:
    """The landscape's data.

    `heights` are the scores at `grid(reach)`, `slope` the score gained by a step along each axis. `places` are
    the words' vectors, `texts` their scores, `asks` the place of the asking word among them; `axes` name the
    axes. `write` writes a number.
    """
    half = 1.01 * reach / SIDE  # a little over the edge, so that no seam shows
    middle = grid(reach)
    full = np.abs(heights).max(initial=0) or 1.0
    squares = pd.DataFrame(
        {
            "kind": "square",
            "x": middle[:, 0] - half,
            "x2": middle[:, 0] + half,
            "y": middle[:, 1] - half,
            "y2": middle[:, 1] + half,
            "shade": heights / full,
            "text": [write(height) for height in heights],
        }
    )
    words = pd.DataFrame(
        {
            "kind": "word",
            "x": places[:, 0],
            "y": places[:, 1],
            "name": names,
            "label": [
                f"{name} {text}" if size > LITTLE * reach else ""
                for name, text, size in zip(names, texts, np.abs(places).max(axis=1), strict=True)
            ],
            "text": texts,
            "asks": [place == asks for place in range(len(names))],
        }
    )
    inside = (np.abs(places) <= reach).all(axis=1)
    ends = pd.DataFrame(
        {"kind": "axis", "x": [reach, 0.0], "y": [0.0, reach], "label": [f"{axes[0]} →", f"↑ {axes[1]}"]}
    )
    ends["y"] -= [0.0, 0.09 * reach]
    return pd.concat([squares, _levels(slope, reach), words[inside], ends], ignore_index=True)


def _levels(slope: np.ndarray, reach: float) -> pd.DataFrame:
    """Lines of equal score across the square: a·x + b·y = level."""
    a, b = slope
    top = (abs(a) + abs(b)) * reach
    ends = []
    for level in np.linspace(-top, top, LEVELS + 2)[1:-1] if top > 0 else ():
        crossings = [(x, (level - a * x) / b) for x in (-reach, reach) if b]
        crossings += [((level - b * y) / a, y) for y in (-reach, reach) if a]
        on_edge = [c for c in crossings if max(abs(c[0]), abs(c[1])) <= reach * (1 + 1e-9)]
        if len(on_edge) >= 2:
            (x, y), (x2, y2) = min(on_edge), max(on_edge)
            ends.append({"kind": "level", "x": x, "y": y, "x2": x2, "y2": y2})
    return pd.DataFrame(ends, columns=["kind", "x", "y", "x2", "y2"])
