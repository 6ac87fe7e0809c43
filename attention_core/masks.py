"""Boolean attention masks, queries in rows and keys in columns; True means "may attend"."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core import checks

Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]  # positions of queries and keys → whether they may attend


def causal_mask(n):
    """Let every word attend to itself and to the words before it.

        M[i, j] = (j ≤ i)

    `n` is the number of words; M is boolean, (n, n). A model that predicts the next word must
    not see it (Vaswani et al. 2017, §3.2.3). Raises `ValueError` if n is not a whole number ≥ 0.

    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    return np.tri(checks.whole_number(n, "n", 0), dtype=bool)


def window_mask(n, width):
    """Let every word attend to itself and to neighbours at most `width` positions away, on both sides.

        M[i, j] = (|i − j| ≤ width)

    M is boolean, (n, n); with width 0 each word attends to itself alone. A text generator's window is
    causal: `window_mask(n, w - 1) & causal_mask(n)` shows w keys, the word itself among them, and is
    Mistral's `sliding_window=w`. L layers of it reach L · (w − 1) tokens back. Raises `ValueError` if n
    or width is not a whole number ≥ 0. Source: the sliding window of Beltagy et al. 2020 (Longformer).

    >>> window_mask(3, width=1).astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    >>> (window_mask(4, 2 - 1) & causal_mask(4)).astype(int)  # sliding_window=2
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    position = np.arange(checks.whole_number(n, "n", 0))
    return np.abs(position[:, None] - position) <= checks.whole_number(width, "width", 0)


def padding_mask(is_padding):
    """Let no word attend to padding, which makes the sentences of a batch equally long.

        M[i, j] = not is_padding[j]

    `is_padding` is boolean, (…, n); M is boolean, (…, n, n). Padding is masked as a key only: as a
    query it still attends, and its context vector is ignored.
    Raises `ValueError` if `is_padding` is not boolean or has no axis.

    >>> padding_mask([False, True]).astype(int)
    array([[1, 0],
           [1, 0]])
    """
    is_padding = checks.boolean(is_padding, "is_padding", "True = padding")
    if is_padding.ndim == 0:
        raise ValueError("is_padding must have shape (…, n), got a single value")
    return np.repeat(~is_padding[..., None, :], is_padding.shape[-1], axis=-2)


@dataclass(frozen=True)
class MayAttend:
    """Which of the keys that a model's own mask shows it may attend to: a rule for a text of any length.

    With a `window`, a query attends to the last `window` tokens, itself among them, and to the `first` tokens
    of the text; a window hides nothing that comes later, which an encoder shows. The tokens at the positions in
    `closed` are hidden from all others. Raises `ValueError` for a window below 1, a negative number of first
    tokens and a negative position. Source of window and first tokens:
    Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks".

    >>> rule = MayAttend(window=2, first=1)
    >>> (rule.mask(5) & causal_mask(5)).astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0],
           [1, 0, 1, 1, 0],
           [1, 0, 0, 1, 1]])
    """

    window: int | None = None
    first: int = 0
    closed: tuple[int, ...] = ()

    def __post_init__(self):
        if self.window is not None:
            checks.whole_number(self.window, "window", 1)
        checks.whole_number(self.first, "first", 0)
        for position in self.closed:
            checks.whole_number(position, "a position in closed", 0)

    def __call__(self, query, key):
        """Whether the queries at these positions may attend to the keys at those; the two broadcast."""
        seen = True if self.window is None else (query - key < self.window) | (key < self.first)
        return seen & ~(np.isin(key, self.closed) & (query != key))

    def mask(self, n):
        """Return the rule as a boolean mask, (n, n)."""
        position = np.arange(checks.whole_number(n, "n", 0))
        return np.broadcast_to(self(position[:, None], position), (n, n))
