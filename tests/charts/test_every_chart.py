"""Every chart: a constant spec, a function for its rows, a text alternative."""

import importlib

import altair as alt

from attention_lab.charts import curves, growth, heatmap, landscape, places
from attention_lab.text.languages import speaking
from lab import ROOT

FOLDER = ROOT / "attention_lab" / "charts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in {"__init__", "theme"})
MODULES = {name: importlib.import_module(f"attention_lab.charts.{name}") for name in NAMES}
WITH_ARGUMENTS = {  # how the specs of a module are made, where not by `spec()`
    "curves": lambda: [*curves.over_d().values()],
    "growth": lambda: [growth.spec(name) for name in growth.CHARTS],
    "heatmap": lambda: [heatmap.spec(turned=turned) for turned in (False, True)],
    "landscape": lambda: [landscape.spec(reach) for reach in (5, 6)],
    "places": lambda: [places.table(), places.alike(), places.cosines(), places.score()],
}


def specs(name):
    """Return the specs of a module."""
    return WITH_ARGUMENTS.get(name, lambda: [MODULES[name].spec()])()


SPECS = [(name, spec) for name in NAMES for spec in specs(name)]


def walk(node):
    """Return every dictionary inside a spec."""
    if isinstance(node, dict):
        yield node
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(value)


def test_every_spec_is_valid_and_holds_no_data():
    """Nor is any concatenated: Streamlit would give it the wrong width."""
    for _, spec in SPECS:
        alt.Chart.from_dict({**spec, "data": {"name": "rows"}}, validate=True)
        assert not {"hconcat", "vconcat", "concat"} & {*spec}
    nodes = [(name, node) for name, spec in SPECS for node in walk(spec)]
    data = {"datasets", "values", "url"}
    assert [(name, node) for name, node in nodes if data & {*node} or {*node.get("data", {})} - {"name"}] == []


def test_every_spec_has_a_text_alternative():
    assert [name for name, spec in SPECS if len(spec["description"]) <= 20] == []


def test_axes_and_colours_keep_their_domains_while_the_data_change():
    """Where an axis is meant to follow the data, its scale is there and empty."""
    offenders = [
        (name, channel, encoding)
        for name, spec in SPECS
        for part in walk(spec)
        for channel, encoding in part.get("encoding", {}).items()
        if channel in {"x", "y", "color", "opacity", "size"} and encoding.get("type") == "quantitative"
        if "domain" not in encoding.get("scale", {}) and encoding.get("scale") != {}
    ]
    assert offenders == []


def test_axes_write_numbers_as_the_language_does():
    with speaking("de"):
        german = [(name, spec["config"]["locale"]["number"]["decimal"]) for name in NAMES for spec in specs(name)]
    assert [name for name, decimal in german if decimal != ","] == []
    assert [name for name in NAMES if any("locale" in spec["config"] for spec in specs(name))] == []
