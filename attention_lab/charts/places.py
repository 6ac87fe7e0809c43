"""Position vectors: their table as a heatmap, and what their dot products, or scores, say of distance."""

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from attention_lab.text import read
from attention_lab.text.languages import by_language

from .theme import GREY, INK, SIGNED, constant


@by_language()
def table() -> dict:
    """Places down, numbers across; the chosen places are marked."""
    words = read("charts")
    position, dimension = words["positions/position"], words["positions/dimension"]
    base = alt.Chart(pd.DataFrame({"place": [1]})).encode(
        x=alt.X("number:O", title=dimension, axis=alt.Axis(labelOverlap=True, ticks=False, labelAngle=0)),
        y=alt.Y("place:O", title=position, axis=alt.Axis(labelOverlap=True, ticks=False)),
    )
    cells = base.mark_rect().encode(
        color=SIGNED,
        opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.03, 0.95]), legend=None),
        tooltip=[
            alt.Tooltip("place:O", title=position),
            alt.Tooltip("number:O", title=dimension),
            alt.Tooltip("told:N", title="="),
        ],
    )
    marks = base.transform_filter("datum.chosen && datum.number === 1").mark_text(align="left", dx=3, fontSize=12)
    marks = marks.encode(x=alt.value("width"), text=alt.value("◀"), color=alt.value("currentColor"))
    return constant((cells + marks).properties(height=340, description=words["positions"]))


@by_language()
def _by_place(name: str, *low_high: float) -> dict:
    """A curve over places; one of them is asked from, another is marked."""
    words = read("charts")
    what, position = words[f"{name}/value"], words["positions/position"]
    scale = alt.Scale(domain=low_high, nice=False) if low_high else alt.Scale()
    base = alt.Chart(pd.DataFrame({"place": [1]})).encode(
        x=alt.X(
            "place:Q", title=position, scale=alt.Scale(domain=[0, 33], nice=False), axis=alt.Axis(grid=False)
        ),
        y=alt.Y("value:Q", title=what, scale=scale, axis=alt.Axis(tickCount=5)),
        tooltip=[alt.Tooltip("place:O", title=position), alt.Tooltip("told:N", title=what)],
    )
    line = base.mark_line(strokeWidth=2, color=GREY)
    points = base.mark_point(filled=True, opacity=1).encode(
        size=alt.condition("datum.who !== ''", alt.value(140), alt.value(22)),
        color=alt.condition("datum.who !== ''", alt.value(INK), alt.value(GREY)),
    )
    names = base.mark_text(dy=-14, fontSize=12, color="currentColor").encode(text="who:N")
    return constant((line + points + names).properties(height=340, description=words[name]))


def alike() -> dict:
    """Dot products with the vector of one place, by place."""
    return _by_place("dot_products", -0.2, 1.15)


def cosines() -> dict:
    """Cosine similarities with the vector of one place, by place."""
    return _by_place("cosines", -1.0, 1.15)


def score() -> dict:
    """Scores of a query with a rotated key, by place."""
    return _by_place("rotated")


def table_rows(table: np.ndarray, texts: Sequence[str], chosen: tuple[int, ...]) -> pd.DataFrame:
    """The data of `table`, a row a number of it, and `texts` what they are written as; places count from 1."""
    i, k = np.divmod(np.arange(table.size), table.shape[1])
    numbers = table.ravel()
    made = {"place": i + 1, "number": k + 1, "shade": numbers, "strength": np.abs(numbers), "told": texts}
    return pd.DataFrame(made | {"chosen": np.isin(i + 1, chosen)})


def curve_rows(values: np.ndarray, texts: Sequence[str], marked: Mapping[int, str]) -> pd.DataFrame:
    """The data of the curves: `values` by place, and `marked` the names of some places, counted from 1."""
    places = range(1, len(values) + 1)
    who = [marked.get(place, "") for place in places]
    return pd.DataFrame({"place": places, "value": values, "told": texts, "who": who})
