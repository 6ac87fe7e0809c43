"""Attention weights of queries and keys, where a fused kernel computes attention and returns no weights."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from attention_core import causal_mask, checks, rotate_by_position, window_mask
from attention_core.attention import attend

from .attention import Attention, check_count
from .forms import read_layers, tokens_of, without_gradient
from .main_directions import main_directions
from .token_names import readable


def attention_of_vectors(
    query: Any,
    key: Any,
    value: Any = None,
    W_output: Any = None,
    tokens: Iterable[object] | None = None,
    keys: Iterable[object] | None = None,
    *,
    mask: Any = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    rotary: float | None = None,
    interleaved: bool = False,
    batch: int | None = None,
) -> Attention:
    """Return the attention of queries and keys: softmax(q · k · scale), computed by `attention_core`.

    `query` is (n_q, d_k), (heads, n_q, d_k), (layers, heads, n_q, d_k), or such an array for each layer; `key`
    and `value` alike, with as many heads or fewer, which query heads then share (grouped-query attention).
    `W_output` is (heads · d_v, d_model), (heads, d_v, d_model), or one of these for each layer. With `value`,
    the view also shows α‖v W_O‖, and α‖v‖ without `W_output`.

    `mask` is boolean, (n_q, n_k) or (heads, n_q, n_k), True where a query may attend; `causal` hides later
    keys, and `window` all but the last so many, the query's own among them. `scale` is d_k^−½ by default. With
    `rotary`, the base of rotary positions such as 10000, queries and keys are rotated first: in pairs (i, i +
    d/2), or (2i, 2i + 1) where `interleaved`. Where there are fewer queries than keys, they are the last.

    Raises `ValueError` for arrays that do not fit, with their shapes.
    """
    queries, of_keys = read_layers(query, "query", batch), read_layers(key, "key", batch)
    values = None if value is None else read_layers(value, "value", batch)
    for name, layers in (("key", of_keys), ("value", values)):
        if layers is not None and [*layers] != [*queries]:
            raise ValueError(f"{name} has the layers {[*layers]}, and query {[*queries]}")
    matrices = _matrices(W_output, [*queries])
    check_count([(len(each), each.shape[1], of_keys[layer].shape[1]) for layer, each in queries.items()])
    weights, lengths, shared, arrows = [], [], [], []
    for layer, q in queries.items():
        k = of_keys[layer]
        if rotary is not None:
            first = k.shape[1] - q.shape[1]
            q, k = (_rotated(each, from_, rotary, interleaved) for each, from_ in ((q, first), (k, 0)))
        v = np.zeros((*k.shape[:2], 1), np.float32) if values is None else values[layer]
        _check(layer, q, k, v)
        trace = attend(q, k, v, _mask(mask, causal, window, q.shape[1], k.shape[1]), scale)
        weights.append(trace.weights)
        shared.append(len(q) // len(k))
        arrows.append(main_directions(q, k))
        if values is not None:
            lengths.append(_lengths(v, len(q), matrices.get(layer), layer))
    n_q, n_k = weights[0].shape[1:]
    names = None if tokens is None else readable(tokens)
    others = None if keys is None else readable(keys)
    own, other, is_self = tokens_of(names, others, n_q, n_k)
    is_self = is_self or causal or window is not None
    if is_self and names is None and n_q < n_k:
        own = other[-n_q:]
    return Attention(weights, [*queries], own, other, is_self, lengths=lengths, shared=shared, arrows=arrows)


def _rotated(x: np.ndarray, first: int, base: float, interleaved: bool) -> np.ndarray:
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"rotary needs an even number of components, got shape {x.shape}")
    order = np.arange(d) if interleaved else np.arange(d).reshape(2, -1).T.ravel()
    return rotate_by_position(x[..., order], np.arange(first, first + x.shape[1]), base)


def _check(layer: Any, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> None:
    where = f"layer {layer}: query {query.shape}, key {key.shape}, value {value.shape}"
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key must have vectors of one length; {where}")
    if key.shape[:2] != value.shape[:2]:
        raise ValueError(f"key and value must have as many heads and rows; {where}")
    if len(query) % len(key):
        raise ValueError(f"query must have as many heads as key, or a multiple of them; {where}")
    for name, array in (("query", query), ("key", key), ("value", value)):
        checks.finite(array, f"{name} of layer {layer}")


def _mask(mask: Any, causal: bool, window: int | None, n_q: int, n_k: int) -> np.ndarray | None:
    if mask is not None:
        mask = checks.boolean(mask, "mask", "pass mask == 0 or mask > -1 for one that is added to scores")
    for wanted, made in ((causal, causal_mask), (window is not None, lambda n: window_mask(n, window - 1))):
        if wanted:
            own = made(n_k)[n_k - n_q :]
            mask = own if mask is None else mask & own
    if window is not None and not causal:
        mask = mask & causal_mask(n_k)[n_k - n_q :]
    return mask


def _matrices(W_output: Any, layers: list[Any]) -> dict[Any, np.ndarray]:
    """The output matrix of each layer, as it was given."""
    if W_output is None:
        return {}
    if isinstance(W_output, dict):
        if lacking := [layer for layer in layers if layer not in W_output]:
            raise ValueError(f"W_output has no matrix for the layers {lacking}; pass one for each layer")
        return {
            layer: checks.real_array(without_gradient(each), f"W_output of layer {layer}")
            for layer, each in W_output.items()
        }
    if isinstance(W_output, (list, tuple)) and len(W_output) == len(layers) > 1:
        return dict(
            zip(layers, (checks.real_array(without_gradient(each), "W_output") for each in W_output), strict=True)
        )
    if len(layers) > 1:
        raise ValueError(f"W_output must be one matrix for each of {len(layers)} layers, in a list")
    return {layers[0]: checks.real_array(without_gradient(W_output), "W_output")}


def _lengths(value: np.ndarray, heads: int, matrix: np.ndarray | None, layer: Any) -> np.ndarray:
    """The length of what each key's value adds to the output by each head: ‖v W_O‖, or ‖v‖. (heads, n_k)."""
    value = np.repeat(value, heads // len(value), axis=0)
    if matrix is None:
        return np.linalg.norm(value, axis=-1)
    d_v = value.shape[-1]
    if matrix.shape[:-1] not in ((heads * d_v,), (heads, d_v)):
        raise ValueError(
            f"W_output of layer {layer} must be ({heads * d_v}, d_model) or ({heads}, {d_v}, d_model), got "
            f"{matrix.shape}; torch's Linear holds its transpose: pass weight.T"
        )
    return np.linalg.norm(value @ matrix.reshape(heads, d_v, -1).astype(np.float32), axis=-1)
