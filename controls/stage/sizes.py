"""A model's sizes: the account of its parameters, and its matrices drawn to scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def size(of: str, label: str, shown: Any, *, most: int, least: int = 1, **more: Any) -> dict[str, Any]:
    """A whole number of the pose, from `least` to `most`, as a range and typed in; `shown` leads to it.

    More: ``low=``, ``high=`` (the range's ends), ``also=`` (numbers that it stops at besides the round ones),
    ``field=`` (the name of the typed one), ``refused=`` (said of what cannot be used), ``rest=(path, times)``
    (where the pose holds 0, that many times the number at the path is meant), ``divides=`` (a path: only its
    divisors come up), ``times=`` (a name: only multiples of that number of the pose come up).
    """
    made = {"low": max(least, 1), "high": most, "also": [], "field": label, "refused": ""}
    return made | {"of": of, "label": label, "shown": shown, "least": least, "most": most, **more}


def entry(name: str, label: str, how: Sequence[Any], of: Any, **more: Any) -> dict[str, Any]:
    """A line of an `account`: `how` it is made (texts and paths in turn) and the number at path `of`.

    More: ``share=`` (a path), ``form=``, ``role=`` (its colour), ``result=True`` (waits for the guess),
    ``veiled=True``, ``sizes=`` (see `size`), ``heading=`` (a text over it), ``what=`` (its number's name).
    """
    return {"name": name, "label": label, "how": how, "of": of, "what": label, **more}


def account(entries: Sequence[Mapping[str, Any]], *, title: str, **more: Any) -> dict[str, Any]:
    """What something costs, line by line (see `entry`), with the sizes that it follows from under the hand.

    More: ``model=`` (the choice that it started from), ``published=`` (for each a text and a note),
    ``published_label=``, ``touched=`` (a path: whether the sizes are others by now), ``own=`` (said then),
    ``gap=`` (a path: how many times the published total it is), ``notes=`` (each said while its path is true).
    """
    return {"kind": "account", "entries": entries, "title": title, **more}


def floor_plan(*, title: str, hint: str, words: Mapping[str, str], most: int, touched: Any) -> dict[str, Any]:
    """A transformer's numbers to scale: all of them, and one layer's matrices with a corner under the hand.

    It reads the `shape` and its `count`; `words` are the names of its parts.
    """
    return {
        "kind": "floor_plan",
        "title": title,
        "hint": hint,
        "words": words,
        "shape": "shape",
        "count": "count",
        "d_model": "d_model",
        "d_k": "d_k",
        "most": most,
        "touched": touched,
    }
