"""How parts stand together, and what is said between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    goal: tuple[str, bool] | None = None  # the goal in sight, where these are goals, and whether it is met

    def to_payload(self) -> Part:
        """The column as the browser reads it."""
        told = {"share": self.share, "least": self.least, "turn": self.turn, "parts": list(self.parts)}
        return told | ({"pinned": True} if self.pinned else {})


def beside(*columns: Column) -> Part:
    """Columns inside a column: parts beside one another, on a narrow screen below one another."""
    return part("beside", columns=[column.to_payload() for column in columns])


def pictured(of: Part) -> Part:
    """A part that belongs to the page's picture: it is fitted to a projector, and taken away as a drawing."""
    return of | {"pictured": True}


def heading(text: Text) -> Part:
    """A heading over the parts that follow; in a list of pieces, a value stands for what it is at the time."""
    return part("heading", text=pieces(text))


def remark(text: str) -> Part:
    """A sentence or two under the part before it."""
    return part("remark", text=text)
