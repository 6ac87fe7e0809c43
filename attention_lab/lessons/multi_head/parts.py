"""The parts of the stage that only this page has: heads side by side, what each adds, both ways to join them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_lab import figure
from attention_lab.calculation import Expression

OWN_PARTS = figure.OwnParts("multi_head", Path(__file__).parent)


def heads(
    of: Expression, cards: Sequence[Mapping[str, Any]], *, title: str, texts: Mapping[str, str]
) -> figure.Part:
    """The heads, each with its name, its question and a switch, and on request its pattern (see `card`).

    `of` is the setting that says which heads are on: a row of ones and zeros. `texts` are the labels of the
    button that will ``show`` or ``hide`` the patterns.
    """
    return figure.part("heads", of=of, cards=list(cards), title=title, texts=texts)


def card(name: str, label: str, question: str, pattern: figure.Part) -> dict[str, Any]:
    """One head: its name, what it is called, what it asks, and its pattern, a `heatmap`."""
    return {"name": name, "label": label, "question": question, "map": pattern}


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


def join(
    labels: Sequence[str],
    axes: Sequence[str],
    *,
    of: Expression,
    contexts: Expression,
    W: Expression,
    all_at_once: Expression,
    slice_by_slice: Expression,
    apart: Expression,
    texts: Mapping[str, str],
    title: str,
    full: float,
    veiled: bool,
) -> figure.Part:
    """Both ways to join, with their largest difference `apart`: all contexts times one matrix, or slice by slice.

    `labels` are what the heads are called, `of` is the row of ones and zeros that says which are on. `texts`
    names the ``contexts``, the ``first`` and the ``second`` way, and what stands before (``apart``) and behind
    (``all``) their difference. `veiled`: it waits for a guess of its own.
    """
    return figure.part(
        "join",
        labels=labels,
        axes=axes,
        names=figure.WORDS,
        of=of,
        joined=contexts,
        W=W,
        first=all_at_once,
        second=slice_by_slice,
        apart=apart,
        texts=texts,
        title=title,
        full=full,
        veiled=veiled,
    )


def through(of: Expression, kept: int, *, title: str, what: str) -> figure.Part:
    """Numbers as bars, of which the first `kept` are let through; `what` names them."""
    return figure.part("through", of=of, kept=kept, title=title, what=what)
