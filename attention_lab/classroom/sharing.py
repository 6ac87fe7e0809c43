"""What of a page may be shared in a room: choices, goals, and numbers within the bounds of the page's own fields.

Nothing typed is among it. Whatever a browser sends, what is given back here holds only what these pages know, or
`TurnedAwayError` is raised.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np

from attention_lab import course
from attention_lab import text as prose
from attention_lab.root import ROOT
from attention_lab.state import permalink
from attention_lab.state.permalink import Field, Values
from attention_lab.state.state import OWN

PAGES = {link.page: Path(link.script) for link in course.every_link(ROOT / "pages")}
MOST_ROWS, WIDEST = 64, 64  # of one matrix
PLACES = frozenset(map(str, range(MOST_ROWS)))
MOST_NUMBERS = 96  # that one member's hand has moved
MOST_LED = 1024  # that the page of whoever leads holds
LARGEST = 1e18  # of any number; NaN is not below it
DIGITS = 3  # a hand moves by hundredths
OWN_WAY = "present"  # a setting that each screen has for itself
EXAMPLE = "example"


class TurnedAwayError(ValueError):
    """What was sent cannot be: forged, out of bounds, or not for a member to say. The text is one word or two."""


@lru_cache(64)
def _fields(page: str) -> tuple[Field, ...]:
    if page not in PAGES:
        raise TurnedAwayError("page")
    return import_module(course.lesson_module(PAGES[page])).LESSON.fields


@lru_cache(64)
def _defaults(page: str) -> Values:
    return permalink.complete(_fields(page), {})


@lru_cache(64)
def _movable(page: str) -> dict[str, Field]:
    return {f.name: f for f in _fields(page) if f.interactive and f.animated}


@lru_cache(64)
def _goals(page: str) -> frozenset[str]:
    _fields(page)
    return frozenset(prose.read(page).parts("goals"))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def _is_matrix(page: str, f: Field) -> bool:
    return isinstance(_defaults(page)[f.name], np.ndarray)


def _row(raw: Any) -> list[float]:
    if not isinstance(raw, list) or not 0 < len(raw) <= WIDEST:
        raise TurnedAwayError("row")
    if not all(_is_number(x) and abs(x) <= permalink.FARTHEST for x in raw):
        raise TurnedAwayError("number")
    return [round(float(x), DIGITS) for x in raw]


def _scalar(page: str, f: Field, raw: Any) -> float:
    """A field's single number, within the bounds that it has as the page is at first."""
    if not _is_number(raw):
        raise TurnedAwayError("number")
    try:
        return f.read(permalink.numeral(raw), _defaults(page))
    except permalink.RefusedError:
        raise TurnedAwayError("bounds") from None


def numbers(page: str, raw: Any) -> dict[str, Any]:
    """What one hand has moved: single numbers, and of matrices the rows by their place."""
    if not isinstance(raw, Mapping):
        raise TurnedAwayError("numbers")
    known = _movable(page)
    result: dict[str, Any] = {}
    count = 0
    for name, value in raw.items():
        if name not in known:
            raise TurnedAwayError("field")
        if not _is_matrix(page, known[name]):
            result[name] = _scalar(page, known[name], value)
            count += 1
            continue
        if not isinstance(value, Mapping):
            raise TurnedAwayError("rows")
        if not value.keys() <= PLACES:
            raise TurnedAwayError("place")
        result[name] = {place: _row(row) for place, row in value.items()}
        count += sum(map(len, result[name].values()))
        if count > MOST_NUMBERS:
            raise TurnedAwayError("many numbers")
    return result


def pose(page: str, raw: Any) -> dict[str, Any]:
    """All that a hand can hold of a page, as the stage knows it: matrices whole, choices by their number."""
    if not isinstance(raw, Mapping):
        raise TurnedAwayError("pose")
    known = {f.name: f for f in _fields(page) if f.interactive}
    result: dict[str, Any] = {}
    count = 0
    for name, value in raw.items():
        if name not in known:
            raise TurnedAwayError("field")
        if known[name].options:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST_ROWS:
                raise TurnedAwayError("choice")
            result[name] = value
        elif _is_matrix(page, known[name]):
            if not isinstance(value, list) or len(value) > MOST_ROWS:
                raise TurnedAwayError("rows")
            result[name] = [_row(row) for row in value]
            count += sum(map(len, result[name]))
        else:
            result[name] = _scalar(page, known[name], value)
        if count > MOST_LED:
            raise TurnedAwayError("many numbers")
    return result


def address(page: str, query: Any, *, predict: bool = False) -> str:
    """The address that opens a page with somebody else's settings, without any words of their own."""
    fields = _fields(page)
    if not isinstance(query, str):
        raise TurnedAwayError("address")
    try:
        texts = parse_qs(query.removeprefix("?"), keep_blank_values=True, max_num_fields=2 * len(fields))
    except ValueError:
        raise TurnedAwayError("address") from None
    own = texts.get(EXAMPLE) == [OWN]
    names = {f.name for f in fields if not (_is_text(page, f) or f.name == OWN_WAY or (own and _goes_with(f)))}
    kept = {name: text for name, text in texts.items() if name in names}
    if len(urlencode(kept, doseq=True)) > permalink.LONGEST:  # of what is kept: trackers may be longer
        raise TurnedAwayError("address")
    values, _ = permalink.read_address(fields, kept)
    written = permalink.write_address(fields, values)
    return urlencode(written | ({"predict": "1"} if predict else {}))


def _is_text(page: str, f: Field) -> bool:
    """Whether a field holds what somebody types: no number, no switch, none of several."""
    default = _defaults(page)[f.name]
    return not (f.options or f.fingerprint or isinstance(default, (bool, int, float, np.ndarray)))


def _goes_with(f: Field) -> bool:
    """Whether a field is nothing without the words that it belongs to."""
    return f.from_example or f.name == EXAMPLE or (f.options is not None and not f.shared)


def goals(page: str, raw: Any) -> tuple[str, ...]:
    """The names of a page's goals that were met."""
    known = _goals(page)
    if not isinstance(raw, Sequence) or isinstance(raw, str) or len(raw) > len(known):
        raise TurnedAwayError("goals")
    if not all(isinstance(name, str) and name in known for name in raw):
        raise TurnedAwayError("goal")
    return tuple(sorted(set(raw)))
