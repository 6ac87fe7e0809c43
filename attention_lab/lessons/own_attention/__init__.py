"""Your own attention: a file of weights that a reader opens; until then, an example. It is no lesson."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.calculation.binary_arrays import BinaryArrays
from attention_lab.lesson import Lesson
from attention_lab.own_attention.packed_view import PackedView
from attention_lab.own_attention.page import PARTS, view_columns
from attention_lab.state import permalink
from attention_lab.state.permalink import Field, Range, Rules, Values
from attention_lab.state.state import State

from .opened_file import ARRAY, OpenedFile, example, named_by, open_file  # noqa: F401 - the page opens files

PROGRAMS = Path(__file__).with_name("programs")
UNKNOWN = 10**6  # heads, tokens: how many there may be while the file is not there
UNSET = -1  # what a link did not choose, while the file is not there
POSE = ("view", "head", "query", "measure", "sorted", "form")


def _known(view: PackedView, values: Values) -> Mapping[str, Any]:
    """What the browser knows of the patterns that are chosen in the list."""
    return view.patterns[values["view"]].known


def _below(count: Callable[[PackedView, Values], int]) -> Callable[[Values], Rules]:
    """What a number in a link has to be: below how many there are in the file."""

    def rules(values: Values) -> Rules:
        view = values["file"].view
        most = UNKNOWN if view is None else count(view, values)
        return Rules((Range(0, most - 1, whole=True),))

    return rules


def _first(name: str) -> Callable[[Values], int]:
    """What is chosen at first; in the patterns of another list, the first head and the last token."""

    def default(values: Values) -> int:
        file = values["file"]
        if file.view is None:
            return UNSET
        if name in ("head", "query") and values["view"] != file.first_pose["view"]:
            return len(_known(file.view, values)["queries"]) - 1 if name == "query" else 0
        return file.first_pose[name]

    return default


FIELDS = (
    Field(
        "file",
        "the file that is shown, by 16 letters that stand for its content; a link does not hold the file itself",
        lambda _: example(),
        lambda text, _: named_by(text),
        lambda file: file.id,
    ),
    permalink.ruled(
        "view",
        "which of the patterns in the list",
        _first("view"),
        _below(lambda view, _: len(view.patterns)),
        str,
    ),
    permalink.ruled(
        "head",
        "the head that is shown, counted through all layers",
        _first("head"),
        _below(lambda view, values: sum(_known(view, values)["heads"])),
        str,
    ),
    permalink.ruled(
        "query",
        "the token whose query is shown",
        _first("query"),
        _below(lambda view, values: len(_known(view, values)["queries"])),
        str,
    ),
    permalink.ruled(
        "measure",
        "0: heads are drawn as patterns; else the number of the measure that shades them",
        _first("measure"),
        _below(lambda view, values: len(view.patterns[values["view"]].measures) + 1),
        str,
    ),
    permalink.ruled("sorted", "1: heads are sorted by the measure", _first("sorted"), _below(lambda *_: 2), str),
    permalink.ruled("form", "0: the pattern as a matrix, 1: as lines", _first("form"), _below(lambda *_: 2), str),
)


def opened(state: State, file: OpenedFile) -> Values:
    """The values once a file is open: what a link has chosen in this very file stays."""
    of_link = {name: [str(state.values[name])] for name in POSE if state.values[name] != UNSET}
    return permalink.read_address(FIELDS, of_link if state.file.id == file.id else {}, {"file": file})[0]


def calculate(state: State) -> Results:
    """What the parts of the figure read."""
    return state.file.results(state.text, state.language)


def arrays(state: State, _: Sequence[bool]) -> Mapping[str, BinaryArrays]:
    """The packed weights."""
    return {} if state.file.view is None else {ARRAY: state.file.packed}


def draw(state: State, _: Results, __: Sequence[bool]) -> Sequence[figure.Column]:
    """All heads, and the one that is shown; where the file of a link is not there, a sentence."""
    view, text = state.file.view, state.text
    if view is None:
        return [figure.Column([figure.remark(text.plain("not_here"))])]
    *before, last = view_columns(view, text)
    notes = [figure.remark(note) for note in view.notes(text)]
    return [*before, figure.Column([*last.parts, *notes], share=last.share, least=last.least)]


def tables(state: State) -> dict[str, pd.DataFrame]:
    """What each head does, in numbers."""
    view, text = state.file.view, state.text
    if view is None:
        return {}
    found = {}
    for each in view.patterns:
        index = [text.plain(f"titles/{each.of}", layer=layer, head=head) for layer, head in each.names]
        columns = {text.plain(f"measures/{name}"): numbers for name, numbers in each.measures}
        found[each.label(text)] = pd.DataFrame(columns, index=index, dtype=float)
    return found


@lru_cache(4)
def program(name: str) -> str:
    """Return a program that makes a file."""
    return (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8").strip()


LESSON = Lesson(
    "own_attention",
    FIELDS,
    calculate=calculate,
    draw=draw,
    title=lambda state: (state.file.view and state.file.view.title) or state.text.plain("view_title"),
    arrays=arrays,
    tables=tables,
    own_parts=PARTS,
    exported=lambda _: False,
    frames=lambda state: state.file.frames,
)
