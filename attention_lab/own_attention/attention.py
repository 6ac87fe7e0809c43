"""Attention weights as a view shows them: for each layer an array of its heads, and the tokens of both sides."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .main_directions import Arrows

MOST_WEIGHTS = 250_000_000  # in one view: a byte each in the file
SCORES = "if these are scores, apply softmax to each row first"
ONE_TOLERANCE = 5e-7  # by which a weight of float32 may pass 1


@dataclass(frozen=True, eq=False)
class Patterns:
    """A pattern of numbers for each head of each layer, from each query to each key, and the tokens there."""

    weights: Sequence[np.ndarray] = field(repr=False)  #: of each layer (heads, n_q, n_k), float32
    layers: Sequence[Hashable]  #: the name of each layer: its index where it came in a sequence
    queries: Sequence[str] = field(repr=False)  #: n_q tokens
    keys: Sequence[str] = field(repr=False)  #: n_k tokens
    is_self: bool  #: whether queries and keys are places of one text, the queries its last n_q
    prompt: int | None = None  #: how many tokens a generated text began with; None where it was not generated
    #: of each layer (heads, n_k): the length of what a key's value adds to the output, where values are known
    lengths: Sequence[np.ndarray] = field(default=(), repr=False)
    #: of each layer, how many query heads share a key head
    shared: Sequence[int] = ()
    arrows: Sequence[Arrows] = field(default=(), repr=False)  #: of each layer, where queries and keys are known

    @property
    def heads(self) -> list[tuple[int, int]]:
        """The layer's place and the head of every head, in order."""
        return [(layer, head) for layer, each in enumerate(self.weights) for head in range(len(each))]


@dataclass(frozen=True, eq=False)
class Attention(Patterns):
    """Attention weights.

    Raises `ValueError` for weights that are none (not finite, negative, above 1), for layers that do not fit
    together or to the tokens, and for more weights than a view can hold.
    """

    def __post_init__(self) -> None:
        if not self.weights:
            raise ValueError("attention holds no layer")
        check_count(each.shape for each in self.weights)
        n_q, n_k = self.weights[0].shape[1:]
        for name, each in zip(self.layers, self.weights, strict=True):
            if each.shape[1:] != (n_q, n_k):
                raise ValueError(
                    f"layer {name} has {_size(*each.shape[1:])}, and layer {self.layers[0]} has "
                    f"{_size(n_q, n_k)}; show layers of one text at a time"
                )
            _check_weights(each, name)
        for tokens, count, side in ((self.queries, n_q, "queries"), (self.keys, n_k, "keys")):
            if len(tokens) != count:
                raise ValueError(
                    f"{len(tokens):,} tokens were given for {count:,} {side}; the arrays have {_size(n_q, n_k)}. "
                    "Pass all that the model has read, including special ones"
                )

    @cached_property
    def is_causal(self) -> bool:
        """Whether no query of a text gives weight to a later token."""
        n_q, n_k = self.weights[0].shape[1:]
        later = np.triu(np.ones((n_q, n_k), bool), n_k - n_q + 1)
        return self.is_self and not any(each[:, later].any() for each in self.weights)

    @cached_property
    def row_sums(self) -> np.ndarray:
        """The sum of every row of every head: 1, or 0 where a query sees no key."""
        return np.concatenate([each.sum(axis=-1, dtype=float).ravel() for each in self.weights])


def check_count(shapes) -> None:
    """Refuse more weights than a view can hold."""
    shapes = list(shapes)
    count = sum(int(np.prod(shape, dtype=object)) for shape in shapes)
    if count > MOST_WEIGHTS:
        heads, n_q, n_k = shapes[0][-3:] if len(shapes[0]) > 2 else (1, *shapes[0])
        raise ValueError(
            f"attention has {count:,} weights ({len(shapes)} layers of {heads} heads, {_size(n_q, n_k)}); a view "
            f"holds {MOST_WEIGHTS:,}. Pass some layers, as {{12: attentions[12]}}, or fewer tokens"
        )


def _check_weights(weights: np.ndarray, layer: Hashable) -> None:
    if (wrong := np.isneginf(weights)).any():
        raise ValueError(f"{_some(weights, wrong, layer)} −∞, as masked scores are; {SCORES}")
    if (wrong := ~np.isfinite(weights)).any():
        raise ValueError(
            f"{_some(weights, wrong, layer)} not finite; where a query sees no key, set its row to 0 beforehand"
        )
    if (wrong := weights < 0).any():
        raise ValueError(f"{_some(weights, wrong, layer)} negative; {SCORES}")
    if (wrong := weights > 1 + ONE_TOLERANCE).any():
        raise ValueError(f"{_some(weights, wrong, layer)} above 1; {SCORES}")


def _some(weights: np.ndarray, where: np.ndarray, layer: Hashable) -> str:
    """How many weights of a layer these are, and the first of them."""
    head, query, key = (int(place) for place in np.argwhere(where)[0])
    first = f"{weights[head, query, key]:.4g} at head {head}, query {query}, key {key}"
    return f"{np.count_nonzero(where):,} of {weights.size:,} weights of layer {layer} ({first}) are"


def _size(n_q: int, n_k: int) -> str:
    return f"{n_q:,} queries × {n_k:,} keys"
