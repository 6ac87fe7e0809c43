"""Softmax in tiles: attention from a few scores at a time, equal to plain softmax up to rounding."""

from dataclasses import dataclass, field

import numpy as np

from attention_core import checks


@dataclass(frozen=True, eq=False)
class TiledSoftmax:
    """What `softmax_in_tiles` holds after each tile; only the last entry is needed. Every array is read-only."""

    largest: np.ndarray = field(repr=False)  #: (…, tiles), m: the largest score so far
    factor: np.ndarray = field(repr=False)  #: (…, tiles), e^(m before − m): by it, the sums before are multiplied
    part: np.ndarray = field(repr=False)  #: (…, tiles), the sum of the tile's own e^(s − m)
    total: np.ndarray = field(repr=False)  #: (…, tiles), ℓ: the sum of e^(s − m) so far
    output: np.ndarray = field(repr=False)  #: (…, tiles, d_v), o: the sum of e^(s − m) times values so far
    context: np.ndarray = field(repr=False)  #: (…, tiles, d_v), o / ℓ; after the last tile the context vector


@np.errstate(under="ignore")  # far below the largest score an exponential underflows to 0, and should
def softmax_in_tiles(scores, values, tile):
    """Compute attention from scores that come in tiles of `tile` keys, keeping only m, ℓ and o between tiles.

        m = max(m before, the tile's scores)
        ℓ = ℓ before · e^(m before − m) + Σ e^(s − m)
        o = o before · e^(m before − m) + Σ e^(s − m) · v

    After the last tile o / ℓ is softmax(scores) @ values, up to rounding. A program that computes each tile's
    scores only when it reads the tile needs memory for m, ℓ and o: it grows with n, not with n².
    This function shows the steps: it takes all scores and returns the numbers after every tile.

    `scores` are (…, n), `values` (n, d_v); the last tile may have fewer keys. Returns a `TiledSoftmax` with the
    numbers after each of the ⌈n / tile⌉ tiles, in 64 bits. The first tile's factor is 0: there is nothing before
    it. A score of −inf adds nothing; until there is another, m is −inf, the factor 1, and all sums are 0.

    Raises `ValueError` for a score of NaN or +inf, for values that are not finite or not one row for each score,
    for no score at all, and if `tile` is not a whole number ≥ 1. Source: Milakov and Gimelshein 2018; Dao et al.
    2022 (FlashAttention).

    >>> scores, values = [1, 3, 2, 7, 0, 4, 5, 6, 1], [[v] for v in range(1, 10)]
    >>> steps = softmax_in_tiles(scores, values, tile=3)
    >>> steps.total.round(4), steps.context[:, 0].round(4)
    (array([1.5032, 1.0782, 1.5839]), array([2.1547, 4.0461, 5.2246]))
    >>> (softmax(scores) @ values).round(4)
    array([5.2246])
    """
    scores = checks.real_array(scores, "scores").astype(np.float64)
    values = checks.finite(checks.real_array(values, "values"), "values").astype(np.float64)
    checks.axis_of(scores, "scores", -1)
    tile = checks.whole_number(tile, "tile", 1)
    if not (allowed := scores < np.inf).all():  # false for NaN, too
        raise ValueError(f"scores must be finite or −inf, got {checks.first(scores, ~allowed)}")
    n = scores.shape[-1]
    if n == 0 or values.ndim != 2 or len(values) != n:
        raise ValueError(
            f"values must be (n, d_v) for scores (…, n), n ≥ 1, got {values.shape} and {scores.shape}"
        )

    largest = np.full(scores.shape[:-1], -np.inf)
    total, output = np.zeros(scores.shape[:-1]), np.zeros((*scores.shape[:-1], values.shape[1]))
    steps = []
    for start in range(0, n, tile):
        part, rows = scores[..., start : start + tile], values[start : start + tile]
        before, largest = largest, np.maximum(largest, part.max(axis=-1))
        shift = np.where(np.isfinite(largest), largest, 0)  # no −inf − (−inf)
        with np.errstate(over="ignore"):  # a difference beyond the largest number is −inf, and its exponential 0
            factor = np.where(before == largest, 1.0, np.exp(before - shift))
            exponentials = np.exp(part - shift[..., None])
        added = exponentials.sum(axis=-1)
        total = total * factor + added
        output = output * factor[..., None] + exponentials @ rows
        context = output / np.maximum(total, np.finfo(float).tiny)[..., None]
        steps.append((largest, factor, added, total, output, context))
    axis = scores.ndim - 1
    return TiledSoftmax(*(checks.frozen(np.stack(each, axis=axis)) for each in zip(*steps, strict=True)))
