"""Attention heads: learned matrices that project word vectors to queries, keys and values.

Vaswani et al. 2017, §3.2.2; the view of a head as an addition to each word's vector follows
"Attention in transformers, visually explained" (3Blue1Brown, 2024).
"""

from dataclasses import dataclass, replace

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend


@dataclass(frozen=True, eq=False)
class AttentionHead:
    """One head: queries, keys and values are linear maps of the words' vectors.

        query = x @ W_query,    key = x @ W_key,    value = x @ W_value

    W_query and W_key are (d_model, d_k), W_value is (d_model, d_v). W_output, (d_v, d_model), is
    optional and maps the context back to d_model: Δx = context @ W_output. The head keeps read-only
    copies. Raises `ValueError` for matrices that do not fit or are not finite.
    Source: Vaswani et al. 2017, "Attention Is All You Need", §3.2.2.

    >>> head = AttentionHead(np.eye(2), np.eye(2), np.eye(2))
    >>> head.attend([[1, 0], [0, 1]]).weights.round(3)
    array([[0.67, 0.33],
           [0.33, 0.67]])
    """

    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    W_output: np.ndarray | None = None

    def __post_init__(self):
        _copy_matrices(self, ndim=2)

    def attend(self, x, memory=None, mask=None) -> AttentionTrace:
        """Let every word of `x` attend to the words of `x`, or, with a `memory`, to those of `memory`.

        `x`, (…, n, d_model), supplies the queries; `memory`, (…, m, d_model), the keys and values
        (cross-attention), by default `x` (self-attention). `mask` as in
        `scaled_dot_product_attention`. The trace's `delta` is Δx, None without a W_output.

        Raises `ValueError` where `scaled_dot_product_attention` does, naming `x` and `memory`.

        >>> head = AttentionHead(np.eye(2), np.eye(2), np.eye(2))
        >>> head.attend([[1, 0]], memory=[[1, 0], [0, 1], [1, 1]]).weights.round(3)
        array([[0.401, 0.198, 0.401]])
        """
        x, memory = _word_vectors(self, x, memory)
        return attend(*_project(self, x, memory), mask=mask, W_output=self.W_output)


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """One `AttentionTrace` for all heads, with a head axis, and the sum of their updates; read-only arrays."""

    heads: AttentionTrace  #: weights are (…, h, n_q, n_k); every array has its head axis there (key, value: h_kv)
    context: np.ndarray  #: (…, n, h · d_v), the concatenated context vectors
    deltas: np.ndarray  #: (…, h, n, d_model), the update of each head alone: Δx
    output: np.ndarray  #: (…, n, d_model), the sum of the deltas

    def head(self, index) -> AttentionTrace:
        """Return the trace of one head, without the head axis, with the key and value it uses.

        >>> heads = np.stack([np.eye(2), -np.eye(2)])
        >>> trace = MultiHeadAttention(heads, heads, heads, heads).attend([[1, 0], [0, 1]])
        >>> trace.heads.weights.shape, trace.head(0).weights.shape
        ((2, 2, 2), (2, 2))
        """
        shared = self.heads.key_heads
        key_index = index if shared is None else np.array(shared)[..., index]
        indices = {"key": key_index, "value": key_index}
        arrays = {name: part for name, part in vars(self.heads).items() if isinstance(part, np.ndarray)}
        arrays = {name: part[..., indices.get(name, index), :, :] for name, part in arrays.items()}
        return replace(self.heads, **arrays, key_heads=None)


