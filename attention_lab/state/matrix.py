"""Weight matrices: their fields of the address, and how they are typed.

A matrix under the hand needs nothing from here: its rows are the images of the basis vectors, so
``figure.vectors("W_query", handles=True, …)`` draws it and lets it be dragged.
"""

from collections.abc import Sequence

import numpy as np

from attention_lab.text.number_format import format_number, in_formula

from . import permalink
from .permalink import Field, Range, Values
from .state import base_example

LARGEST = 100.0
LIMITS = Range(-LARGEST, LARGEST)
ABSENT = np.zeros((0, 0))  # where an example has no such matrix


def field(name: str, meaning: str, among: Sequence[Field], default: np.ndarray = ABSENT) -> Field:
    """The address's matrix `name` (``W_query`` …), as the example has it until it is changed.

    `among` are the page's fields so far, of which the example is one; `default` serves where it has no such
    matrix.
    """

    def of_example(values: Values) -> np.ndarray:
        matrix = getattr(base_example(among, values), name)
        return default if matrix is None else matrix

    return permalink.matrix(name, meaning, of_example, within=LIMITS)


def write_rows(matrix: np.ndarray, denominator: int = 1) -> str:
    """A matrix as the editor shows it, a row a line; entries that are whole in `denominator`-ths as fractions."""
    return "\n".join("  ".join(_entry(number, denominator) for number in row) for row in matrix)


def _entry(number: float, denominator: int) -> str:
    above = round(number * denominator)
    if denominator > 1 and above % denominator and abs(number * denominator - above) < 1e-9:
        return f"{above}/{denominator}"
    return permalink.typed(number)


def tex(matrix: np.ndarray, denominator: int = 1) -> str:
    """A matrix as a formula; where all entries are whole in `denominator`-ths, and not all are whole, as such."""
    matrix = np.round(matrix, 12) + 0.0  # what rounding left of nothing is nothing
    parts = np.round(matrix * denominator)
    whole = np.array_equal(matrix, np.round(matrix))
    common = not whole and np.allclose(matrix * denominator, parts, rtol=0, atol=1e-9)
    entries = [[str(int(x)) for x in row] for row in parts]
    if not common:
        entries = [[in_formula(format_number(x)) for x in row] for row in matrix]
    rows = r" \\ ".join(" & ".join(row) for row in entries)
    return (rf"\tfrac{{1}}{{{denominator}}}" if common else "") + rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


def read_rows(text: str, shape: tuple[int, int]) -> np.ndarray:
    """The matrix that was typed: a row a line, numbers or fractions such as ``24/57`` between spaces."""
    lines = [permalink.split_numbers(line) for line in text.splitlines() if line.strip()]
    if len(lines) != shape[0] or any(len(line) != shape[1] for line in lines):
        wrong_size = permalink.refused("matrix", rows=shape[0], columns=shape[1])
        raise permalink.comma_refused(text) or wrong_size
    return np.array([[permalink.read_typed(entry, LARGEST) for entry in line] for line in lines])
