"""What all charts share: their colours and how a chart becomes a constant spec."""

from typing import Any

import altair as alt

from attention_lab.text import read
from attention_lab.text.languages import ENGLISH, language
from attention_lab.theme import NEGATIVE, POSITIVE

# What is no query, key, value, weight or word has no colour: dashes and names tell its lines apart.
INK, GREY = "currentColor", "#838996"
LETTERS = {"labelColor": "currentColor", "titleColor": "currentColor"}  # Streamlit's grey has 3.7 : 1 on white
SIGNED = alt.condition("datum.shade < 0", alt.value(NEGATIVE), alt.value(POSITIVE))


def constant(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """The chart as a plain Vega-Lite dictionary without data, made once for each language."""
    spec = chart.to_dict(validate=True)
    for unwanted in ("$schema", "config", "data", "datasets"):
        spec.pop(unwanted, None)
    spec["config"] = {"axis": LETTERS, "legend": LETTERS} | _locale()
    return spec


def _locale() -> dict[str, Any]:
    """How the axes write numbers in the language that is spoken. Streamlit lets no other way to Vega."""
    spoken = language()
    if spoken.code == ENGLISH:  # as Vega does
        return {}
    percent = read("controls").filled("numbers/percent", number="")
    marks = {"decimal": spoken.decimal, "thousands": spoken.group, "grouping": [3], "currency": ["", ""]}
    return {"locale": {"number": marks | {"percent": percent}}}
