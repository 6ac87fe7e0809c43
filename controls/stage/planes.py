"""A plane, and the marks that can lie on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..lesson import Lesson


def plane(
    lesson: Lesson,
    axes: Sequence[str],
    marks: Sequence[Mapping[str, Any]],
    *,
    low: float = -5.0,
    high: float = 5.0,
    ranges: Sequence[Sequence[float]] | None = None,
    columns: tuple[int, int] = (0, 1),
    title: str = "",
    hint: str = "hint",
    small: bool = False,
) -> dict[str, Any]:
    """A plane of two of the axes, from `low` to `high` on both, or of two `ranges` equally long.

    `marks` are drawn in their order; `hint` names the text that says what can be moved.
    A `small` one stands among others: no figures on its axes, no badge and no hint of its own.
    """
    return {
        "kind": "plane",
        "title": title or lesson.text.plain("figure"),
        "axes": [axes[column] for column in columns],
        "columns": columns,
        "ranges": ranges or [[low, high], [low, high]],
        "marks": marks,
        "hint": "" if small or not hint else lesson.text.plain(hint),
        "badge": not small,
        "small": small,
    }


def vectors(of: str, *, names: str = "words", **more: Any) -> dict[str, Any]:
    """Rows of a matrix as arrows from the origin; ``handles=True`` gives them to the hand."""
    return {"kind": "vectors", "of": of, "names": names, **more}


def displacement(start: Any, end: Any, **more: Any) -> dict[str, Any]:
    """An arrow from one vector to another, both found at paths."""
    return {"kind": "displacement", "from": start, "to": end, **more}


def pulls(start: Any, to: Any, weights: Any) -> dict[str, Any]:
    """Lines from one vector to others, as wide as their weights."""
    return {"kind": "pulls", "from": start, "to": to, "weights": weights}


def addition(
    of: Any, weights: Any, *, apart: str, start: Any, carried: Any, focus: str = "word", other: str = "other"
) -> dict[str, Any]:
    """A weighted sum as arrows, tip to tail or, where the choice `apart` says so, as parallelograms.

    It begins at the origin, or at `start` where `carried` leads to something true.
    """
    return {
        "kind": "addition",
        "of": of,
        "weights": weights,
        "names": "words",
        "apart": apart,
        "start": start,
        "carried": carried,
        "focus": focus,
        "other": other,
    }


def weight_matrix(name: str, role: str, *, reach: int = 5, beside: str = "", **more: Any) -> list[dict[str, Any]]:
    """A weight matrix on the plane: the grid as it sends it, and its rows, where it sends the axes, as handles.

    `beside` is another matrix on the same plane; ``only="feature"`` leaves one row at a time in the hand.
    """
    sent = {"kind": "grid", "of": name, "role": role, "reach": reach, "handle": name}
    rows = vectors(name, names="axes", handles=True, handle=name, role=role, form="row", beside=beside, **more)
    return [sent, rows]
