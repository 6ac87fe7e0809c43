"""The parts of the figure that only Home has: a button that opens every step, arrows between stations."""

from collections.abc import Sequence
from typing import Any

from attention_lab import figure
from attention_lab.calculation import Expression, name_of

Way = dict[str, Any]
Port = tuple[str, float]


def way(start: str, end: str, wide: tuple[Port, Port], tall: tuple[Port, Port], *, role: str = "word") -> Way:
    """An arrow between two stations, from edge to edge: ``("right", 0.5)`` is the middle of the right one.

    `wide` are its two ends where the path runs from left to right, `tall` where it runs from top to bottom;
    there, an arrow between two stations beside one another goes straight across.
    """
    return {"from": start, "to": end, "wide": wide, "tall": tall, "role": role}


def turn_on(choice: Expression, label: str) -> figure.Part:
    """A button that opens and closes what a `choice` stands for, live."""
    return figure.part("turn_on", of=name_of(choice), label=label)


def by_choice(choice: Expression, *parts: Sequence[figure.Part]) -> figure.Part:
    """The `parts` for each value of a `choice`: the browser draws those of the present one."""
    return figure.part("by_choice", of=name_of(choice), choices=[list(each) for each in parts])
