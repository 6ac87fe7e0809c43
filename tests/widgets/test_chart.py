"""A cell that is chosen in a chart: what the browser sends of it."""

import pytest
import streamlit as st

from attention_lab.widgets import chart


@pytest.fixture
def choose(monkeypatch):
    """Send a chart's selection, and return the names that its callback gets."""
    callbacks = []
    monkeypatch.setattr(st, "vega_lite_chart", lambda *_, on_select, **__: callbacks.append(on_select))

    def send(selection, turned=False):
        names = []
        monkeypatch.setattr(st, "session_state", {"key": {"selection": selection}})
        chart.show(None, {}, key="key", on_choose=lambda *given: names.extend(given), turned=turned)
        callbacks[-1]()
        return names

    return send


def test_a_chosen_cell_gives_its_row_and_column(choose):
    cell = {"cell": [{"row": "asks", "column": "answers"}]}
    assert choose(cell) == ["asks", "answers"]
    assert choose(cell, turned=True) == ["answers", "asks"]


def test_a_malformed_cell_chooses_nothing(choose):
    malformed = [None, 3, "text", {}, {"a": 1}, [], [None], [3], ["text"], [{}], [{"row": "a"}], [[]]]
    malformed.append([{"row": 1, "column": []}])
    assert [cell for cell in malformed if choose({"cell": cell}) or choose(cell)] == []
