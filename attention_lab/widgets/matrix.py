"""Weight matrices: their fields of the address, and the editor in which they are typed.

A matrix under the hand needs nothing from here: its rows are the images of the basis vectors, so
``stage.vectors("W_query", handles=True, …)`` draws it and lets it be dragged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from attention_lab.state import permalink
from attention_lab.state.page_state import PageState, base_example
from attention_lab.state.permalink import Field, RefusedError, Values
from attention_lab.text import say
from attention_lab.text.number_format import format_number

from .page_layout import keep_typed, refusal, tool

LARGEST = 100.0
ABSENT = np.zeros((0, 0))  # where an example has no such matrix


def field(name: str, meaning: str, among: Sequence[Field], default: np.ndarray = ABSENT) -> Field:
    """The address's matrix `name` (``W_query`` …), as the example has it until it is changed.

    `among` are the page's fields so far, of which the example is one; `default` serves where it has no such
    matrix.
    """

    def of_example(values: Values) -> np.ndarray:
        matrix = getattr(base_example(among, values), name)
        return default if matrix is None else matrix

    return permalink.matrix(name, meaning, of_example, limit=LARGEST)


def write_rows(matrix: np.ndarray, denominator: int = 1) -> str:
    """A matrix as the editor shows it, a row a line; entries that are whole in `denominator`-ths as fractions."""
    return "\n".join("  ".join(_entry(number, denominator) for number in row) for row in matrix)


def _entry(number: float, denominator: int) -> str:
    above = round(number * denominator)
    if denominator > 1 and above % denominator and abs(number * denominator - above) < 1e-9:
        return f"{above}/{denominator}"
    return permalink.numeral(number)


def tex(matrix: np.ndarray, denominator: int = 1) -> str:
    """A matrix as a formula; where all entries are whole in `denominator`-ths, and not all are whole, as such."""
    matrix = np.round(matrix, 12) + 0.0  # what rounding left of nothing is nothing
    parts = np.round(matrix * denominator)
    whole = np.array_equal(matrix, np.round(matrix))
    common = not whole and np.allclose(matrix * denominator, parts, rtol=0, atol=1e-9)
    entries = [[str(int(x)) for x in row] for row in parts]
    if not common:
        entries = [[format_number(x).replace("−", "-") for x in row] for row in matrix]
    rows = r" \\ ".join(" & ".join(row) for row in entries)
    return (rf"\tfrac{{1}}{{{denominator}}}" if common else "") + rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


def read_rows(text: str, shape: tuple[int, int]) -> np.ndarray:
    """The matrix that was typed: a row a line, numbers or fractions such as ``24/57`` between spaces."""
    lines = [line.replace(",", " ").replace("−", "-").split() for line in text.splitlines() if line.strip()]
    if len(lines) != shape[0] or any(len(line) != shape[1] for line in lines):
        raise permalink.refused("matrix", rows=shape[0], columns=shape[1], **_shape(lines))
    return np.array([[permalink.read_typed(entry, LARGEST) for entry in line] for line in lines])


def _shape(lines: Sequence[Sequence[str]]) -> dict[str, str | int]:
    widths = sorted({len(line) for line in lines}) or [0]
    return {"lines": len(lines), "widths": f" {say('refused/or')} ".join(map(str, widths))}


@tool("matrices")
def editor(page: PageState, shown: Mapping[str, str], *, denominator: int = 1, along: Sequence[str] = ()) -> None:
    """Type the matrices in. `shown` maps each field's name to its label; what cannot be read stays as typed.

    What is typed holds for the fields `along` as well: one matrix for both queries and keys.
    """
    memory = page.memory

    def edited(name: str) -> None:
        try:
            matrix = read_rows(st.session_state[page.key(f"rows.{name}")], memory.values[name].shape)
        except RefusedError as reason:
            memory.refused[name] = str(reason)
            return
        memory.refused.pop(name, None)
        page.put(**dict.fromkeys((name, *along), matrix))

    # Opening it runs the page, so that its lines say what a hand has made meanwhile. In a closed popover the
    # browser keeps a field's old text, and would send it as an edit.
    drawer = st.popover(
        say("matrices"), icon=":material/grid_on:", on_change="rerun", key=page.key("matrices_open")
    )
    keep_typed(*(page.key(f"rows.{name}") for name in shown))
    if not drawer.open:
        return
    with drawer:
        for name, label in shown.items():
            key, matrix = page.key(f"rows.{name}"), memory.values[name]
            if name not in memory.refused:
                st.session_state[key] = write_rows(matrix, denominator)
            st.text_area(
                f"{label}: {matrix.shape[0]} × {matrix.shape[1]}",
                key=key,
                on_change=edited,
                args=(name,),
                height=60 + 26 * len(matrix),
                help=say("matrices/help"),
            )
            refusal(page, name)
