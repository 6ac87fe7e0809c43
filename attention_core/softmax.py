"""How do scores become shares, and how undecided are the shares?"""

from functools import lru_cache

import numpy as np

from attention_core import checks


@np.errstate(all="ignore")  # far below the largest score a share underflows to 0, and should
def softmax(scores, temperature=1.0, axis=-1):
    """Turn scores into shares: positive, summing to 1, larger scores getting larger shares.

        softmax(s)[j] = exp(s[j] / T) / Σ_l exp(s[l] / T)

    Only differences count, so the largest score is taken off first and nothing can overflow,
    whether the scores are near 1000 or near −1000. A small `temperature` T sharpens: towards
    0 the largest score takes all (equal ones share). A large T flattens towards equal shares.

    `scores` may have any shape with at least one axis; the shares run along `axis` and the
    result has the shape of `scores`. A score of −inf gets exactly 0; a row of nothing but −inf
    gets only zeros: there is nothing to share among. An empty row stays empty.

    Raises `ValueError` for a score of NaN or +inf and for a temperature that is not a finite
    number above 0. Source: Bridle 1990; the temperature as in Hinton et al. 2015.
    """
    scores = checks.real_array(scores, "scores")
    temperature = checks.positive_number(temperature, "temperature")
    if scores.ndim == 0:
        raise ValueError("scores must have at least one axis, got a single number")
    if not (allowed := scores < np.inf).all():  # false for NaN, too
        raise ValueError(f"scores must be finite or −inf, got {checks.first(scores, ~allowed)}")

    # A row of only −inf has no largest score: the lowest number there is stands in for it.
    largest = scores.max(axis=axis, keepdims=True, initial=np.finfo(scores.dtype).min)
    below = np.subtract(scores, largest, dtype=np.float64)  # float64: any temperature fits
    shares = np.exp(below / temperature)
    # The largest score contributes exp(0) = 1, so only a row of zeros sums to less than 1.
    shares /= np.maximum(shares.sum(axis=axis, keepdims=True), 1)
    return shares.astype(scores.dtype, copy=False)


def softmax_of_rows(scores):
    """`softmax` along the last axis for float scores, finite or −inf: no questions, no float64."""
    lowest, one = _LIMITS[scores.dtype]
    n = scores.shape[-1]
    if _MANY_ROWS * n < scores.size and n < _SHORT:  # of many short rows the columns are compared sooner
        columns = scores.reshape(-1, n).T.copy()
        largest = np.maximum.reduce(columns, 0, initial=lowest).reshape(*scores.shape[:-1], 1)
    else:
        largest = np.maximum.reduce(scores, -1, keepdims=True, initial=lowest)
    shares = scores - largest
    np.exp(shares, out=shares)
    total = sum_of_rows(shares)
    shares /= np.maximum(total, one, out=total)  # as in `softmax`: only a row of zeros is below 1
    return shares


def sum_of_rows(numbers):
    """The sum along the last axis, which stays, of an array laid out row by row."""
    ones = _ones(numbers.shape[-1], numbers.dtype)  # a product with ones is the quickest sum
    if numbers.ndim == 2:
        return numbers.dot(ones)
    if not numbers.size:
        return numbers @ ones
    return numbers.reshape(-1, len(ones)).dot(ones).reshape(*numbers.shape[:-1], 1)


_MANY_ROWS, _SHORT = 64, 32

# As arrays without axes: a Python number would be made one at every call.
_LIMITS = {np.dtype(kind): (np.array(np.finfo(kind).min), np.array(1, kind)) for kind in (np.float32, np.float64)}


@lru_cache
def _ones(n, kind):
    return np.ones((n, 1), kind)


@np.errstate(all="ignore")
def entropy(weights, axis=-1):
    """How undecided shares are, in bits: the yes-or-no questions needed to find out who was chosen.

        H(w) = −Σ_j w[j] · log₂ w[j],    with 0 · log₂ 0 = 0

    One share of 1 gives 0 bits, k equal shares give log₂ k, the most k shares can have. A row
    of zeros gives 0. `weights` may have any shape with at least one axis; that axis is summed
    away. Raises `ValueError` for a weight that is negative or not finite.
    Source: Shannon 1948.
    """
    weights = checks.finite(checks.real_array(weights, "weights"), "weights")
    if weights.ndim == 0:
        raise ValueError("weights must have at least one axis, got a single number")
    if (weights < 0).any():
        raise ValueError(f"weights must not be negative, got {checks.first(weights, weights < 0)}")
    surprise = -np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return np.maximum((weights * surprise).sum(axis=axis), 0)  # 1 + rounding has no negative entropy
