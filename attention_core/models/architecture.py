"""What differs between the architectures of pretrained models: one record for each."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend
from attention_core.masks import Rule
from attention_core.models.folder import Folder
from attention_core.models.stored import Weights

Settings = Mapping[str, Any]  # layers, heads, d_model, d_ff, positions, vocabulary, epsilon, and `more`
Shapes = dict[str, tuple[int, ...]]


KEYS = {  # for each setting, its key in config.json; GPT-2 has others
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "d_model": "hidden_size",
    "d_ff": "intermediate_size",
    "positions": "max_position_embeddings",
    "vocabulary": "vocab_size",
}


class Tokeniser(Protocol):
    """Text as tokens."""

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """Return the tokens of a text as indices in the vocabulary and as text."""

    @property
    def size(self) -> int:
        """The number of tokens in the vocabulary."""

    def text(self, number: int) -> str:
        """Return one token as text, as `encode` does."""


@dataclass(eq=False)
class ForwardPass:
    """n tokens on their way through a model, and what its layers share: masks, ablated heads, the KV cache."""

    weights: Weights
    settings: Settings
    numbers: np.ndarray  #: (n,), the tokens' indices in the vocabulary
    causal: bool
    heads_off: Collection[tuple[int, int]] = ()  #: (layer, head), from 0: their context vectors count as zeros
    may_attend: Rule | None = None  #: narrows the model's own mask
    #: of each layer, keys and values (kv_heads, past, d_k) of the tokens before these; empty where there are none
    cache: Sequence[tuple[np.ndarray, np.ndarray]] = ()
    texts: np.ndarray | None = None  #: (n,), the number of each token's text, where several go through together
    layers: list[AttentionTrace] = field(default_factory=list)  #: of the layers that are computed
    _masks: dict[int | None, np.ndarray | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Count the positions on from those in the cache, and in each text from 0."""
        past = self.cache[0][0].shape[-2] if self.cache else 0
        self.end = past + len(self.numbers)  #: the number of all tokens
        self.positions = np.arange(past, self.end)
        if self.texts is not None:
            self.positions -= np.searchsorted(self.texts, self.texts)

    def attend(
        self, query: np.ndarray, key: np.ndarray, value: np.ndarray, window: int | None = None
    ) -> np.ndarray:
        """Compute the next layer's attention, and return the concatenated context vectors, (n, heads · d_k).

        `query` is (heads, n, d_k), `key` and `value` are (kv_heads, n, d_k). With a `window`, a token attends to
        that many tokens at most, the last of which is itself.
        """
        layer = len(self.layers)
        if self.cache:
            old_key, old_value = self.cache[layer]
            key, value = np.concatenate([old_key, key], axis=1), np.concatenate([old_value, value], axis=1)
        trace = attend(query, key, value, mask=self._mask(window))
        self.layers.append(trace)
        context = trace.context
        if off := [head for at, head in self.heads_off if at == layer]:
            context = context.copy()
            context[off] = 0
        return concatenate(context)

    def _mask(self, window: int | None) -> np.ndarray | None:
        """Return the mask (n, past + n) of a layer; None where it would hide nothing from anyone."""
        if window not in self._masks:
            i, j = self.positions[:, None], np.arange(self.end) if self.texts is None else self.positions
            rules = [j <= i] if self.causal else []
            rules += [] if self.texts is None else [self.texts[:, None] == self.texts]
            rules += [] if window is None else [j > i - window]
            rules += [] if self.may_attend is None else [self._allowed(i, j)]
            self._masks[window] = np.logical_and.reduce(rules) if rules else None
        return self._masks[window]

    def _allowed(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """What the rule says of queries at i and keys at j."""
        allowed = checks.boolean(self.may_attend(i, j), "what may_attend returns", "True = may attend")
        try:
            return np.broadcast_to(allowed, (len(i), j.shape[-1]))
        except ValueError:
            raise ValueError(
                f"what may_attend returns must have shape {(len(i), j.shape[-1])}, got {allowed.shape}"
            ) from None


@dataclass(frozen=True, eq=False)
class Architecture:
    """How a model of this architecture is stored, and how it is run."""

    name: str  #: that of `model_type` in config.json
    keys: Mapping[str, str]  #: for each setting, its key in config.json
    defaults: Mapping[str, float]  #: of the settings that a config may leave out
    only: Mapping[str, tuple[Any, ...]]  #: by key, the values with which the tensors need no other calculation
    prefix: str  #: that tensors may have before their names
    shapes: Callable[[Settings], Shapes]  #: of all tensors of the forward pass, by name
    tables: tuple[str, ...]  #: those that may have more rows
    #: the residual stream before the first and after each layer, each (n, d_model)
    forward: Callable[[ForwardPass], list[np.ndarray]]
    #: weights, settings and last states (n, d_model) → the logits of each next token, (n, vocabulary)
    logits: Callable[[Weights, Settings, np.ndarray], np.ndarray] | None
    read_out: tuple[str, ...]  #: tensors of the logits alone: a model without them predicts no next token
    tokeniser: Callable[[Folder, int], Tokeniser]  #: from a folder and the size of the vocabulary
    #: from config.json and these settings, those that are no plain sizes; raises `ValueError` for unknown ones
    more: Callable[[Mapping[str, Any], Settings], dict[str, Any]]
    positions: str  #: the tensor of learned position vectors; empty where queries and keys are rotated
    causal: bool  #: whether no token attends to a later one
    marks: int  #: special tokens at either end of a text


# What the forward passes have in common -------------------------------------------------------------------


def by_head(x: np.ndarray, heads: int) -> np.ndarray:
    """(n, d_model) as (heads, n, d_k)."""
    return np.ascontiguousarray(x.reshape(len(x), heads, x.shape[1] // heads).swapaxes(0, 1))


def concatenate(context: np.ndarray) -> np.ndarray:
    """(heads, n, d_k) as (n, d_model)."""
    heads, n, d_k = context.shape
    return context.swapaxes(0, 1).reshape(n, heads * d_k)


def layer_norm(weights: Weights, epsilon: float, x: np.ndarray, name: str) -> np.ndarray:
    """Layer norm with learned gain and bias: Ba et al. 2016."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    size = np.sqrt(variance + x.dtype.type(epsilon))
    return centred / size * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def with_biases(layer: str, shapes: Mapping[str, Sequence[int]], last: bool) -> Shapes:
    """The shapes of weights and biases of a layer; a bias is as long as its weight's last axis, or first."""
    named: Shapes = {}
    for name, shape in shapes.items():
        named |= {f"{layer}{name}.weight": tuple(shape), f"{layer}{name}.bias": (shape[-1 if last else 0],)}
    return named


def even_heads(config: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """The settings of a model whose heads share d_model evenly; another number is refused."""
    d_model, heads = settings["d_model"], settings["heads"]
    if d_model % heads:
        raise ValueError(f"{d_model} dimensions cannot be split among {heads} heads")
    return {"kv_heads": heads, "d_k": d_model // heads}
