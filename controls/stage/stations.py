"""A path of stations with ways between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def station(
    name: str, title: str, parts: Sequence[Mapping[str, Any]], *, role: str = "word", **more: Any
) -> dict[str, Any]:
    """A stop on a `path`. More: its `letter`, `how` it is made, its `door` (a page) and that page's `promise`."""
    return {"name": name, "title": title, "parts": list(parts), "role": role, **more}


def way(start: str, end: str, wide: tuple, tall: tuple, *, role: str = "word") -> dict[str, Any]:
    """An arrow between two stations, from edge to edge: ``("right", 0.5)`` is the middle of the right one.

    `wide` are its two ends where the path runs from left to right, `tall` where it runs from top to bottom.
    """
    return {"from": start, "to": end, "wide": wide, "tall": tall, "role": role}


def path(groups: Sequence[Sequence[Mapping[str, Any]]], ways: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Stations in groups beside one another (on a phone below one another), with arrows between them."""
    return {"kind": "path", "groups": groups, "ways": ways}
