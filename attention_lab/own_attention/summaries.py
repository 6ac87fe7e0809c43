"""Patterns that follow from others: contributions of values, means, rollout, what two runs differ by."""

from dataclasses import replace

import numpy as np
import pandas as pd

from .attention import Attention, Patterns


def mean_over_heads(attention: Attention) -> Attention:
    """Return a pattern for each layer: the mean of its heads'."""
    return _with_patterns(attention, [each.mean(axis=0, keepdims=True) for each in attention.weights])


def rollout(attention: Attention) -> Attention:
    """Return for each layer how the weights of all layers so far multiply, from its tokens to those of the text.

    The mean W over heads and the residual connection count half each: R_l = (W_l + I) / 2 · R_(l−1), with
    R_0 = I. Every row is divided by its sum. Source: Abnar and Zuidema 2020, "Quantifying Attention Flow in
    Transformers". Raises `ValueError` where queries and keys are not the same tokens.

    >>> half = Attention([np.full((1, 2, 2), 0.5, np.float32)], [0], ["a", "b"], ["a", "b"], True)
    >>> rollout(half).weights[0][0].tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    n_q, n_k = len(attention.queries), len(attention.keys)
    if not attention.is_self or n_q != n_k:
        raise ValueError(f"rollout needs the weights of a text to itself, got {n_q} queries and {n_k} keys")
    so_far, found = np.eye(n_k, dtype=np.float32), []
    for weights in mean_over_heads(attention).weights:
        step = (weights[0] + np.eye(n_k, dtype=np.float32)) / 2
        so_far = step / step.sum(axis=-1, keepdims=True) @ so_far
        found.append(so_far[None])
    return _with_patterns(attention, found)


def contributions(attention: Attention) -> Attention:
    """Return for each head the weights times the lengths of what the values add, each row divided by its sum.

    A token with a large weight and a short value adds little. Source: Kobayashi et al. 2020, "Attention is Not
    Only a Weight". Raises `ValueError` where no values were given.
    """
    if not attention.lengths:
        raise ValueError("contributions need the values: pass value=, and W_output= where there is one")
    added = [
        weights * lengths[:, None] for weights, lengths in zip(attention.weights, attention.lengths, strict=True)
    ]
    sums = [each.sum(axis=-1, keepdims=True) for each in added]
    shares = [each / np.where(total > 0, total, 1) for each, total in zip(added, sums, strict=True)]
    return replace(attention, weights=shares, arrows=())


def change(before: Attention, after: Attention) -> Patterns:
    """Return how much more weight `after` gives than `before`, from −1 to 1.

    Where the tokens of a place differ, it is named after both. Raises `ValueError` for attention of other shapes.
    """
    shapes = [[each.shape for each in attention.weights] for attention in (before, after)]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"two runs must have the same layers, heads and tokens, got {shapes[0][0]} and {shapes[1][0]}"
        )
    queries, keys = (
        [one if one == other else f"{one} / {other}" for one, other in zip(*sides, strict=True)]
        for sides in ((before.queries, after.queries), (before.keys, after.keys))
    )
    weights = [new - old for old, new in zip(before.weights, after.weights, strict=True)]
    return Patterns(weights, after.layers, queries, keys, after.is_self, after.prompt, shared=after.shared)


def measure_change(changed: Patterns) -> pd.DataFrame:
    """Return a row for each head: the part of a query's weight that goes to other keys, as a mean over queries.

    It is the total variation distance of the two rows: half of the sum of all changes.
    """
    rows = [
        {"layer": name, "head": head, "change": float(np.abs(each).sum(axis=-1).mean() / 2), "kind": ""}
        for name, weights in zip(changed.layers, changed.weights, strict=True)
        for head, each in enumerate(weights)
    ]
    return pd.DataFrame(rows)


def _with_patterns(attention: Attention, patterns: list[np.ndarray]) -> Attention:
    return replace(
        attention, weights=[np.minimum(each, 1) for each in patterns], lengths=(), shared=(), arrows=()
    )
