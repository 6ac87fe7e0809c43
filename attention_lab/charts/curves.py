"""How something grows with the width d, for scores as they come and for scores divided by √d."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from attention_core import RandomScores
from attention_lab.text import read
from attention_lab.text.languages import by_language
from attention_lab.text.number_format import format_number, format_share

from .shares import DIVIDED, PLAIN
from .theme import GREY, INK, constant

WEIGHT = "largest_weight"  # of the measures, the one that is a weight


def written(name: str, value: float) -> str:
    """A measure as text."""
    return (format_share if name == WEIGHT else format_number)(value)


def _spec(name: str, low: float, high: float, *, logarithmic: bool) -> dict:
    """Two curves over d, itself on a logarithmic axis; the present d is marked by a line and larger points."""
    scale = alt.Scale(domain=[low, high], type="log" if logarithmic else "linear", nice=False)
    legend = alt.Legend(title=None, orient="top", symbolType="stroke")
    values = alt.Axis(
        format=".0%" if name == WEIGHT else "~g", tickCount=4 if logarithmic else 3, grid=not logarithmic
    )
    base = alt.Chart(pd.DataFrame({"d": [1]})).encode(
        x=alt.X(
            "d:Q",
            title="d",
            scale=alt.Scale(domain=[0.85, 1200], type="log", nice=False),
            axis=alt.Axis(tickCount=4, format="~s", grid=False),
        )
    )
    lines = base.encode(
        y=alt.Y("value:Q", title=None, scale=scale, axis=values),
        color=alt.Color(
            "scores:N",
            scale=alt.Scale(domain=[PLAIN, DIVIDED], range=[INK, GREY]),
            legend=legend,
        ),
        strokeDash=alt.StrokeDash(
            "scores:N", scale=alt.Scale(domain=[PLAIN, DIVIDED], range=[[1, 0], [5, 3]]), legend=legend
        ),
        tooltip=[
            alt.Tooltip("scores:N", title=" "),
            alt.Tooltip("d:Q", title="d"),
            alt.Tooltip("told:N", title="="),
        ],
    )
    now = base.transform_filter("datum.now").mark_rule(color="#888", opacity=0.6, strokeDash=[2, 3])
    points = lines.mark_point(filled=True, opacity=1).encode(
        size=alt.condition("datum.now", alt.value(120), alt.value(18))
    )
    return constant(
        (now + lines.mark_line(strokeWidth=2) + points).properties(height=260, description=read("charts")[name])
    )


@by_language()
def over_d() -> dict[str, dict]:
    """The charts over the width d, by what they measure."""
    return {
        "variance": _spec("variance", 0.5, 2000, logarithmic=True),
        WEIGHT: _spec(WEIGHT, 0, 1, logarithmic=False),
        "gradient": _spec("gradient", 0, 1, logarithmic=False),
    }


def rows(samples: Sequence[RandomScores], name: str, now: int) -> pd.DataFrame:
    """The data of one of the charts `over_d`: the measure `name` of each sample, both ways."""
    made = [
        (drawn.d_k, label, value := getattr(spread, name), written(name, value), drawn.d_k == now)
        for drawn in samples
        for label, spread in ((PLAIN, drawn.plain), (DIVIDED, drawn.divided))
    ]
    return pd.DataFrame(made, columns=["d", "scores", "value", "told", "now"])
