"""Who may look at whom? Boolean grids, queries in rows, keys in columns: True means "may attend"."""

import numpy as np

from attention_core import checks


def causal_mask(n):
    """Every word may attend to itself and to the words before it.

        M[i, j] = (j ≤ i)

    `n` is the number of words; M is boolean, (n, n). A model that is to guess the next word must
    not see it (Vaswani et al. 2017, §3.2.3). Raises `ValueError` if n is not a whole number ≥ 0.
    """
    return np.tri(checks.whole_number(n, "n", 0), dtype=bool)


def window_mask(n, width):
    """Every word may attend to itself and to neighbours at most `width` places away, on both sides.

        M[i, j] = (|i − j| ≤ width)

    M is boolean, (n, n); width 0 leaves each word itself alone. For a window that does not look
    ahead either: `window_mask(n, width) & causal_mask(n)`. Raises `ValueError` if n or width is
    not a whole number ≥ 0. Source: the sliding window of Beltagy et al. 2020 (Longformer).
    """
    place = np.arange(checks.whole_number(n, "n", 0))
    return np.abs(place[:, None] - place) <= checks.whole_number(width, "width", 0)


def padding_mask(is_padding):
    """Nobody may attend to padding: the filler that makes sentences of a batch equally long.

        M[i, j] = not is_padding[j]

    `is_padding` is boolean, (…, n), True where a word is filler; M is boolean, (…, n, n). Padding
    is closed as a key only: as a query it goes on looking, and nobody reads what it finds.
    Raises `ValueError` if `is_padding` is not boolean or has no axis.
    """
    is_padding = checks.boolean(is_padding, "is_padding")
    if is_padding.ndim == 0:
        raise ValueError("is_padding must have shape (…, n), got a single value")
    return np.repeat(~is_padding[..., None, :], is_padding.shape[-1], axis=-2)
