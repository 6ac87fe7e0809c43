"""What grows with the length of a text, and how: lines over a logarithmic axis, on a logarithmic axis."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from attention_lab.text import read
from attention_lab.text.languages import by_language

from .theme import GREY, INK, constant

MEMORIES = ("patterns", "one_pattern")
NETWORKS = ("attention", "recurrent")
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")


def _written(how: Callable[[int], str]) -> str:
    """An expression for the text of each power of ten."""
    texts = (f"abs(log(datum.value) / LN10 - {power}) < 0.01 ? '{how(power)}'" for power in range(25))
    return " : ".join([*texts, "''"])


POWERS = _written(lambda power: f"10{str(power).translate(RAISED)}")
BYTES = _written(lambda power: f"{10 ** (power % 3)} {UNITS[power // 3]}B")


CHARTS: dict[str, dict[str, Any]] = {
    "work": {
        "lines": ("matrices", "pattern"),
        "wide": (16, 2**22),
        "tall": (1e6, 1e22),
        "written": POWERS,
    },
    "memory": {
        "lines": MEMORIES,
        "wide": (16, 2**22),
        "tall": (1e3, 1e18),
        "written": BYTES,
    },
    "steps": {
        "lines": NETWORKS,
        "wide": (1, 1e6),
        "tall": (0.7, 1.3e6),
        "written": POWERS,
    },
}


@by_language()
def spec(name: str) -> dict:
    """The chart of this name (``work``, ``memory`` or ``steps``): lines over an axis, both in equal ratios.

    The present length is marked by a rule and points.
    """
    chart, words = CHARTS[name], read("charts")
    what, over = words[f"{name}/value"], words[f"{name}/over"]
    names = [words[f"{name}/{line}"] for line in chart["lines"]]
    dashes = [[1, 0], [6, 3]]
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", columns=2, labelLimit=260)
    base = alt.Chart(pd.DataFrame({"x": [1]})).encode(
        x=alt.X(
            "x:Q",
            title=over,
            scale=alt.Scale(domain=list(chart["wide"]), type="log", nice=False, clamp=False),
            axis=alt.Axis(tickCount=6, format="~s", grid=False),
        )
    )
    lined = base.encode(
        y=alt.Y(
            "y:Q",
            title=what,
            scale=alt.Scale(domain=list(chart["tall"]), type="log", nice=False),
            axis=alt.Axis(tickCount=7, labelExpr=chart["written"], grid=False),
        ),
        color=alt.Color("line:N", scale=alt.Scale(domain=names, range=[INK, GREY]), legend=legend),
        strokeDash=alt.StrokeDash("line:N", scale=alt.Scale(domain=names, range=dashes), legend=legend),
        tooltip=[
            alt.Tooltip("line:N", title=" "),
            alt.Tooltip("x:Q", title=over, format=","),
            alt.Tooltip("y:Q", title=what, format=".4~g"),
        ],
    )
    rule = base.transform_filter("datum.now").mark_rule(color="#888", opacity=0.6, strokeDash=[2, 3], clip=True)
    points = lined.transform_filter("datum.now").mark_point(filled=True, opacity=1, size=90, clip=True)
    drawn = (rule + lined.mark_line(strokeWidth=2.2, clip=True) + points).properties(height=300)
    return constant(drawn.properties(description=words[name]))


def rows(name: str, lines: Mapping[str, Sequence[tuple[float, float]]], now: float) -> pd.DataFrame:
    """The data of the chart of this name: the points of each line, those at `now` marked."""
    words = read("charts")
    made = [
        (words[f"{name}/{line}"], float(x), float(y), x == now)
        for line, points in lines.items()
        for x, y in sorted(set(points))
    ]
    return pd.DataFrame(made, columns=["line", "x", "y", "now"])
