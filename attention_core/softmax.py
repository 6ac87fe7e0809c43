"""Softmax, which turns scores into weights, and the entropy of weights."""

import numpy as np

from attention_core import checks

LONG = 1024  # numbers of a row: a product adds more of them one after another, and loses the small ones


@np.errstate(all="ignore")  # far below the largest score a weight underflows to 0, and should
def softmax(scores, temperature=1.0, axis=-1):
    """Turn scores into weights that are positive and sum to 1; a larger score gets a larger weight.

        softmax(s)[j] = exp(s[j] / T) / Σ_l exp(s[l] / T)

    Only differences count, so the largest score is subtracted first and nothing can overflow,
    whether the scores are near 1000 or near −1000. A small `temperature` T sharpens: towards
    0 the largest score takes all (equal ones share). A large T flattens towards uniform weights.

    `scores` may have any shape with at least one axis; the weights sum to 1 along `axis` and have
    the shape and the number type of `scores`. A score of −inf gets exactly 0; a row of nothing but
    −inf gets only zeros, as no key is left. An empty row stays empty.

    Raises `ValueError` for a score of NaN or +inf, for a temperature that is not a finite
    number above 0, and for an axis that `scores` lack. Source: Bridle 1990; the temperature as in
    Hinton et al. 2015.

    >>> softmax([[2, 0, float("-inf")]]).round(3)
    array([[0.881, 0.119, 0.   ]])
    >>> softmax([2, 0], temperature=100).round(3)
    array([0.505, 0.495])
    """
    scores = checks.real_array(scores, "scores")
    remedy = "; choose a small one such as 0.01, or use np.argmax"
    temperature = checks.positive_number(temperature, "temperature", remedy)
    checks.axis_of(scores, "scores", axis)
    if not (allowed := scores < np.inf).all():  # false for NaN, too
        raise ValueError(f"scores must be finite or −inf, got {checks.first(scores, ~allowed)}")

    rows = np.moveaxis(scores, axis, -1)
    if temperature != 1:
        rows = rows.astype(np.float64)  # where any temperature fits
        rows = (rows - _largest(rows)) / temperature
    weights = normalized_exponentials(rows).astype(scores.dtype, copy=False)
    return np.moveaxis(weights, -1, axis)


def normalized_exponentials(scores):
    """Compute softmax along the last axis of a float array without NaN and +inf; underflow may warn."""
    weights = scores - _largest(scores)
    np.exp(weights, out=weights)
    if scores.shape[-1] > LONG:
        total = weights.sum(axis=-1, keepdims=True)
    else:
        total = weights @ np.ones((scores.shape[-1], 1), scores.dtype)  # quicker
    # The largest score contributes exp(0) = 1, so only a row of zeros sums to less than 1.
    weights /= np.maximum(total, 1)
    return weights


def _largest(scores):
    """The largest of each row; of nothing but −inf the lowest number there is, so that no difference is NaN."""
    return scores.max(axis=-1, keepdims=True, initial=np.finfo(scores.dtype).min)


@np.errstate(all="ignore")
def entropy(weights, axis=-1):
    """Return the entropy of weights in bits: how many yes-or-no questions find out which one was drawn.

        H(w) = −Σ_j w[j] · log₂ w[j],    with 0 · log₂ 0 = 0

    A single weight of 1 has 0 bits; k equal weights have log₂ k, the most that k weights can have.
    A row of zeros has 0, as where every key is masked. `weights` may have any shape with at least one
    axis; `axis` is summed away. Source: Shannon 1948.

    Raises `ValueError` for a weight that is negative or not finite, for an axis that `weights` lack, and
    for a row whose sum is more than 0.01 away from both 1 and 0.

    >>> entropy([[0.5, 0.5], [1, 0]])
    array([1., 0.])
    """
    weights = checks.finite(checks.real_array(weights, "weights"), "weights")
    checks.axis_of(weights, "weights", axis)
    if (weights < 0).any():
        raise ValueError(
            f"weights must not be negative, got {checks.first(weights, weights < 0)}; "
            "to turn scores into weights, use softmax"
        )
    totals = weights.sum(axis=axis)
    if (wrong := (np.abs(totals - 1) > 0.01) & (totals > 0.01)).any():
        raise ValueError(
            f"weights must sum to 1, or to 0, along axis {axis}, got a sum of {checks.first(totals, wrong)}; "
            "divide them by their sum"
        )
    surprise = -np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return np.maximum((weights * surprise).sum(axis=axis), 0)  # 1 + rounding has no negative entropy
