"""Patterns that follow from others: contributions of values, the mean over heads, attention rollout."""

from dataclasses import replace

import numpy as np

from .attention import Attention


def mean_over_heads(attention: Attention) -> Attention:
    """Return a pattern for each layer: the mean of its heads'."""
    return _with_patterns(attention, [each.mean(axis=0, keepdims=True) for each in attention.weights])


def rollout(attention: Attention) -> Attention:
    """Return for each layer how the weights of all layers so far multiply, from its tokens to those of the text.

    The mean W over heads and the residual connection count half each: R_l = (W_l + I) / 2 · R_(l−1), with R_0 = I.
    Every row is divided by its sum. Source: Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers".
    Raises `ValueError` where queries and keys are not the same tokens.

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
    """Return for each head the weights times the lengths of what the keys' values add, each row divided by its sum.

    A token with a large weight and a short value adds little. Source: Kobayashi et al. 2020, "Attention is Not Only a
    Weight". Raises `ValueError` where no values were given.
    """
    if not attention.lengths:
        raise ValueError("contributions need the values: pass value=, and W_output= where there is one")
    added = [
        weights * lengths[:, None] for weights, lengths in zip(attention.weights, attention.lengths, strict=True)
    ]
    sums = [each.sum(axis=-1, keepdims=True) for each in added]
    shares = [each / np.where(total > 0, total, 1) for each, total in zip(added, sums, strict=True)]
    return replace(attention, weights=shares)


def _with_patterns(attention: Attention, patterns: list[np.ndarray]) -> Attention:
    return replace(attention, weights=[np.minimum(each, 1) for each in patterns], lengths=(), shared=())
