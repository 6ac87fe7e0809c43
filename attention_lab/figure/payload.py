"""The payload of a figure: everything that the browser draws and computes with, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlencode

import numpy as np

from attention_lab import faults
from attention_lab.calculation import Calculation, Results, Value, path_of, steps_of
from attention_lab.state.permalink import Field
from attention_lab.state.state import State

from .browser_code import OwnParts, library_version
from .carried import BinaryArrays
from .layout import Column

NO_FIELD = "nothing"  # what a badge is of where no hand can change the numbers


def figure_payload(
    state: State,
    columns: Sequence[Column],
    now: Results,
    *,
    title: str,
    veil: bool,
    own: OwnParts | None,
    arrays: Mapping[str, BinaryArrays],
    first_move: str,
    asked: Mapping[str, Any] | None,
    version: int,
) -> bytes:
    """The page's figure: columns of parts, and the calculation that `now` comes from.

    The `version` is the number of the browser's last event that the state holds. Under a `veil` numbers and
    pictures wait for the reader's prediction. The `arrays` were given to the
    calculation under their names and travel on their own.
    """
    pose = state.pose()
    badges: dict[str, None] = {}
    drawn = [_badged(column.to_payload(), now.calculation, state.fields, badges) for column in columns]
    data = {
        "own": own.name if own else "",
        "carries": " ".join(each.id for each in arrays.values()),
        "carried": {name: each.to_payload() for name, each in arrays.items()},
        "page": state.name,
        "title": title,
        "pose": pose,
        "library": library_version(),
        "version": version,
        "given": {name: _plain(value) for name, value in now.added.items() if name not in arrays},
        "columns": drawn,
        "address": {
            f.name: [f.write(option) for option in f.options(state.values)] if f.options else True
            for f in state.fields
            if f.interactive
        },
        "animated": [f.name for f in state.fields if f.interactive and f.animated],
        "search": urlencode(state.link),
        "origin": state.lesson.provenance,
        "elsewhere": state.lesson.provenance_at,
        "provenance": {of: state.provenance_of(*of.split()) for of in badges},
        "completed_goals": sorted(state.completed_goals),
        "turns": [len(state.steps_back), len(state.steps_on)],
        "veil": veil,
        "first": first_move,
    }
    if state.room:
        data["room"] = {"sheet": state.sheet, "begun": _begun(state, data["animated"]), "asked": asked}
    names, calculation = _steps(now.calculation)
    return _to_json(data, known={*pose, *now.added, *names}, calculation=calculation)


def _begun(state: State, names: Sequence[str]) -> dict[str, Any]:
    """What a hand finds to move before anything was moved."""
    begun = state.pose(state.defaults())
    return {name: begun[name] for name in names}


def still_payload(
    name: str,
    columns: Sequence[Column],
    title: str,
    given: Mapping[str, Any],
    provenance: str,
    own: OwnParts | None,
) -> bytes:
    """A figure without a hand, drawn from what is `given`."""
    data = {
        "own": own.name if own else "",
        "carries": "",
        "page": name,
        "title": title,
        "pose": {},
        "animated": [],
        "library": library_version(),
        "version": 0,
        "given": {key: _plain(value) for key, value in given.items()},
        "columns": [column.to_payload() for column in columns],
        "address": {},
        "search": None,
        "provenance": provenance,
        "veil": False,
    }
    return _to_json(data, set(given))


def _badged(told: Any, calculation: Calculation, fields: Sequence[Field], badges: dict[str, None]) -> Any:
    """What is told of parts; each badge says which of the page's fields the numbers of its picture are made of.

    They are found in the calculation itself: a badge speaks of its own picture's arrays and no others. All are
    put into `badges`.
    """
    if isinstance(told, dict):
        inner = {name: _badged(value, calculation, fields, badges) for name, value in told.items()}
        if told.get("badge") is True:
            given = frozenset().union(*map(calculation.origins, _values(told)))
            inner["badge"] = " ".join(f.name for f in fields if f.from_example and f.name in given) or NO_FIELD
        if isinstance(badge := inner.get("badge"), str):
            badges[badge] = None
        return inner
    if isinstance(told, (list, tuple)):
        return [_badged(value, calculation, fields, badges) for value in told]
    return told


def _values(told: Any) -> Iterator[Value]:
    """The recorded values in what is told of a part."""
    if isinstance(told, Value):
        yield told
    elif isinstance(told, (dict, list, tuple)):
        for inner in told.values() if isinstance(told, dict) else told:
            yield from _values(inner)


@lru_cache(128)
def _steps(calculation: Calculation) -> tuple[frozenset[str], str]:
    """The names of a calculation's steps, and the steps as the browser reads them."""
    steps = steps_of(calculation)
    return frozenset(name for name, *_ in steps), _written(steps)


def _written(data: Any, value: Callable[[Any], Any] | None = None) -> str:
    """The data as JSON; `value` says what stands for a recorded value.

    What is undefined is null there, since JSON knows no number that is none.
    """
    write = partial(json.dumps, default=value, separators=(",", ":"), allow_nan=False)
    try:
        return write(data)
    except ValueError:
        return write(_known(data))


def _to_json(data: Mapping[str, Any], known: set[str], calculation: str = "[]") -> bytes:
    """Serialise here so that Streamlit does not scan the data for tables.

    A recorded value becomes the path where the browser finds it, a whole one its name. The steps of the
    `calculation`, which stay the same from run to run, are written already.
    """

    def path_to(value: Any) -> Any:
        if not isinstance(value, Value):
            raise faults.Fault(f"{value!r}, a {type(value).__name__}, cannot be told to the browser.")
        name, *steps = path = path_of(value)
        if name not in known:
            raise faults.unknown(
                name, known, f"known to the stage of {data['page']!r}: give it to its calculation"
            )
        return path if steps else name

    return f'{_written(data, path_to).removesuffix("}")},"calculation":{calculation}}}'.encode()


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _known(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_known(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
