"""Scaled dot-product attention: Vaswani et al. 2017, "Attention Is All You Need", §3.2.1."""

from dataclasses import dataclass

import numpy as np

from attention_core import checks
from attention_core.softmax import normalized_exponentials


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """The inputs, every intermediate result and the context vectors, in the order of the calculation.

    Queries are in rows, keys in columns. Every array is read-only and the trace's own: changing
    an input afterwards changes nothing here. (…) are leading axes such as batch or head. Where heads
    share keys and values, these have the shapes they came in, (…, h_kv, n_k, ·); all else has h heads.
    """

    query: np.ndarray  #: (…, n_q, d_k), what each word looks for
    key: np.ndarray  #: (…, n_k, d_k), what each word offers to be found by
    value: np.ndarray  #: (…, n_k, d_v), what each word contributes where it is attended to
    mask: np.ndarray | None  #: boolean, in the shape of `scores`, True = may attend; None without a mask
    scale: float  #: the factor of the scores
    scores: np.ndarray  #: (…, n_q, n_k), query · key
    scaled_scores: np.ndarray  #: (…, n_q, n_k), scores × scale
    masked_scores: np.ndarray  #: (…, n_q, n_k), scaled_scores, −inf where the mask is False
    weights: np.ndarray  #: (…, n_q, n_k), softmax of each row; all zeros where every key is masked
    context: np.ndarray  #: (…, n_q, d_v), weights @ value; the paper's *output*
    delta: np.ndarray | None = None  #: (…, n_q, d_model), context @ W_output, or None without one
    key_heads: tuple[int, ...] | None = None  #: of each of h heads, the index of its key and value; None: its own

    def __post_init__(self):
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)


def scaled_dot_product_attention(query, key, value, mask=None, scale=None):
    """Compute each query's attention weights over all keys, and the weighted sums of the values.

    The score of a query and a key is their dot product. Softmax turns the scaled scores of a query
    into weights, and these say how much of each value goes into the query's context vector.

        Attention(Q, K, V) = softmax(Q Kᵀ · scale) V

    Heads may share keys and values (grouped-query attention): with h heads of queries and h_kv of keys
    and values, head i uses key and value head i // (h / h_kv). With h_kv = 1 it is multi-query attention.

    Sources: Vaswani et al. 2017, "Attention Is All You Need", §3.2.1, equation 1; Shazeer 2019 (multi-query);
    Ainslie et al. 2023 (grouped-query).

    Parameters
    ----------
    query : (…, n_q, d_k)
    key : (…, n_k, d_k)
    value : (…, n_k, d_v)
        One vector per row. Leading axes broadcast; the last of them, the heads', may also be h in `query`
        and h_kv in `key` and `value`, where h is a multiple of h_kv. float32 stays float32, float16 and
        bfloat16 are computed in float32, whole numbers in float64. n_q and n_k may be 0.
    mask : boolean, broadcast to (…, n_q, n_k), optional
        True = may attend. A masked pair has score −inf and weight 0, exactly. A query whose keys are
        all masked gets zero weights and a zero context. For query, key and value of (batch, h, n, d),
        a mask per sentence is `mask[:, None]`.
    scale : finite number, optional
        Multiplies the scores; the default is d_k^−½. For a temperature T, pass d_k^−½ / T.

    Returns
    -------
    AttentionTrace

    Raises
    ------
    ValueError
        For one-dimensional vectors, shapes that do not fit (both are stated) such as an h that is not a
        multiple of h_kv, leading axes that could mean sentences or heads, a mask that is not boolean,
        masked arrays of NumPy, input that is not finite, and scores too large for the number type.

    >>> x = [[0, 3], [2, 2], [4, 0]]
    >>> trace = scaled_dot_product_attention(x, x, x)
    >>> trace.weights[1].round(3)
    array([0.108, 0.446, 0.446])
    >>> trace.context[1].round(3)
    array([2.675, 1.217])
    >>> query, key = np.ones((4, 3, 2)), np.ones((2, 3, 2))  # four heads, two of keys and values
    >>> scaled_dot_product_attention(query, key, key).key_heads
    (0, 0, 1, 1)
    """
    query, key, value = _arrays_of_one_type(query, key, value)
    _check_shapes(query, key, value)
    for array, name in ((query, "query"), (key, "key"), (value, "value")):
        checks.finite(array, name)
    key = key.mT.copy().mT  # laid out as Kᵀ, which is what gets multiplied
    return attend(query.copy(), key, value.copy(), mask, scale)


