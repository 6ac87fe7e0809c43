"""Parts that show numbers as sizes: bars, a ring, a number between its bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def bars(panels: Sequence[Mapping[str, Any]], *, title: str, **more: Any) -> dict[str, Any]:
    """Bars, one for each word, in panels above one another: see `panel`.

    More: ``asks=``, what is written below the word of interest; `hint`; ``undefined=``, what to say of a score
    that is not a number; ``back=``, the text of the button that gives the computed numbers back.
    """
    return {
        "kind": "bars",
        "names": "words",
        "focus": "word",
        "other": "other",
        "panels": panels,
        "title": title,
        "badge": True,
        **more,
    }


def panel(
    of: Any, title: str, *, span: tuple[float, float], ticks: Sequence[float], height: int, **more: Any
) -> dict[str, Any]:
    """One row of bars, on a fixed scale from ``span[0]`` to ``span[1]``; `of` leads to a matrix of one row.

    More: ``raised=`` (the title's exponent), ``form=`` ``"figure"``, ``"share"`` or ``"power"`` (the numbers are
    exponents of e), ``what=`` (the name of its live numbers), ``result=True`` (waits for the guess), ``ghost=``
    (another row, as outlines), ``lines=`` (rows of numbers below, of which ``leading=`` says the one in force).
    ``pull=`` names the pose's own row: then each bar is a handle along ``axis=``, and ``counted=`` says which
    are left out.
    """
    return {
        "of": of,
        "title": title,
        "range": span,
        "ticks": ticks,
        "height": height,
        "form": "figure",
        **more,
    }


def ring(of: Any, *, title: str, inside: Any, what: Sequence[Any], unit: str) -> dict[str, Any]:
    """Shares as parts of a ring; `inside` leads to the number in its middle."""
    return {
        "kind": "ring",
        "of": of,
        "names": "words",
        "focus": "word",
        "other": "other",
        "title": title,
        "inside": inside,
        "what": what,
        "unit": unit,
    }


def bound(of: Any, what: str | Sequence[Any], text: str = "") -> dict[str, Any]:
    """One end of `bounds`: where its number is, what that is called, what is written before it."""
    return {"of": of, "what": [what] if isinstance(what, str) else what, "text": text}


def bounds(of: Any, label: str, low: Mapping, high: Mapping, *, counted: Any, nothing: str) -> dict[str, Any]:
    """A number between its bounds. Where no number of `counted` is finite, `nothing` says why."""
    return {
        "kind": "bounds",
        "of": of,
        "label": label,
        "low": low,
        "high": high,
        "counted": counted,
        "nothing": nothing,
    }
