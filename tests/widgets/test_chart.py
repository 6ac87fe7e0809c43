"""A cell that is chosen in a picture: what the browser says of it."""

import pytest
import streamlit as st

from attention_lab.widgets import chart


@pytest.fixture
def choose(monkeypatch):
    """Say that a cell was chosen, and return the names that were given on."""
    heard = {}

    def chosen(said, turned=False):
        names = []
        monkeypatch.setattr(st, "session_state", {"key": said})
        monkeypatch.setattr(st, "vega_lite_chart", lambda *_, on_select, **__: heard.update(on_select=on_select))
        chart.show(None, {}, key="key", on_choose=lambda *given: names.extend(given), turned=turned)
        heard["on_select"]()
        return names

    return chosen


def test_the_names_of_row_and_column_are_given_on(choose):
    cell = {"selection": {"cell": [{"row": "asks", "column": "answers"}]}}
    assert choose(cell) == ["asks", "answers"]
    assert choose(cell, turned=True) == ["answers", "asks"]
    assert choose({"selection": {"cell": []}}) == []


@pytest.mark.parametrize(
    "cell",
    [
        None,
        3,
        "text",
        {},
        {"a": 1},
        [None],
        [3],
        ["text"],
        [{}],
        [{"row": "a"}],
        [{"row": 1, "column": []}],
        [[]],
    ],
    ids=str,
)
def test_what_is_no_cell_chooses_nothing(choose, cell):
    assert choose({"selection": {"cell": cell}}) == []
    assert choose({"selection": cell}) == []
