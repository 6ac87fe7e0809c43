"""The parts of the figure that only Home has: a button that opens every step, a path of stations, tables."""

from collections.abc import Sequence
from typing import Any

from attention_lab import figure
from attention_lab.calculation import Expression, name_of
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

    `wide` are its two ends where the path runs from left to right, `tall` where it runs from top to bottom;
    there, an arrow between two stations beside one another goes straight across.
    """
    return {"from": start, "to": end, "wide": wide, "tall": tall, "role": role}


def coordinates(
    of: Expression,
    axes: Sequence[str],
    *,
    what: str,
    called: str,
    title: str,
    role: str = "word",
    computed_from: tuple[Expression, Expression] | None = None,
    turned: bool = False,
    result: bool = False,
) -> figure.Part:
    """Vectors as a small table of numbers, a word a line, or `turned` a word a column.

    `what` names its live numbers (``query apple 1``). They are the product of two matrices, `computed_from`:
    an `explanation` part then explains the number under the pointer; `called` names the vectors. A `result` waits
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
        computed_from=computed_from,
        turned=turned,
        result=result,
    )


def turn_on(choice: Expression, label: str) -> figure.Part:
    """A button that opens and closes what a `choice` stands for, live."""
    return figure.part("turn_on", of=name_of(choice), label=label)


def by_choice(choice: Expression, *parts: Sequence[figure.Part]) -> figure.Part:
    """The `parts` for each value of a `choice`: the browser draws those of the present one."""
    return figure.part("by_choice", of=name_of(choice), choices=[list(each) for each in parts])
