"""One word's way through attention, step by step: the builders of its parts of the stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..calculation import Step

STEPS = ("embeddings", "scores", "scale", "mask", "softmax", "weighted_sum", "new_vector")
SIGNS = ("q k v", "q · k", "÷ √d", "−∞", "eˢ ÷ Σ", "Σ w v", "x + Δx")


def layer(x: str, before: str = "", *, name: str = "", matrices: str = "", adds: bool = True) -> dict[str, Any]:
    """One layer: what its numbers are called in the calculation.

    `x` is its input; the names of what it makes begin with `before`, those of its matrices with `matrices`. It
    `adds` Δx to its input, or its context vectors are the new vectors.
    """
    return {
        "name": name,
        "x": x,
        "trace": f"{before}trace",
        "delta": f"{before}delta" if adds else None,
        "made": f"{before}made" if adds else None,
    } | {which: f"{matrices}{which}" for which in ("W_query", "W_key", "W_value", "W_output")}


def attention(layer: Mapping[str, Any], mask: Any) -> tuple[Step, ...]:
    """The calculation of a layer: its trace, and what it makes of its input."""
    x, trace = layer["x"], layer["trace"]
    query, key, value = (f"{trace}_{what}" for what in ("query", "key", "value"))
    steps: tuple[Step, ...] = (
        (query, "product", (x, layer["W_query"])),
        (key, "product", (x, layer["W_key"])),
        (value, "product", (x, layer["W_value"])),
        (trace, "scaled_dot_product_attention", (query, key, value, mask)),
    )
    if not layer["delta"]:
        return steps
    delta = (layer["delta"], "product", ((trace, "context"), layer["W_output"]))
    return (*steps, delta, (layer["made"], "sum", (x, layer["delta"])))


def stepper(
    layers: Sequence[Sequence[Mapping[str, Any]]],
    texts: Mapping[str, str],
    words: Mapping[str, str],
    *,
    title: str,
) -> dict[str, Any]:
    """The graph of operations, a scrubber and play.

    `layers` are the layers shown for each value of the pose's ``layers``. `texts` has for each step its text,
    its label (``softmax/label``), what it ``/reads`` and what it ``/makes``.
    """
    return {
        "kind": "stepper",
        "title": title,
        "layers": layers,
        "steps": [
            {
                "name": name,
                "sign": sign,
                "label": texts[f"{name}/label"],
                "text": texts[name],
                "reads": texts[f"{name}/reads"],
                "makes": texts[f"{name}/makes"],
            }
            for name, sign in zip(STEPS, SIGNS, strict=True)
        ],
        "words": words,
    }


def ledger(
    layers: Sequence[Sequence[Mapping[str, Any]]],
    axes: Sequence[str],
    words: Mapping[str, str],
    cells: Mapping[str, str],
    *,
    title: str,
    hint: str,
) -> dict[str, Any]:
    """All numbers of the word of interest, filling from left to right as the steps are taken.

    The entries of its vector, x, are the hand's.

    `words` has the heads of the columns and the labels of the rows, `cells` the name of each kind of cell.
    """
    return {
        "kind": "ledger",
        "title": title,
        "hint": hint,
        "layers": layers,
        "axes": axes,
        "words": words,
        "cells": cells,
    }


def opened(
    layers: Sequence[Sequence[Mapping[str, Any]]],
    axes: Sequence[str],
    words: Mapping[str, str],
    cells: Mapping[str, str],
) -> dict[str, Any]:
    """The products that made the ledger's open cell."""
    return {
        "kind": "opened",
        "title": words["title"],
        "layers": layers,
        "axes": axes,
        "words": words,
        "cells": cells,
    }


def ending(name: str, weights: Sequence[Any], ratio: Any, *, own: bool) -> dict[str, Any]:
    """One ending of a sentence, for `rivals`: the two weights and their ratio, `own` if it is the one shown."""
    return {"name": name, "weights": weights, "ratio": ratio, "own": own}


def rivals(
    asks: str,
    between: tuple[str, str],
    endings: Sequence[Mapping[str, Any]],
    *,
    equal: float,
    head: Sequence[str],
    words: Mapping[str, str],
    veiled: bool = False,
) -> dict[str, Any]:
    """What a word gives to two others, for two endings of the sentence.

    The calculation's ``change`` says by which part the two ratios differ (up to `equal` is rounding), ``times``
    how many times the one is the other.
    """
    return {
        "kind": "rivals",
        "title": words["title"],
        "asks": asks,
        "rivals": between,
        "endings": endings,
        "equal": equal,
        "head": head,
        "words": words,
        "veiled": veiled,
    }
