"""Choosing the next token: temperature, top-k, top-p, and the draw."""

from dataclasses import dataclass

import numpy as np

from attention_core import checks
from attention_core.softmax import softmax


@dataclass(frozen=True, eq=False)
class GeneratedToken:
    """A token that a model has written, and what was computed for it. Every array is read-only."""

    token: str  #: its text; a byte of a split character as \xf0
    number: int  #: its index in the vocabulary
    probabilities: np.ndarray  #: (vocabulary,), the model's own, as `next_token` gives them
    adjusted: np.ndarray  #: (vocabulary,), after temperature, top-k and top-p: what it was drawn from
    draw: float  #: in [0, 1): the token is the first at which the sum of `adjusted` exceeds it
    row: tuple[np.ndarray, ...]  #: for each layer, the weights of the last token so far, (heads, 1, n)
    cache_shape: tuple[int, ...]  #: (layers, 2, kv_heads, n, d_k): keys and values kept; empty without a cache
    cache_bytes: int  #: that these take


@dataclass(frozen=True)
class Sampling:
    """How a token is chosen from logits. Raises `ValueError` for a value that is not possible.

    Source of top-k: Fan et al. 2018; of top-p: Holtzman et al. 2020.
    """

    temperature: float = 1.0  #: 0 chooses the most probable
    top_k: int | None = None  #: only so many of the most probable
    top_p: float | None = None  #: only the fewest most probable whose sum is at least this

    def __post_init__(self) -> None:
        if not 0 <= checks.real_number(self.temperature, "temperature"):
            raise ValueError(f"temperature must be a number ≥ 0, got {self.temperature}")
        if self.top_k is not None:
            checks.whole_number(self.top_k, "top_k", 1)
        if self.top_p is not None and not 0 < checks.real_number(self.top_p, "top_p") <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, got {self.top_p}")

    def adjust(self, logits: np.ndarray, size: int) -> np.ndarray:
        """Return the probabilities to draw from, (vocabulary,); 0 beyond the `size` tokens that have a text."""
        logits = logits.astype(float)
        logits[size:] = -np.inf
        if self.temperature == 0:
            return np.eye(1, len(logits), int(logits.argmax()))[0]
        # Differences from the largest, so that a low temperature overflows nothing.
        with np.errstate(over="ignore"):
            logits = (logits - logits.max()) / self.temperature
        if self.top_k is not None and self.top_k < len(logits):
            logits[logits < np.partition(logits, -self.top_k)[-self.top_k]] = -np.inf
        if self.top_p is not None:
            probabilities = softmax(logits)
            # All others together have less than 1 − top_p: they come after those that are kept.
            order = np.flatnonzero(probabilities > (1 - self.top_p) / (2 * len(logits)))
            order = order[np.argsort(-logits[order], kind="stable")]
            before = np.cumsum(probabilities[order]) - probabilities[order]
            kept = order[before < self.top_p]
            hidden = np.ones(len(logits), bool)
            hidden[kept] = False
            logits[hidden] = -np.inf
        return softmax(logits)


def choose(adjusted: np.ndarray, draw: float) -> int:
    """Return the first index at which the sum of the probabilities exceeds the draw."""
    sums = np.cumsum(adjusted)
    return int(np.searchsorted(sums, draw * sums[-1], side="right"))
