"""What can be taken home: the table behind a picture, the picture, the calculation as a program, the link."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from pprint import pformat
from typing import Any

import numpy as np
import pandas as pd

PROGRAMS = Path(__file__).with_name("programs")
BEGIN, END = "# given\n", "# end given\n"
LIBRARIES = ("numpy", "torch")


@lru_cache(128)
def _template(library: str, name: str) -> tuple[str, str]:
    text = (PROGRAMS / library / f"{name}.py").read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before, rest.split(END)[1]


def program(library: str, name: str, given: Mapping[str, Any]) -> str:
    """The page's calculation as a program that stands alone and prints the numbers on screen.

    ``programs/<library>/<name>.py`` is such a program; its lines between ``# given`` and ``# end given`` give way
    to the present values, written through `repr`.
    """
    before, after = _template(library, name)
    lines = [
        f"{key} = {pformat(value.tolist() if isinstance(value, np.ndarray) else value, width=100)}\n"
        for key, value in given.items()
    ]
    return before + "".join(lines) + after


class Program(dict[str, Any]):
    """What programs of another name than the page's begin with, and the `files` that they read, by their
    names."""

    def __init__(self, name: str, given: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Take them."""
        super().__init__(given)
        self.name, self.files = name, files


FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # how a cell begins that a spreadsheet would calculate


def csv(table: pd.DataFrame) -> bytes:
    """A table as a spreadsheet opens it rightly: letters of every language, and words that are no formulas.

    A word that begins as a formula does gets an apostrophe before it, which spreadsheets take as: this is text.
    """

    def cell(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

    return table.map(cell).rename(index=cell, columns=cell).to_csv(lineterminator="\r\n").encode("utf-8-sig")
