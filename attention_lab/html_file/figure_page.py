"""A figure of given arrays as an HTML file, without a lesson."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_lab.calculation import NO_CALCULATION, Calculation
from attention_lab.figure.layout import Column
from attention_lab.figure.payload import plain_payload

from .shell import figure_place, figure_scripts, html_file

SCRIPT = Path(__file__).with_name("figure_page.js")


def figure_page(
    columns: Sequence[Column],
    title: str,
    constants: Mapping[str, Any],
    pose: Mapping[str, Any],
    calculation: Calculation = NO_CALCULATION,
) -> str:
    """Return one HTML file, in the language that is spoken, with a figure that works offline.

    Its parts read `constants`, NumPy arrays among them, the values that a reader chooses there, which are those
    of the `pose` at first, and what the `calculation` makes of both.
    """
    payload = plain_payload("figure", columns, title, constants, pose, calculation)
    return html_file(title, figure_place(title), scripts=figure_scripts(payload.decode(), SCRIPT))
