"""The payload of a figure: everything that the browser draws and computes with, as JSON."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any

import numpy as np

from attention_lab import faults
from attention_lab.calculation import NO_CALCULATION, Calculation, Expression, Results, path_of, steps_of
from attention_lab.calculation.binary_arrays import BinaryArrays
from attention_lab.state.permalink import Field
from attention_lab.state.state import State
from attention_lab.text.languages import language

from .browser_code import OwnParts, library_version
from .layout import Column

NO_POSE: Mapping[str, Any] = {}
NO_FIELD = "nothing"  # what a badge is of where no hand can change the numbers


@dataclass(frozen=True)
class Frame:
    """What a figure is made of, as it stands while a hand moves things: its parts, calculation and constants."""

    text: str  # JSON
    id: str  # letters that stand for the text
    badges: tuple[str, ...]  # what its badges are of
    goals: tuple[tuple[str, Callable[[Results], bool]], ...]  # the goal in sight, and whether it is met
    arrays: Mapping[str, BinaryArrays]

    @property
    def nbytes(self) -> int:
        """The bytes of its text and its arrays."""
        return len(self.text) + sum(len(each.data) for each in self.arrays.values())


def figure_frame(
    state: State,
    columns: Sequence[Column],
    now: Results,
    *,
    title: str,
    own: OwnParts | None,
    arrays: Mapping[str, BinaryArrays],
) -> Frame:
    """The figure's frame: columns of parts, and the calculation that `now` comes from.

    The `arrays` are among the calculation's constants and are sent separately.
    """
    badges: dict[str, None] = {}
    drawn = [_badged(column.to_payload(), now.calculation, state.fields, badges) for column in columns]
    interactive = [f for f in state.fields if f.interactive]
    names, steps = _steps(now.calculation)
    data = {
        "own": own.name if own else "",
        "arrays": {name: each.to_payload() for name, each in arrays.items()},
        "title": title,
        "library": library_version(),
        "constants": {name: as_lists(value) for name, value in now.constants.items() if name not in arrays},
        "columns": drawn,
        "address": {
            f.name: [f.write(option) for option in f.options(state.values)] if f.options else True
            for f in interactive
        },
        "animated": [f.name for f in interactive if f.animated],
        "origin": state.lesson.provenance,
        "elsewhere": state.lesson.provenance_at,
        "calculation": steps,
    }
    known = {*(f.name for f in interactive), *now.constants, *names}
    text = _to_json(data, state.name, known, f"attention_lab/lessons/{state.name}: ")
    id_, goals = sha256(text.encode()).hexdigest()[:16], tuple(column.goal for column in columns if column.goal)
    return Frame(text, id_, tuple(badges), goals, arrays)


def language_payload() -> dict[str, str]:
    """The language of the words and numbers, and its direction: the browser tells the document."""
    spoken = language()
    return {"lang": spoken.code, "dir": spoken.direction}


def plain_payload(
    name: str,
    columns: Sequence[Column],
    title: str,
    constants: Mapping[str, Any],
    pose: Mapping[str, Any] = NO_POSE,
    calculation: Calculation = NO_CALCULATION,
    *,
    provenance: str = "",
    own: OwnParts | None = None,
) -> bytes:
    """A figure without a lesson, drawn from `constants` and from what a `calculation` makes of them.

    A hand can change the `pose`: without one the figure stands still. Nothing of it is kept in the URL.
    """
    names, steps = _steps(calculation)
    data = {
        "own": own.name if own else "",
        **language_payload(),
        "page": name,
        "title": title,
        "pose": dict(pose),
        "animated": [],
        "library": library_version(),
        "version": 0,
        "constants": {key: as_lists(value) for key, value in constants.items()},
        "columns": [column.to_payload() for column in columns],
        "address": {},
        "search": None,
        "provenance": provenance,
        "results_hidden": False,
        "calculation": steps,
    }
    return _to_json(data, name, {*constants, *pose, *names}).encode()


def _badged(payload: Any, calculation: Calculation, fields: Sequence[Field], badges: dict[str, None]) -> Any:
    """Complete the badges of parts: each names the fields that the numbers of its picture depend on.

    They are found in the calculation itself: a badge speaks of its own picture's arrays and no others. All are
    put into `badges`.
    """
    if type(payload) in (str, int, float):  # most are
        return payload
    if isinstance(payload, dict):
        inner = {name: _badged(value, calculation, fields, badges) for name, value in payload.items()}
        if payload.get("badge") is True:
            inputs = frozenset().union(*map(calculation.origins, _values(payload)))
            inner["badge"] = " ".join(f.name for f in fields if f.from_example and f.name in inputs) or NO_FIELD
        if isinstance(badge := inner.get("badge"), str):
            badges[badge] = None
        return inner
    if isinstance(payload, (list, tuple)):
        return [_badged(value, calculation, fields, badges) for value in payload]
    return payload


def _values(payload: Any) -> Iterator[Expression]:
    """Iterate over the recorded values in a part's payload."""
    if isinstance(payload, Expression):
        yield payload
    elif isinstance(payload, (dict, list, tuple)):
        for inner in payload.values() if isinstance(payload, dict) else payload:
            yield from _values(inner)


@lru_cache(128)
def _steps(calculation: Calculation) -> tuple[frozenset[str], list[tuple]]:
    """The names of a calculation's steps, and the steps as the browser reads them."""
    steps = steps_of(calculation)
    return frozenset(name for name, *_ in steps), steps


def json_text(data: Any, value: Callable[[Any], Any] | None = None) -> str:
    """The data as JSON; `value` says what stands for a recorded value.

    What is undefined is null there, since JSON knows no number that is none.
    """
    write = partial(json.dumps, default=value, separators=(",", ":"), allow_nan=False)
    try:
        return write(data)
    except ValueError:
        return write(_known(data))


def _to_json(data: Mapping[str, Any], page: str, known: set[str], place: str = "") -> str:
    """Serialise here so that Streamlit does not scan the data for tables.

    A recorded value becomes the path where the browser finds it, a whole one its name. A fault names the `place`,
    since the lesson has drawn the figure by now; without one, the code that calls.
    """

    def path_to(value: Any) -> Any:
        if not isinstance(value, Expression):
            raise faults.AuthoringError(f"{value!r}, a {type(value).__name__}, cannot be sent to the browser.")
        name, *steps = path = path_of(value)
        if name not in known:
            raise faults.unknown(
                name, known, f"known to the stage of {page!r}: give it to its calculation", place=place
            )
        return path if steps else name

    return json_text(data, path_to)


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _known(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_known(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_lists(value: Any) -> Any:
    """Return an array as lists of rows, and anything else as it is."""
    return value.tolist() if isinstance(value, np.ndarray) else value
