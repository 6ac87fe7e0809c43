"""The table of a vector as it grows, which this page has twice: head by head, and through a whole block."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab import figure
from attention_lab.calculation import Expression


def addends(
    columns: Sequence[Mapping[str, Any]],
    axes: Sequence[str],
    *,
    title: str,
    full: float,
    of: Expression | None = None,
    told: Mapping[str, str] | None = None,
    arcs: Sequence[tuple[int, int, str]] = (),
) -> figure.Part:
    """The chosen word's vector as it grows: a row for each axis, a column for each addend (see `column`).

    Colour is full at `full`. Where columns can be switched, `of` is the row of ones and zeros, and `told` says
    what it means that all heads are on (``whole``), one is off (``missing_one``), some (``missing``) or all
    (``off``).
    `arcs` lead from one column over others to another, each with its text.
    """
    return figure.part(
        "addends",
        columns=list(columns),
        axes=axes,
        names=figure.WORDS,
        title=title,
        full=full,
        of=of,
        told=told,
        arcs=list(arcs),
    )


def column(
    of: Expression,
    label: str,
    *,
    what: str,
    sign: str = "",
    role: str = "",
    head: int | None = None,
    name: str = "",
    result: bool = False,
) -> dict[str, Any]:
    """One column of `addends`: the chosen word's row of a matrix, and `what` its live numbers are called.

    A `sign` stands before its `label`, `role` is its colour. A click switches the `head` of that number, whose
    `name` it says; a `result` waits for the guess.
    """
    settings = {"of": of, "label": label, "what": what, "sign": sign, "role": role, "result": result}
    return settings | ({} if head is None else {"head": head, "name": name})
