"""What differs between the architectures of pretrained models: one record for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.models.folder import Folder

Settings = Mapping[str, Any]  # layers, heads, d_model, d_ff, positions, vocabulary, epsilon
Weights = Mapping[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]


class Tokeniser(Protocol):
    """Text as tokens."""

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """Return the tokens of a text as indices in the vocabulary and as text."""

    def text(self, number: int) -> str:
        """Return one token as text, as `encode` does."""


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
    #: weights, settings and indices of n tokens → the residual stream before the first and after each layer, each
    #: (n, d_model), and each layer's attention
    forward: Callable[[Weights, Settings, np.ndarray], tuple[list[np.ndarray], list[AttentionTrace]]]
    tokeniser: Callable[[Folder, int], Tokeniser]  #: from a folder and the size of the vocabulary
    positions: str  #: the tensor of learned position vectors
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
