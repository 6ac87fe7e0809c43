"""The parts of the stage that only home has: a path of stations, and vectors as tables of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_lab import figure
from attention_lab.calculation import Value
from attention_lab.course import PageLink

Station = dict[str, Any]
Way = dict[str, Any]
Port = tuple[str, float]


def path(groups: Sequence[Sequence[Station]], ways: Sequence[Way]) -> figure.Part:
    """Stations in groups beside one another (on a phone below one another), with arrows between them."""
    return figure.part("path", groups=groups, ways=ways)


def station(
    name: str,
    title: str,
    parts: Sequence[figure.Part],
    *,
    how: str,
    role: str = "word",
    letter: str = "",
    page_link: PageLink | None = None,
) -> Station:
    """A stop on a `path`; below its title, `how` it is made. With a `page_link` its title opens that page."""
    told = {"name": name, "title": title, "parts": parts, "role": role, "letter": letter, "how": how}
    return told | ({"page_link": page_link.page, "promise": page_link.promise} if page_link else {})


def way(start: str, end: str, wide: tuple[Port, Port], tall: tuple[Port, Port], *, role: str = "word") -> Way:
    """An arrow between two stations, from edge to edge: ``("right", 0.5)`` is the middle of the right one.

    `wide` are its two ends where the path runs from left to right, `tall` where it runs from top to bottom.
    """
    return {"from": start, "to": end, "wide": wide, "tall": tall, "role": role}


def coordinates(
    of: Value,
    axes: Sequence[str],
    *,
    what: str,
    called: str,
    title: str,
    role: str = "word",
    made: tuple[Value, Value] | None = None,
    turned: bool = False,
    result: bool = False,
) -> figure.Part:
    """Vectors as a small table of numbers, a word a line, or `turned` a word a column.

    `what` names its live numbers (``query apple 1``). `made` are the two matrices whose product they are: a
    `told` part then says how the number pointed at came about, the vectors being `called` so. A `result` waits
    for the reader's guess.
    """
    return figure.part(
        "coordinates",
        of=of,
        names=figure.WORDS,
        axes=axes,
        what=what,
        called=called,
        title=title,
        role=role,
        chosen=figure.WORD,
        made=made,
        turned=turned,
        result=result,
    )
