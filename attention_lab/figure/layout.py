"""How parts stand together, and what is said between them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attention_lab.calculation import Condition, Results

from .parts import Part, Text, part, pieces

WHOLE_WIDTH = 4000  # pixels, more than a window has: a column that wants so many stands in a row of its own


@dataclass(frozen=True)
class Column:
    """Parts of the stage above one another; `share` of the width, and not below `least` pixels.

    On a phone columns stand below one another, in the order of their `turn`. One that is `pinned` stands above
    the others, as wide as the stage, and stays in sight while the page is scrolled.
    """

    parts: Sequence[Part]
    share: float = 1.0
    least: int = 320
    turn: int = 0
    pinned: bool = False
    goal: tuple[str, Callable[[Results], bool]] | None = None  # the goal in sight, and whether it is met

    def to_payload(self) -> Part:
        """The column as the browser reads it."""
        payload = {"share": self.share, "least": self.least, "turn": self.turn, "parts": list(self.parts)}
        return payload | ({"pinned": True} if self.pinned else {})


def beside(*columns: Column) -> Part:
    """Columns inside a column: parts beside one another, on a narrow screen below one another."""
    return part("beside", columns=[column.to_payload() for column in columns])


def fold(
    title: str,
    *columns: Column,
    goals: Sequence[int] = (),
    opened_by: Condition | None = None,
    opened: bool = False,
) -> Part:
    """Columns that appear once their `title` is clicked, or once one of these `goals` is shown (by place).

    It opens by itself once the condition `opened_by` comes to hold. One that is `opened` is open from the start,
    since a link has set what is in it.
    """
    settings: dict[str, Any] = {"title": title, "goals": list(goals)} | ({"opened": True} if opened else {})
    if opened_by is not None:
        settings["opened_by"] = opened_by.to_payload()
    return part("beside", columns=[column.to_payload() for column in columns], **settings)


def pictured(of: Part) -> Part:
    """A part that belongs to the page's picture: it is fitted to a projector, and taken away as a drawing."""
    return of | {"pictured": True}


def heading(text: Text) -> Part:
    """A heading over the parts that follow; in a list of pieces, a value stands for what it is at the time."""
    return part("heading", text=pieces(text))


def remark(text: str) -> Part:
    """A sentence or two under the part before it; a blank line begins a paragraph."""
    return part("remark", text=text)