@np.errstate(all="ignore")  # overflow is refused by name; underflow is a weight of 0, as it should be
def attend(query, key, value, mask=None, scale=None, W_output=None):
    """Compute an `AttentionTrace` from finite arrays of fitting shapes and one number type.

    The trace keeps the arrays themselves, and makes them read-only.
    """
    group = _group_size(query, key, value)
    scale = query.shape[-1] ** -0.5 if scale is None else checks.real_number(scale, "scale")
    scores = _multiply(query, key.mT, group)
    scaled_scores = scores * scores.dtype.type(scale)
    if not checks.is_finite(scaled_scores):
        raise ValueError(f"scores overflow {scores.dtype}: query and key (or scale) are too large")
    masked_scores = scaled_scores
    if mask is not None:
        mask = _broadcast_copy(mask, scores.shape)
        masked_scores = np.where(mask, scaled_scores, -np.inf)
    weights = normalized_exponentials(masked_scores)
    context = _multiply(weights, value, group)
    if not checks.is_finite(context):
        raise ValueError(f"context overflows {context.dtype}: value is too large")
    delta = None if W_output is None else checks.finite(context @ W_output, "delta = context @ W_output")
    key_heads = None if group == 1 else tuple(head // group for head in range(query.shape[-3]))
    return AttentionTrace(
        query, key, value, mask, scale, scores, scaled_scores, masked_scores, weights, context, delta, key_heads
    )


def _group_size(query, key, value):
    """How many heads share each key and value head: 1 where each has its own, or leading axes broadcast."""
    if min(query.ndim, key.ndim, value.ndim) < 3:
        return 1
    h, h_kv = query.shape[-3], key.shape[-3]
    if not 0 < h_kv < h or value.shape[-3] != h_kv:
        return 1
    if h % h_kv:
        raise ValueError(
            "query must have as many heads as key, or a multiple of them, got shapes "
            f"{query.shape} and {key.shape}"
        )
    return h // h_kv


def _multiply(rows, matrices, group):
    """Multiply the rows of each head, (…, h, n, d), by the matrix of its group, (…, h / group, d, m)."""
    if group == 1:
        return rows @ matrices
    *leading, h, n, d = rows.shape
    product = rows.reshape(*leading, h // group, group * n, d) @ matrices  # copies no matrix
    return product.reshape(*product.shape[:-3], h, n, product.shape[-1])


def _arrays_of_one_type(query, key, value):
    """The three as real arrays of one number type, perhaps the caller's own."""
    named = {"query": query, "key": key, "value": value}
    arrays = [checks.real_array(array, name) for name, array in named.items()]
    dtype = np.result_type(*arrays)
    return [array.astype(dtype, copy=False) for array in arrays]


def _broadcast_copy(mask, shape):
    """A copy of the mask in the shape of the scores."""
    mask = checks.boolean(mask, "mask", "True = may attend; for an additive mask of 0 and −inf, pass mask == 0")
    if mask.shape == shape:
        return mask.copy()
    checks.one_place(mask, shape[:-2], "mask", own=2)
    try:
        return np.broadcast_to(mask, shape).copy()
    except ValueError:
        raise ValueError(f"mask of shape {mask.shape} does not fit scores of shape {shape}") from None


def _check_shapes(query, key, value):
    """Refuse shapes that do not fit, stating both."""
    for array, name in ((query, "query"), (key, "key"), (value, "value")):
        checks.rows_of_vectors(array, name)
    checks.same_width(query, key, "query", "key")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"key and value must have the same number of rows, got shapes {key.shape} and {value.shape}"
        )
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        group = _group_size(query, key, value)
        checks.leading_axes(query, key, "query", "key", group=group)
        checks.leading_axes(query, value, "query", "value", group=group)
        checks.leading_axes(key, value, "key", "value")
