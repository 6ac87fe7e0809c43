"""Writing with a cache of keys and values: prefill reads the prompt, decode adds one token at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import checks
from attention_core.attention import scaled_dot_product_attention
from attention_core.masks import causal_mask
from attention_core.models.language_model import LanguageModel
from attention_core.softmax import softmax


@dataclass(frozen=True, eq=False)
class Decoding:
    """What a language model has computed once n tokens are there. Heads are counted through all layers."""

    weights: np.ndarray  #: (layers · heads, n, n): each row as it was computed; 0 at tokens that came later
    keys: np.ndarray  #: (layers · heads, n, d_k), as they are cached
    values: np.ndarray  #: (layers · heads, n, d_k), as they are cached
    logits: np.ndarray  #: (vocabulary,), after the last token
    next_word: np.ndarray  #: (vocabulary,), their softmax


def decode(model: LanguageModel, tokens: Sequence[int], start: int, causal: bool = True) -> Decoding:
    """Run a model on indices of words as it writes them, with a cache of keys and values.

    The first `start` tokens are read in one pass (prefill). Of each later one only its own row is computed, with
    the cached keys and values of all tokens before it (decode). With `start` the number of tokens, nothing is
    cached: that is the computation which decode saves. Without the `causal` mask, tokens of the first pass attend
    to all others of it. Source: Shazeer, *Fast Transformer Decoding* (2019).

    Raises `ValueError` for a `start` that is not from 1 to the number of tokens, for an index that is not in the
    vocabulary, and for more tokens than the model's `longest`.

    >>> from attention_core.models import load_language_model
    >>> model = load_language_model()
    >>> tokens = model.places("the fluffy blue creature loved the".split())
    >>> cached, whole = decode(model, tokens, 4), decode(model, tokens, 6)
    >>> bool(np.allclose(cached.next_word, whole.next_word, atol=1e-12))
    True
    """
    places = np.asarray(tokens, dtype=int)
    if len(places) > model.longest:
        raise ValueError(f"a text has at most {model.longest} tokens, got {len(places)}")
    if places.size and not 0 <= places.min() <= places.max() < len(model.words):
        raise ValueError(f"tokens must be from 0 to {len(model.words) - 1}, got {places.tolist()}")
    if checks.whole_number(start, "start", 1) > len(places):
        raise ValueError(f"start must be at most {len(places)}, got {start}")
    layers, heads, _, d_k = model.W_query.shape
    weights = np.zeros((layers, heads, len(places), len(places)))
    keys, values = np.zeros((2, layers, heads, len(places), d_k))
    begins = [0, *range(start, len(places))]
    for begin, end in zip(begins, [*begins[1:], len(places)], strict=True):
        x = model.embeddings[places[begin:end]].astype(float) + model.positions[begin:end]
        mask = causal_mask(end)[begin:] if causal else None
        for layer in range(layers):
            keys[layer, :, begin:end] = x @ model.W_key[layer]
            values[layer, :, begin:end] = x @ model.W_value[layer]
            trace = scaled_dot_product_attention(
                x @ model.W_query[layer], keys[layer, :, :end], values[layer, :, :end], mask
            )
            weights[layer, :, begin:end, :end] = trace.weights
            x = x + (trace.context @ model.W_output[layer]).sum(axis=0)
    logits = x[-1] @ model.W_vocabulary + model.bias
    by_head = (array.reshape(layers * heads, *array.shape[2:]) for array in (weights, keys, values))
    return Decoding(*map(checks.frozen, (*by_head, logits, softmax(logits))))


def count_multiplications(model: LanguageModel, start: int, written: int) -> tuple[list[int], list[int]]:
    """Count the multiplications for each of the `written` tokens after `start` others: without a cache, and with.

    Counted are the products of matrices: queries, keys and values, scores, weighted averages and outputs of all
    rows that are computed, each with the keys up to its own, and the logits of the last row.

    >>> from attention_core.models import load_language_model
    >>> count_multiplications(load_language_model(), 4, 3)
    ([58000, 71600, 85360], [58000, 18800, 18960])
    """
    layers, heads, d_model, d_k = model.W_query.shape

    def rows(first: int, last: int) -> int:
        """Of the rows from `first` to `last`, counted from 1."""
        count, keys = last - first + 1, (first + last) * (last - first + 1) // 2
        return layers * heads * (4 * count * d_model * d_k + 2 * keys * d_k)

    logits, lengths = d_model * len(model.words), range(start, start + written)
    without = [rows(1, length) + logits for length in lengths]
    cached = [rows(1 if length == start else length, length) + logits for length in lengths]
    return without, cached
