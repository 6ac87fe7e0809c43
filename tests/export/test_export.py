"""An exported program stands alone, and an exported table opens in a spreadsheet, whatever the words are."""

import ast
import csv
import io

import numpy as np
import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_lab import export, quiz
from attention_lab.text.languages import speaking

SOURCES = {  # by library and name
    (path.parent.name, path.stem): "".join(export.template(path.parent.name, path.stem))
    for path in export.PROGRAMS.glob("[nt]*/*.py")
}
PACKAGES = {"numpy", "math", "pathlib", "torch"}
FORMULAS = ["=cmd|'/c calc'!A1", "@SUM(1)", "+1+1", "-2+3", "\tx", "\rx", "－1", "=1"]


def find(kind, source):
    """Return all nodes of a kind in a source or a tree."""
    tree = ast.parse(source) if isinstance(source, str) else source
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


def constants_in(text, names):
    """Return the values that a program gives to these names."""
    lines = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    assigned = {ast.unparse(line.targets[0]): line.value for line in lines}
    return {name: ast.literal_eval(assigned[name]) for name in names}


def test_every_program_has_a_docstring_its_functions_above_its_data_and_few_imports():
    offenders = []
    for name, text in SOURCES.items():
        before, after = map(ast.parse, text.split(export.MARK))
        kinds = {type(node) for node in before.body[1:]}
        above = ast.FunctionDef in kinds <= {ast.Import, ast.ImportFrom, ast.FunctionDef}
        modules = [node.module for node in find(ast.ImportFrom, text)]
        modules += [alias.name for node in find(ast.Import, text) for alias in node.names]
        packages = {module.split(".")[0] for module in modules}
        if not (above and ast.get_docstring(before) and packages <= PACKAGES) or find(ast.FunctionDef, after):
            offenders.append(name)
    assert offenders == []


def prints(text):
    return [call for call in find(ast.Call, text) if ast.unparse(call.func) == "print"]


def test_every_printed_line_has_a_label():
    offenders = []
    for name, text in SOURCES.items():
        for call in prints(text):
            line = ast.unparse(call)
            strings = map(ast.unparse, find(ast.JoinedStr | ast.Constant, line))
            if len(call.args) != 1 or not any(": " in s or "layer {number} of" in s for s in strings):
                offenders.append((name, line))
    assert offenders == []


def test_both_libraries_have_the_same_programs_which_print_the_same_lines():
    lines = {library: {} for library in export.LIBRARIES}
    for (library, name), text in SOURCES.items():
        lines[library][name] = sorted(ast.unparse(call) for call in prints(text.split(export.MARK)[1]))
    assert lines["numpy"] == lines["torch"] != {}


@settings(max_examples=40)
@given(st.lists(st.text(), min_size=1), st.floats(allow_nan=False, allow_infinity=False))
@example([export.MARK, "'''", '"""', "\\"], -0.1)
def test_words_and_numbers_stay_exact_in_a_program(words, number):
    constants = {"words": words, "vectors": np.array([[number, 1 / 3]]), "heat": number}
    text = export.program("numpy", "similarity", constants)
    assert constants_in(text, constants) == constants | {"vectors": [[number, 1 / 3]]}


def cells(table):
    """Return the texts in the cells of an exported table."""
    return list(csv.reader(io.StringIO(export.csv(table).decode("utf-8-sig"), newline="")))


def test_no_word_is_a_formula_in_a_spreadsheet():
    table = pd.DataFrame([FORMULAS, FORMULAS], index=FORMULAS[:2], columns=FORMULAS)
    quoted = [f"'{word}" for word in FORMULAS]
    assert cells(table) == [["", *quoted], [quoted[0], *quoted], [quoted[1], *quoted]]


def test_a_spreadsheet_finds_columns_and_numbers_in_every_language():
    rows = {"en": "a,0.5", "zh": "a,0.5", "ar": "a;0.5", "de": "a;0,5", "es": "a;0,5"}
    for code, row in rows.items():
        with speaking(code):
            assert export.csv(pd.DataFrame([[0.5]], index=["a"])).decode("utf-8-sig").split()[1] == row
            assert quiz.key_as_csv(quiz.TEST_ITEMS).count(row[1].encode()) == 2 * 13


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=4))
def test_numbers_stay_numbers_in_a_spreadsheet(numbers):
    table = pd.DataFrame([numbers], index=["−é😀"])
    assert export.csv(table).startswith(b"\xef\xbb\xbf"), "a spreadsheet knows UTF-8 by its first bytes"
    name, *read = cells(table)[1]
    assert name == "−é😀"
    assert [float(cell) for cell in read] == numbers
