"""One file is one kind of picture: a constant spec, the rows that it reads, a text alternative."""

import importlib
import re

import altair as alt
import pytest

from attention_lab.charts import curves, growth, heatmap, landscape, places
from attention_lab.text.languages import speaking
from lab import ROOT

CHARTS = ROOT / "attention_lab" / "charts"
KINDS = sorted(path.stem for path in CHARTS.glob("*.py") if path.stem not in {"__init__", "theme"})


ASKED = {  # how the specs of a kind are asked for, where not by `spec()`
    "curves": lambda: curves.over_d(),
    "growth": lambda: {name: growth.spec(name) for name in growth.CHARTS},
    "heatmap": lambda: {
        f"{titles} {turned}": heatmap.spec(titles, turned=turned)
        for titles in heatmap.TITLES
        for turned in (False, True)
    },
    "landscape": lambda: {str(reach): landscape.spec(reach) for reach in (5, 6)},
    "places": lambda: {
        each.__name__: each() for each in (places.table, places.alike, places.cosines, places.score)
    },
}


def specs(kind):
    """The constant specs of a kind of picture, by name."""
    module = importlib.import_module(f"attention_lab.charts.{kind}")
    return ASKED.get(kind, lambda: {"spec": module.spec()})()


SPECS = [pytest.param(spec, id=f"{kind}.{name}") for kind in KINDS for name, spec in specs(kind).items()]


def parts(spec):
    """A spec and the layers inside it."""
    yield spec
    for inner in ("layer", "hconcat", "vconcat", "concat"):
        for part in spec.get(inner, ()):
            yield from parts(part)


def walk(node):
    """Every dictionary inside a spec."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_picture_has_specs_and_rows(kind):
    assert specs(kind)
    module = importlib.import_module(f"attention_lab.charts.{kind}")
    made = [name for name in vars(module) if re.fullmatch(r"(\w+_)?rows", name)]
    assert made, "a function that makes the rows"


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_is_valid_and_holds_no_data(spec):
    alt.Chart.from_dict({**spec, "data": {"name": "rows"}}, validate=True)
    for node in walk(spec):
        assert not {"datasets", "values", "url"} & set(node), node
        assert set(node.get("data", {})) <= {"name"}


@pytest.mark.parametrize("spec", SPECS)
def test_a_picture_has_a_text_alternative(spec):
    assert len(spec["description"]) > 20


@pytest.mark.parametrize("spec", SPECS)
def test_the_frame_stays_put_while_the_data_move(spec):
    """A quantity whose axis or colour has no domain of its own changes its meaning as things move.

    Where that is meant, the scale is there and empty.
    """
    for part in parts(spec):
        for channel, encoding in part.get("encoding", {}).items():
            if channel in {"x", "y", "color", "opacity", "size"} and encoding.get("type") == "quantitative":
                assert "scale" in encoding, (channel, encoding)
                assert not encoding["scale"] or "domain" in encoding["scale"], (channel, encoding)


@pytest.mark.parametrize("kind", KINDS)
def test_the_axes_write_numbers_as_the_language_does(kind):
    english = specs(kind)
    with speaking("de"):
        assert {spec["config"]["locale"]["number"]["decimal"] for spec in specs(kind).values()} == {","}
    assert specs(kind) == english
    assert not any("locale" in spec["config"] for spec in english.values())


@pytest.mark.parametrize("spec", SPECS)
def test_no_picture_is_put_together_from_several(spec):
    """Streamlit gives concatenated charts the wrong width."""
    assert not {"hconcat", "vconcat", "concat"} & set(spec)
