"""Builders of figure parts: a wrong setting is named, and what says nothing is not sent."""

import pytest

from attention_lab import faults, figure
from attention_lab.figure import formula as f
from attention_lab.figure.parts import constant
from attention_lab.figure.words import Heatmap

MATRIX = constant("matrix")


def test_a_misspelt_setting_is_named_with_the_one_that_was_meant():
    with pytest.raises(
        faults.UnknownNameError, match=r"'tunred' is not a setting of 'heatmap'; did you mean 'turned'"
    ):
        figure.heatmap(MATRIX, title="", what="", limit=1.0, tunred=True)


def test_two_numbers_of_a_formula_have_two_names():
    one, other = f.number(MATRIX[0], ["score ", MATRIX[1]]), f.number(MATRIX[2], "score b")
    again = f.number(MATRIX[3], ["score ", MATRIX[1]])
    figure.formulas({"first": f.row(one, "+", other), "second": "a"})
    with pytest.raises(faults.AuthoringError, match="two numbers of a formula are called 'score …'"):
        figure.formulas({"first": f.row(one, "+", other), "second": f.root(again)})
    figure.formulas({"first": one, "second": again}, when={"first": MATRIX[0], "second": MATRIX[1]})


def test_only_settings_that_say_anything_are_sent():
    sent = Heatmap(of=MATRIX, title="", what="weight", limit=1.0, badge=False, row=None).part()
    assert sent.keys() == {
        "kind", "of", "title", "what", "limit", "rows", "columns", "row_title", "column_title", "column",
    }  # fmt: skip
    assert sent["title"] == "", "an empty title is a title"
