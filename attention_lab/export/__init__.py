"""What can be taken home: the table behind a picture, the picture, the calculation as a program, the link."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from pprint import pformat
from typing import Any

import numpy as np
import pandas as pd

from attention_lab.text.languages import language

PROGRAMS = Path(__file__).with_name("programs")
MARK = "# data\n"
SHARED = re.compile(r"\n+# shared: (.+)\n")  # functions of several programs, each in a file of ``shared``
SAME = "\n# same_as_numpy\n"  # a PyTorch program ends as the NumPy program does, or prints what that prints
QUOTES = '"""'  # a PyTorch program without a docstring begins with the NumPy program's
LIBRARIES = ("numpy", "torch")


@lru_cache(128)
def template(library: str, name: str) -> tuple[str, str]:
    """Return what stands in a program before its data, up to the mark, and what stands after them."""
    text = _read(library, name)
    if not text.startswith(QUOTES):
        numpy = _read("numpy", name)
        text = numpy[: numpy.index(f"{QUOTES}\n\n") + 5] + text
    before, _, after = text.partition(MARK)
    own, same, _ = after.partition(SAME)
    if same:
        numpy = template("numpy", name)[1]
        after = own + numpy[numpy.index("\n\n") + 1 :] if own else numpy
    before = SHARED.sub(
        lambda found: "\n\n\n" + "\n\n".join(_read("shared", each) for each in found[1].split(", ")), before
    )
    show = _read("shared", "show") + "\n\n" if "show(" in after else ""
    return before + show + MARK, after


def _read(folder: str, name: str) -> str:
    return (PROGRAMS / folder / f"{name}.py").read_text(encoding="utf-8")


def _parts(library: str, name: str, constants: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the functions of a program, its data, and the lines that call the functions and print."""
    before, after = template(library, name)
    lines = [
        f"{key} = {pformat(value.tolist() if isinstance(value, np.ndarray) else value, width=100)}\n"
        for key, value in constants.items()
    ]
    return before, "".join(lines), after


def program(library: str, name: str, constants: Mapping[str, Any]) -> str:
    """Return the page's calculation as a program that stands alone and prints the numbers on screen.

    ``programs/<library>/<name>.py`` has functions first, or asks for those in ``programs/shared``. The present
    values follow its line ``# data``, as `repr` writes them; then come the lines that call functions and print.
    """
    return "".join(_parts(library, name, constants))


def notebook(library: str, name: str, constants: Mapping[str, Any], introduction: str) -> str:
    """Return the same program as a Jupyter notebook: an introduction in Markdown, functions, data, results.

    Format: nbformat 4.5, as JSON.
    """
    code = [part.strip("\n") for part in _parts(library, name, constants)]
    cells = [{"cell_type": "markdown", "id": "introduction", "metadata": {}, "source": introduction}] + [
        {"cell_type": "code", "id": id, "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for id, source in zip(("functions", "data", "results"), code, strict=True)
    ]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        # By this a converter knows what kind of file the program is.
        "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
    }
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # how a cell begins that a spreadsheet would calculate


def csv(table: pd.DataFrame) -> bytes:
    """A table as a spreadsheet opens it rightly: letters of every language, and words that are no formulas.

    A word that begins as a formula does gets an apostrophe before it, which spreadsheets take as: this is text.
    Where the spoken language has a decimal comma, numbers have it, too, and a semicolon parts the columns.
    """
    marks = {"sep": language().separator, "decimal": language().decimal}

    def cell(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

    safe = table.map(cell).rename(index=cell, columns=cell)
    return safe.to_csv(lineterminator="\r\n", **marks).encode("utf-8-sig")
