"""The shares of one query's keys, from scores as they come and from scores divided by √d."""

import altair as alt
import pandas as pd

from attention_core import RandomScores
from attention_lab.text import read
from attention_lab.text.languages import by_language
from attention_lab.text.number_format import format_digits, format_percentage
from attention_lab.theme import WEIGHT

from .theme import constant

PLAIN, DIVIDED = "q · k", "q · k ÷ √d"
PALE = "#A9ACE4"  # of the weight's colour


@by_language()
def spec() -> dict:
    """Narrow bars before wide, pale ones: the same keys twice, colours and widths tell which."""
    words = read("charts")
    base = alt.Chart(pd.DataFrame({"key": [0]})).encode(
        x=alt.X("key:O", title=words["weights/key"], axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=3)),
        tooltip=[
            alt.Tooltip("scores:N", title=" "),
            alt.Tooltip("score:N", title=words["weights/score"]),
            alt.Tooltip("told:N", title=words["weights/weight"]),
        ],
    )
    colour = alt.Color(
        "scores:N",
        scale=alt.Scale(domain=[PLAIN, DIVIDED], range=[WEIGHT, PALE]),
        legend=alt.Legend(title=None, orient="top", symbolType="square", symbolOpacity=1),
    )
    divided = base.transform_filter(f"datum.scores === '{DIVIDED}'").mark_bar(width={"band": 0.86})
    plain = base.transform_filter(f"datum.scores === '{PLAIN}'").mark_bar(width={"band": 0.34})
    return constant(
        (divided.encode(color=colour) + plain.encode(color=colour)).properties(
            height=250,
            description=words["weights"],
        )
    )


def rows(drawn: RandomScores, query: int = 0) -> pd.DataFrame:
    """The chart's data: the shares of one query's keys, both ways."""
    made = [
        (key + 1, name, float(share), format_digits(score, 3), format_percentage(share, 1))
        for name, spread in ((PLAIN, drawn.plain), (DIVIDED, drawn.divided))
        for key, (score, share) in enumerate(zip(spread.scores[query], spread.weights[query], strict=True))
    ]
    return pd.DataFrame(made, columns=["key", "scores", "share", "score", "told"])