@dataclass(frozen=True, eq=False)
class MultiHeadAttention:
    """Several heads in parallel, each with its own matrices.

    Vaswani et al. 2017, §3.2.2, concatenate the context vectors and multiply by one large output
    matrix. Cut that matrix into one slice per head, and the same result is the sum of the heads' updates:

        output = concat(context_1 … context_h) @ W_O = Σ_i context_i @ W_output[i]

    W_query and W_key are (h, d_model, d_k), W_value is (h, d_model, d_v), W_output is
    (h, d_v, d_model); W_O is `W_output.reshape(h * d_v, d_model)`. W_key and W_value may have fewer heads,
    (h_kv, d_model, ·), which the others share: `scaled_dot_product_attention`. Keeps read-only copies.
    Raises `ValueError` for matrices that do not fit or are not finite.

    >>> heads = np.stack([np.eye(2), -np.eye(2)])
    >>> trace = MultiHeadAttention(heads, heads, heads, heads).attend([[1, 0], [0, 1]])
    >>> np.allclose(trace.deltas.sum(axis=-3), trace.output)
    True
    """

    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    W_output: np.ndarray

    def __post_init__(self):
        _copy_matrices(self, ndim=3)

    def attend(self, x, memory=None, mask=None) -> MultiHeadTrace:
        """Let every head attend from the words of `x`, (…, n, d_model), to those of `x` or of `memory`.

        `mask` is (n_q, n_k), the same for all heads, or (h, n_q, n_k), one for each; with a batch
        in front, (batch, h or 1, n_q, n_k): masks of sentences, (batch, n_q, n_k), are passed as
        `mask[:, None]`. Raises `ValueError` as `AttentionHead.attend` does, and for a mask that could
        mean sentences or heads.

        >>> heads = np.stack([np.eye(2), -np.eye(2)])
        >>> mask = np.array([[[True, True]], [[True, False]]])  # (h, n_q, n_k): one for each head
        >>> trace = MultiHeadAttention(heads, heads, heads, heads).attend([[1, 0]], [[1, 0], [1, 0]], mask)
        >>> trace.heads.weights[:, 0]
        array([[0.5, 0.5],
               [1. , 0. ]])
        """
        x, memory = _word_vectors(self, x, memory)
        x, memory = x[..., None, :, :], memory[..., None, :, :]  # one more axis, for the heads
        heads = attend(*_project(self, x, memory), mask=mask, W_output=self.W_output)

        *leading, h, n, d_v = heads.context.shape
        context = heads.context.swapaxes(-3, -2).reshape(*leading, n, h * d_v)
        with np.errstate(all="ignore"):
            output = checks.finite(heads.delta.sum(axis=-3), "output")
        return MultiHeadTrace(heads, checks.frozen(context), heads.delta, checks.frozen(output))


def _copy_matrices(head, ndim):
    """Replace the matrices of a head by checked copies of one number type."""
    matrices = {
        name: checks.matrix(matrix, name, ndim)
        for name, matrix in vars(head).items()
        if matrix is not None or name != "W_output" or ndim == 3
    }

    def check_shape(name, shape, other):
        if matrices[name].shape != shape:
            raise ValueError(
                f"{name} must have shape {shape} to fit {other} of shape {matrices[other].shape}, "
                f"got {matrices[name].shape}"
            )

    *heads, d_model, d_k = matrices["W_query"].shape
    *key_heads, _, _ = matrices["W_key"].shape
    d_v = matrices["W_value"].shape[-1]
    if heads and heads[0] % key_heads[0]:
        raise ValueError(
            "W_query must have as many heads as W_key, or a multiple of them, got shapes "
            f"{matrices['W_query'].shape} and {matrices['W_key'].shape}"
        )
    check_shape("W_key", (*key_heads, d_model, d_k), "W_query")
    check_shape("W_value", (*key_heads, d_model, d_v), "W_key")
    if "W_output" in matrices:
        check_shape("W_output", (*heads, d_v, d_model), "W_value")

    dtype = np.result_type(*matrices.values())
    for name, matrix in matrices.items():
        object.__setattr__(head, name, checks.frozen(matrix.astype(dtype)))


def _word_vectors(head, x, memory):
    """Check `x` and `memory` (by default `x`) against the head's d_model."""

    def check(rows, name):
        rows = checks.vectors(rows, name)
        d_model = head.W_query.shape[-2]
        if rows.shape[-1] != d_model:
            raise ValueError(
                f"{name} must have shape (…, n, d_model = {d_model}) to fit W_query of shape "
                f"{head.W_query.shape}, got {rows.shape}"
            )
        return checks.finite(rows, name)

    x = check(x, "x")
    if memory is None:
        return x, x
    memory = check(memory, "memory")
    checks.leading_axes(x, memory, "x", "memory")
    return x, memory


@np.errstate(all="ignore")  # an overflow is refused by name instead
def _project(head, x, memory):
    """Compute queries from `x`, keys and values from `memory`."""
    dtype = np.result_type(x, memory, head.W_query)
    x, memory = x.astype(dtype, copy=False), memory.astype(dtype, copy=False)
    projections = {"query": x @ head.W_query, "key": memory @ head.W_key, "value": memory @ head.W_value}
    for name, vectors in projections.items():
        if not checks.is_finite(vectors):
            raise ValueError(f"{name} overflows {dtype}: W_{name} times the word vectors is too large")
    return projections.values()
