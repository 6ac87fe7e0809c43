"""Parts by which a hand chooses: sliders, options, ready-made settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def presets(
    buttons: Mapping[str, Mapping[str, Any]], *, title: str, shown: bool = False, **more: Any
) -> dict[str, Any]:
    """Buttons by their texts, and what each sets in the pose; the `title` may be `shown` before them.

    More: ``whole=True`` (numbers stay whole on their way), ``about=`` (the choice that says which is in force).
    """
    return {
        "kind": "presets",
        "title": title,
        "shown": shown,
        "buttons": [{"text": text, "set": dict(to)} for text, to in buttons.items()],
        **more,
    }


def options(of: str, label: str, texts: Sequence[str], *, says: Sequence[str] | None = None) -> dict[str, Any]:
    """A choice of the pose, live: `texts` stand for its values in their order, and each `says` a sentence."""
    return {"kind": "options", "of": of, "label": label, "options": texts, "says": says}


def slider(
    of: str,
    label: str,
    *,
    axis: str = "value",
    low: float,
    high: float,
    ticks: Sequence[float] = (),
    ends: tuple[str, str] | None = None,
    logarithmic: bool = False,
) -> dict[str, Any]:
    """A number of the pose, live; `axis` is its name for a screen reader. Near a tick it snaps."""
    return {
        "kind": "slider",
        "of": of,
        "label": label,
        "axis": axis,
        "low": low,
        "high": high,
        "ticks": ticks,
        "ends": ends,
        "logarithmic": logarithmic,
    }


def ruler(
    of: Any, marks: Sequence[tuple[str, Any]], *, what: str, title: str, low: float, high: float
) -> dict[str, Any]:
    """A number on a scale from `low` to `high`, among others to compare it with: (name, path)."""
    return {
        "kind": "ruler",
        "of": of,
        "what": what,
        "title": title,
        "low": low,
        "high": high,
        "marks": [{"name": name, "of": path} for name, path in marks],
    }
