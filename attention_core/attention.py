"""Attention itself: queries ask keys, and values are handed over.

Scaled dot-product attention, Vaswani et al. 2017, "Attention Is All You Need", §3.2.1.
"""

from dataclasses import dataclass

import numpy as np

from attention_core import checks
from attention_core.softmax import softmax_of_rows


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Everything that happened between the inputs and the context vectors, in order.

    Queries are in rows, keys in columns. Every array is read-only and the trace's own: changing
    an input afterwards changes nothing here. (…) are leading axes such as batch or head.
    """

    query: np.ndarray  #: (…, n_q, d_k), what each word asks
    key: np.ndarray  #: (…, n_k, d_k), what each word answers to
    value: np.ndarray  #: (…, n_k, d_v), what each word hands over
    mask: np.ndarray | None  #: boolean, in the shape of `scores`, True = may attend; None if none was given
    scale: float  #: what the scores were multiplied by
    scores: np.ndarray  #: (…, n_q, n_k), query · key
    scaled_scores: np.ndarray  #: scores × scale
    masked_scores: np.ndarray  #: scaled_scores, −inf where the mask is closed
    weights: np.ndarray  #: softmax of each row; all zeros where every key is closed
    context: np.ndarray  #: (…, n_q, d_v), weights @ value; the paper's *output*
    delta: np.ndarray | None = None  #: (…, n_q, d_model), context @ W_output, or None without one


def scaled_dot_product_attention(query, key, value, mask=None, scale=None):
    """Let each query look at all keys, and gather the values in proportion.

    The score of a query and a key is their dot product: how well the answer fits the question.
    Scaled, and turned into shares by softmax, a query's scores say how much of each value goes
    into its context vector.

        Attention(Q, K, V) = softmax(Q Kᵀ · scale) V

    Parameters
    ----------
    query : (…, n_q, d_k)
    key : (…, n_k, d_k)
    value : (…, n_k, d_v)
        One vector per row. Leading axes broadcast. float32 stays float32, float16 is computed in
        float32, whole numbers in float64. n_q and n_k may be 0.
    mask : boolean, broadcast to (…, n_q, n_k), optional
        True = may attend. A closed pair has score −inf and weight 0, exactly. A query with every
        key closed gets zero weights and a zero context.
    scale : finite number, optional
        Multiplies the scores; d_k^−½ if not given. For a temperature T, give d_k^−½ / T.

    Returns
    -------
    AttentionTrace
        The inputs, every intermediate result and the context vectors.

    Raises
    ------
    ValueError
        For one-dimensional vectors, shapes that do not fit (both are stated), a mask that is not
        boolean, input that is not finite, and scores too large for the number type.
    """
    query, key, value = _of_one_kind(query, key, value)
    _check_shapes(query, key, value)
    # The key's copy is laid out like Kᵀ, since that is what gets multiplied.
    return attend(query.copy(), key.mT.copy().mT, value.copy(), mask, scale)


@np.errstate(all="ignore")  # overflow is refused by name; underflow is a weight of 0, as it should be
def attend(query, key, value, mask=None, scale=None, W_output=None):
    """`scaled_dot_product_attention` for arrays that fit, share a number type and are ours to freeze."""
    scale = query.shape[-1] ** -0.5 if scale is None else checks.real_number(scale, "scale")

    product = np.ndarray.dot if query.ndim == key.ndim == value.ndim == 2 else np.matmul  # dot is quicker
    scores = product(query, key.mT)
    scaled_scores = scores * np.asarray(scale, scores.dtype)
    if mask is None:
        masked_scores = scaled_scores
    else:
        mask = _own_mask(mask, scores.shape)
        masked_scores = np.where(mask, scaled_scores, _CLOSED[scores.dtype])
    weights = softmax_of_rows(masked_scores)
    context = product(weights, value)
    delta = None if W_output is None else context @ W_output

    # One NaN or infinity in a query or key spoils every score it has a part in, one in a value every
    # context vector. So two results answer for three inputs, wherever there are scores at all.
    if not (checks.is_finite(scaled_scores) and checks.is_finite(context) and scores.size):
        _refuse_what_is_not_finite(query, key, value, scaled_scores, context)
    if delta is not None:
        checks.finite(delta, "delta = context @ W_output").setflags(write=False)

    # A frozen dataclass sets its fields one at a time, which takes longer than a small softmax.
    trace = object.__new__(AttentionTrace)
    vars(trace).update(
        query=query,
        key=key,
        value=value,
        mask=mask,
        scale=scale,
        scores=scores,
        scaled_scores=scaled_scores,
        masked_scores=masked_scores,
        weights=weights,
        context=context,
        delta=delta,
    )
    for array in (query, key, value, scores, scaled_scores, masked_scores, weights, context):
        array.setflags(False)
    return trace


_CLOSED = {np.dtype(kind): np.array(-np.inf, kind) for kind in (np.float32, np.float64)}


def _of_one_kind(query, key, value):
    """The three as real arrays of one number type, perhaps the caller's own."""
    if type(query) is type(key) is type(value) is np.ndarray and (
        query.dtype == key.dtype == value.dtype in _CLOSED
    ):
        return query, key, value  # the usual case, at once
    arrays = (
        checks.real_array(query, "query"),
        checks.real_array(key, "key"),
        checks.real_array(value, "value"),
    )
    kind = np.result_type(*arrays)
    return [array.astype(kind, copy=False) for array in arrays]


def _own_mask(mask, shape):
    """A read-only copy in the shape of the scores."""
    mask = checks.boolean(mask, "mask")
    if mask.shape == shape:
        return checks.frozen(mask.copy())
    own = np.empty(shape, bool)
    try:
        own[...] = mask
    except ValueError:
        raise ValueError(f"mask of shape {mask.shape} does not fit scores of shape {shape}") from None
    return checks.frozen(own)


def _check_shapes(query, key, value):
    """Refuse shapes that do not fit, stating both."""
    if query.ndim < 2 or key.ndim < 2 or value.ndim < 2 or query.shape[-1] == 0:
        checks.rows_of_vectors(query, "query")
        checks.rows_of_vectors(key, "key")
        checks.rows_of_vectors(value, "value")
    if query.shape[-1] != key.shape[-1]:
        checks.same_width(query, key, "query", "key")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"key and value must have the same number of rows, got shapes {key.shape} and {value.shape}"
        )
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        checks.leading_axes(query, key, "query", "key")
        checks.leading_axes(query, value, "query", "value")
        checks.leading_axes(key, value, "key", "value")


def _refuse_what_is_not_finite(query, key, value, scaled_scores, context):
    """Say which it was, the first in the order of the calculation. Empty scores may be innocent."""
    checks.finite(query, "query")
    checks.finite(key, "key")
    checks.finite(value, "value")
    if not checks.is_finite(scaled_scores):
        raise ValueError(f"scores overflow {scaled_scores.dtype}: query and key (or scale) are too large")
    if not checks.is_finite(context):
        raise ValueError(f"context overflows {context.dtype}: value is too large")
