"""Several heads on one sentence: the builders of their parts of the stage, and their calculation as steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..calculation import Step


@cache
def attention(count: int, on: str = "heads") -> tuple[Step, ...]:
    """What `count` heads make of ``x``, each from matrices of its own (``W_query_1`` …).

    `on` is a row of ones and zeros: heads that are off add nothing. ``head_1`` … are their traces,
    ``delta_1`` … what each would add, ``shown_1`` … what it adds, ``after_1`` … the vectors after so many
    heads; ``added`` is the sum of all that are on, ``new`` the vectors that they make, ``whole`` those of all
    heads, ``missing`` the rest.

    The other way to join: ``contexts`` side by side, times ``W_O``, is ``joined``; ``apart``: the largest
    difference between the two.
    """
    steps: list[Step] = []
    for k in range(1, count + 1):
        trace = f"head_{k}"
        steps += [
            (f"query_{k}", "product", ("x", f"W_query_{k}")),
            (f"key_{k}", "product", ("x", f"W_key_{k}")),
            (f"value_{k}", "product", ("x", f"W_value_{k}")),
            (trace, "scaled_dot_product_attention", (f"query_{k}", f"key_{k}", f"value_{k}")),
            (f"delta_{k}", "product", ((trace, "context"), f"W_output_{k}")),
            (f"shown_{k}", "multiple", (f"delta_{k}", (on, 0, k - 1))),
            (f"sum_{k}", "sum", (f"sum_{k - 1}" if k > 1 else "zeros", f"shown_{k}")),
            (f"all_{k}", "sum", (f"all_{k - 1}" if k > 1 else "zeros", f"delta_{k}")),
            (f"after_{k}", "sum", ("x", f"sum_{k}")),
            (f"held_{k}", "multiple", ((trace, "context"), (on, 0, k - 1))),
            (f"length_{k}", "lengths", (f"delta_{k}",)),
        ]
    return (
        *steps,
        ("added", "sum", ("zeros", f"sum_{count}")),
        ("new", "sum", ("x", "added")),
        ("whole", "sum", ("x", f"all_{count}")),
        ("missing", "difference", (f"all_{count}", "added")),
        ("contexts", "side_by_side", tuple(f"held_{k}" for k in range(1, count + 1))),
        ("joined", "product", ("contexts", "W_O")),
        ("apart", "farthest", ("joined", "added")),
    )


def heads(of: str, cards: Sequence[Mapping[str, Any]], *, title: str) -> dict[str, Any]:
    """Patterns side by side, each under its name, its question and a switch; see `card`."""
    return {"kind": "heads", "of": of, "cards": cards, "title": title}


def card(name: str, label: str, question: str, pattern: Mapping[str, Any]) -> dict[str, Any]:
    """One head: what it is called, what it asks, and its pattern, a `heatmap`."""
    return {"name": name, "label": label, "question": question, "map": pattern}


def addends(
    columns: Sequence[Mapping[str, Any]],
    axes: Sequence[str],
    *,
    title: str,
    full: float,
    of: str = "",
    told: Mapping[str, str] | None = None,
    arcs: Sequence[tuple[int, int, str]] = (),
) -> dict[str, Any]:
    """The chosen word's vector as it grows, a column for each addend: see `column`.

    Colour is full at `full`.
    `told` says what it means that all heads are on (``whole``), some are off (``missing``), or all (``off``).
    `arcs` lead from one column over others to another, each with its text.
    """
    return {
        "kind": "addends",
        "columns": columns,
        "axes": axes,
        "names": "words",
        "title": title,
        "full": full,
        "of": of,
        "told": told,
        "arcs": arcs,
    }


def column(of: Any, label: str, *, what: str, sign: str = "", **more: Any) -> dict[str, Any]:
    """One column of `addends`: the chosen word's row of the matrix at `of`, and what its live numbers are called.

    More: ``role=`` (its colour), ``head=`` and ``name=`` (the head that a click switches), ``result=True`` (waits
    for the guess).
    """
    return {"of": of, "label": label, "what": what, "sign": sign, **more}


def join(
    labels: Sequence[str],
    axes: Sequence[str],
    texts: Mapping[str, str],
    *,
    title: str,
    full: float,
    of: str,
    veiled: bool,
) -> dict[str, Any]:
    """Both ways to join: all contexts times one matrix, and slice by slice, with their largest difference."""
    return {
        "kind": "join",
        "labels": labels,
        "axes": axes,
        "names": "words",
        "of": of,
        "joined": "contexts",
        "W": "W_O",
        "first": "joined",
        "second": "added",
        "apart": "apart",
        "texts": texts,
        "title": title,
        "full": full,
        "veiled": veiled,
    }


def through(of: str, kept: int, *, title: str, what: str) -> dict[str, Any]:
    """Numbers as bars, of which the first `kept` are let through."""
    return {"kind": "through", "of": of, "kept": kept, "title": title, "what": what}
