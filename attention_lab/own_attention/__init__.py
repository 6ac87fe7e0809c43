"""Anybody's attention weights as a view of all heads: in a notebook, in a file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .forms import read_attention
from .from_vectors import attention_of_vectors
from .movable_plane import movable
from .view import View
from .weight_file import read_weights


def show(
    attention: Any = None,
    tokens: Iterable[object] | None = None,
    keys: Iterable[object] | None = None,
    *,
    query: Any = None,
    key: Any = None,
    title: str = "",
    bits: int = 8,
    batch: int | None = None,
    key_heads: int | None = None,
    **vectors: Any,
) -> View:
    """Return a view of attention weights: a notebook shows it, `save` writes it as a file that works offline.

    `attention` is what a library returns: arrays of shape (q, k), (heads, q, k) or (layers, heads, q, k); a
    sequence or a mapping of layers; an output of transformers, or of its `generate`; a cache of
    TransformerLens; a trace of `attention_core`. See `read_attention`. `tokens` are those of the queries, and
    of the keys unless `keys` has others; of an encoder-decoder model, `keys` are the encoder's.

    The trace of one head whose queries and keys have two dimensions is shown as a plane on which they can be
    moved.

    Where there are no weights, `query` and `key` give them, with `value`, `W_output`, `mask`, `causal`, `window`,
    `scale`, `rotary` and `interleaved`: see `attention_of_vectors`.

    The file keeps each weight in 8 or 16 `bits`. `batch` is the place of the text in a batch. In a model with
    fewer key heads than query heads, `key_heads` is their number in each layer: the view then groups the heads
    that share one. Raises `ValueError` for what does not fit, with the shapes that were given.

    >>> view = show([[1, 0], [0.25, 0.75]], ["a", "b"])
    >>> view.table()["weight"].tolist()
    [1.0, 0.0, 0.25, 0.75]
    """
    if isinstance(attention, View):
        return attention
    if attention is not None:
        if query is not None or key is not None or vectors:
            raise ValueError("pass attention weights, or query= and key= with their settings, not both")
        found = read_attention(attention, tokens, keys, batch=batch, key_heads=key_heads)
        return View(found, title, bits, plane=movable(attention))
    if query is None or key is None:
        raise ValueError("pass attention weights, or query= and key= from which they are computed")
    if key_heads is not None:
        raise ValueError("key_heads goes with attention weights; of query and key, the shape of key says it")
    computed = attention_of_vectors(query, key, tokens=tokens, keys=keys, batch=batch, **vectors)
    return View({"attention": computed}, title, bits)


def save(
    path: str | Path,
    attention: Any = None,
    tokens: Iterable[object] | None = None,
    keys: Iterable[object] | None = None,
    **settings: Any,
) -> Path:
    """Write attention weights to a file and return its path: `.npz` or `.safetensors`, or `.html` for a view.

    All but the path is as in `show`, queries and keys included, and so are its errors. The weights are stored
    exactly, in float32. Nothing is pickled: `numpy.load` reads the arrays `layer 0`, `layer 1`, … of shape
    (heads, q, k), and `tokens`.
    """
    return show(attention, tokens, keys, **settings).save(path)


def load(path: str | Path, *, batch: int | None = None) -> View:
    """Return the view of a file of attention weights: one of `save`, or one of your own.

    Such a file is a `.npz` with an array `attention`, of shape (layers, heads, q, k), or with `layer 0`, `layer
    1`, … of shape (heads, q, k), and with `tokens`, an array of texts; see `weight_file`. `batch` is the place of
    the text in a batch. Raises `FileNotFoundError` where there is no file, `ValueError` for one that is not
    read: of another kind, damaged, pickled, larger than 1.1 GB, or with weights that `show` refuses.
    """
    return View(*read_weights(Path(path), batch=batch))
