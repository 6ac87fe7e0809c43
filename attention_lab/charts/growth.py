"""What grows with the length of a text, and how: lines over a logarithmic axis, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import altair as alt
import pandas as pd

from attention_lab.theme import CONTEXT, KEY, QUERY, VALUE, WORD

from .theme import constant

MATRICES, PATTERN = "all matrices: as the text", "the pattern: as its square"
MEMORIES = {
    "all patterns": "patterns",
    "cache, no sharing": "cache_own",
    "cache, groups as set": "cache_set",
    "cache, one for all": "cache_one",
}
NETWORKS = {"attention": "attention", "recurrent network": "recurrent"}
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")


def _written(how: Callable[[int], str]) -> str:
    """An expression for the text of each power of ten."""
    texts = (f"abs(log(datum.value) / LN10 - {power}) < 0.01 ? '{how(power)}'" for power in range(25))
    return " : ".join([*texts, "''"])


POWERS = _written(lambda power: f"10{str(power).translate(RAISED)}")
BYTES = _written(lambda power: f"{10 ** (power % 3)} {UNITS[power // 3]}B")


def _spec(
    lines: Sequence[str],
    colours: Sequence[str],
    what: str,
    over: str,
    *,
    wide: tuple[float, float],
    tall: tuple[float, float],
    written: str,
    description: str,
) -> dict:
    """Lines over an axis, both in equal ratios; the present length is marked by a rule and points."""
    dashes = [[1, 0], [6, 3], [2, 3], [8, 3, 2, 3]][: len(lines)]
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", columns=2, labelLimit=260)
    base = alt.Chart(pd.DataFrame({"x": [1]})).encode(
        x=alt.X(
            "x:Q",
            title=over,
            scale=alt.Scale(domain=list(wide), type="log", nice=False, clamp=False),
            axis=alt.Axis(tickCount=6, format="~s", grid=False),
        )
    )
    lined = base.encode(
        y=alt.Y(
            "y:Q",
            title=what,
            scale=alt.Scale(domain=list(tall), type="log", nice=False),
            axis=alt.Axis(tickCount=7, labelExpr=written, grid=False),
        ),
        color=alt.Color("line:N", scale=alt.Scale(domain=list(lines), range=list(colours)), legend=legend),
        strokeDash=alt.StrokeDash("line:N", scale=alt.Scale(domain=list(lines), range=dashes), legend=legend),
        tooltip=[
            alt.Tooltip("line:N", title=" "),
            alt.Tooltip("x:Q", title=over, format=","),
            alt.Tooltip("y:Q", title=what, format=".4~g"),
        ],
    )
    rule = base.transform_filter("datum.now").mark_rule(color="#888", opacity=0.6, strokeDash=[2, 3], clip=True)
    points = lined.transform_filter("datum.now").mark_point(filled=True, opacity=1, size=90, clip=True)
    drawn = (rule + lined.mark_line(strokeWidth=2.2, clip=True) + points).properties(height=300)
    return constant(drawn.properties(description=description))


WORK = _spec(
    [MATRICES, PATTERN],
    [WORD, CONTEXT],
    "calculations",
    "tokens",
    wide=(16, 2**22),
    tall=(1e6, 1e22),
    written=POWERS,
    description="Calculations of one pass over the length of a text: those of all matrices, and of the pattern.",
)
MEMORY = _spec(
    list(MEMORIES),
    [CONTEXT, KEY, VALUE, QUERY],
    "bytes",
    "tokens",
    wide=(16, 2**22),
    tall=(1e3, 1e18),
    written=BYTES,
    description="Memory over the length of the text: of all patterns, and of the cache with and without sharing.",
)
STEPS = _spec(
    list(NETWORKS),
    [KEY, QUERY],
    "steps",
    "words apart",
    wide=(1, 1e6),
    tall=(0.7, 1.3e6),
    written=POWERS,
    description="Steps between two words by distance: always one with attention, as many in a recurrent network.",
)


def rows(lines: Mapping[str, Sequence[tuple[float, float]]], now: float) -> pd.DataFrame:
    """The data of one of the charts: the points of each line, those at `now` marked."""
    made = [
        (line, float(x), float(y), x == now) for line, points in lines.items() for x, y in sorted(set(points))
    ]
    return pd.DataFrame(made, columns=["line", "x", "y", "now"])
