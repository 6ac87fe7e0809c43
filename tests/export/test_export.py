"""A program that is taken home stands alone, whatever the words are."""

import ast
import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab import export

PROGRAMS = sorted(export.PROGRAMS.glob("*/*.py"))
IDS = [f"{path.parent.name}/{path.stem}" for path in PROGRAMS]


def given_in(text, names):
    """The values that a program gives to these names."""
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in nodes
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in names
    }


@pytest.mark.parametrize("path", PROGRAMS, ids=IDS)
def test_a_program_has_its_functions_first_and_its_data_below_them(path):
    text = path.read_text(encoding="utf-8")
    assert text.count(export.MARK) == 1
    before, after = map(ast.parse, text.split(export.MARK))
    assert ast.get_docstring(before)
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef)
    assert all(isinstance(node, kinds) for node in before.body[1:]), "above the data only functions"
    assert any(isinstance(node, ast.FunctionDef) for node in before.body)
    assert not any(isinstance(node, ast.FunctionDef) for node in ast.walk(after)), (
        "functions stand above the data"
    )
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= {"numpy", "math", "pathlib", "torch"}


@pytest.mark.parametrize("path", PROGRAMS, ids=IDS)
def test_a_program_prints_labelled_lines(path):
    """No bare numbers: every printed line is one text with a label, a colon and the numbers."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "print":
            texts = [
                ast.unparse(text) for text in ast.walk(call) if isinstance(text, (ast.JoinedStr, ast.Constant))
            ]
            assert len(call.args) == 1
            assert any(": " in text or "layer {number} of" in text for text in texts), ast.unparse(call)


def test_both_libraries_print_the_same_lines():
    def prints(path):
        tree = ast.parse(path.read_text(encoding="utf-8").split(export.MARK)[1])
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        return sorted(ast.unparse(call) for call in calls if ast.unparse(call.func) == "print")

    for path in (export.PROGRAMS / "numpy").glob("*.py"):
        assert prints(path) == prints(export.PROGRAMS / "torch" / path.name), path.stem


def test_both_libraries_have_the_same_programs():
    names = [{path.stem for path in PROGRAMS if path.parent.name == library} for library in ("numpy", "torch")]
    assert names[0] == names[1] != set()


@given(st.lists(st.text(), min_size=1), st.floats(allow_nan=False, allow_infinity=False))
def test_words_and_numbers_go_in_through_repr(words, number):
    held = {"words": words, "vectors": np.array([[number, 1 / 3]]), "heat": number}
    text = export.program("numpy", "similarity", held)
    assert given_in(text, held) == {"words": words, "vectors": [[number, 1 / 3]], "heat": number}


def test_the_programs_own_marks_inside_a_word_do_no_harm():
    words = [export.MARK, "'''", '"""', "\\"]
    assert given_in(export.program("numpy", "similarity", {"words": words}), {"words"}) == {"words": words}


FORMULAS = ["=cmd|'/c calc'!A1", "@SUM(1)", "+1+1", "-2+3", "\tx", "\rx", "－1", "=1"]


def cells(table):
    """What stands in the cells of a table taken home, as text."""
    return list(csv.reader(io.StringIO(export.csv(table).decode("utf-8-sig"), newline="")))


def test_no_word_is_a_formula_in_a_spreadsheet():
    table = pd.DataFrame([FORMULAS, FORMULAS], index=FORMULAS[:2], columns=FORMULAS)
    quoted = [f"'{word}" for word in FORMULAS]
    assert cells(table) == [["", *quoted], [quoted[0], *quoted], [quoted[1], *quoted]]


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=4))
def test_numbers_go_into_a_spreadsheet_as_numbers(numbers):
    table = pd.DataFrame([numbers], index=["−é😀"])
    assert export.csv(table).startswith(b"\xef\xbb\xbf"), "a spreadsheet takes it for UTF-8 by its first bytes"
    name, *read = cells(table)[1]
    assert name == "−é😀"
    assert [float(cell) for cell in read] == numbers
