"""What all charts share: their colours and how a chart becomes a constant spec."""

from __future__ import annotations

from typing import Any

import altair as alt

from attention_lab.theme import NEGATIVE, POSITIVE

LETTERS = {"labelColor": "currentColor", "titleColor": "currentColor"}  # Streamlit's grey has 3.7 : 1 on white
SIGNED = alt.condition("datum.shade < 0", alt.value(NEGATIVE), alt.value(POSITIVE))


def constant(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """The chart as a plain Vega-Lite dictionary without data, made once."""
    spec = chart.to_dict(validate=True)
    for unwanted in ("$schema", "config", "data", "datasets"):
        spec.pop(unwanted, None)
    spec["config"] = {"axis": LETTERS, "legend": LETTERS}
    return spec
