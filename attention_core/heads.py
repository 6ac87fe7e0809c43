"""Heads: attention with matrices that make queries, keys and values out of word vectors.

Vaswani et al. 2017, §3.2.2; the view of a head as an addition to each word's vector follows
"Attention in transformers, visually explained" (3Blue1Brown, 2024).
"""

from dataclasses import dataclass, replace

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend


@dataclass(frozen=True, eq=False)
class AttentionHead:
    """One head: a question, an answer and something to hand over, each a linear map of a word's vector.

        query = x @ W_query,    key = x @ W_key,    value = x @ W_value

    W_query and W_key are (d_model, d_k), W_value is (d_model, d_v), W_output, if there is one, is
    (d_v, d_model) and maps the context back to where words live: Δx = context @ W_output. The head
    keeps read-only copies. Raises `ValueError` for matrices that do not fit or are not finite.
    """

    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    W_output: np.ndarray | None = None

    def __post_init__(self):
        """Check the matrices and keep copies."""
        _keep_matrices(self, ndim=2)

    def attend(self, x, memory=None, mask=None) -> AttentionTrace:
        """Every word of `x` looks at the words of `x`, or across at those of `memory`.

        `x` is (…, n, d_model) and asks; `memory`, (…, m, d_model), answers and hands over
        (cross-attention); without it the words of `x` do so themselves. `mask` as in
        `scaled_dot_product_attention`. The trace's `delta` is Δx, None without a W_output.

        Raises `ValueError` where `scaled_dot_product_attention` does, naming `x` and `memory`.
        """
        x, memory = _words(self, x, memory)
        return attend(*_project(self, x, memory), mask=mask, W_output=self.W_output)


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """What several heads did with the same words. Every array is read-only."""

    heads: AttentionTrace  #: one trace for all, every array with a head axis: (…, h, n, ·)
    context: np.ndarray  #: (…, n, h · d_v), the heads' context vectors side by side
    deltas: np.ndarray  #: (…, h, n, d_model), what each head alone adds: Δx
    output: np.ndarray  #: (…, n, d_model), the sum of the deltas

    def head(self, index) -> AttentionTrace:
        """The trace of one head, without the head axis."""
        arrays = {name: part for name, part in vars(self.heads).items() if isinstance(part, np.ndarray)}
        return replace(self.heads, **{name: part[..., index, :, :] for name, part in arrays.items()})


@dataclass(frozen=True, eq=False)
class MultiHeadAttention:
    """Several heads side by side, each with its own matrices.

    The paper joins the context vectors end to end and multiplies by one large output matrix. Cut
    that matrix into one slice per head, and the same result is the sum of what each head adds:

        output = concat(context_1 … context_h) @ W_O = Σ_i context_i @ W_output[i]

    W_query and W_key are (h, d_model, d_k), W_value is (h, d_model, d_v), W_output is
    (h, d_v, d_model); W_O is `W_output.reshape(h * d_v, d_model)`. Read-only copies are kept.
    Raises `ValueError` for matrices that do not fit or are not finite.
    """

    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    W_output: np.ndarray

    def __post_init__(self):
        """Check the matrices and keep copies."""
        _keep_matrices(self, ndim=3)

    def attend(self, x, memory=None, mask=None) -> MultiHeadTrace:
        """Every head lets the words of `x`, (…, n, d_model), look at those of `x` or of `memory`.

        `mask` is (n_q, n_k) for all heads alike or (h, n_q, n_k) for each its own; with a batch
        in front, (batch, h or 1, n_q, n_k). Raises `ValueError` as `AttentionHead.attend` does.
        """
        x, memory = _words(self, x, memory)
        x = x[..., None, :, :]  # one more axis, for the heads
        memory = None if memory is None else memory[..., None, :, :]
        heads = attend(*_project(self, x, memory), mask=mask, W_output=self.W_output)

        *leading, h, n, d_v = heads.context.shape
        context = heads.context.swapaxes(-3, -2).reshape(*leading, n, h * d_v)
        with np.errstate(all="ignore"):
            output = checks.finite(heads.delta.sum(axis=-3), "output")
        return MultiHeadTrace(heads, checks.frozen(context), heads.delta, checks.frozen(output))


def _keep_matrices(head, ndim):
    """Replace the matrices of a head by checked copies of one number type."""
    kept = {
        name: checks.matrix(matrix, name, ndim)
        for name, matrix in vars(head).items()
        if not (name == "W_output" and matrix is None and ndim == 2)
    }

    def fits(name, shape, other):
        if kept[name].shape != shape:
            raise ValueError(
                f"{name} must have shape {shape} to fit {other} of shape {kept[other].shape}, "
                f"got {kept[name].shape}"
            )

    *heads, d_model, _ = kept["W_query"].shape
    d_v = kept["W_value"].shape[-1]
    fits("W_key", kept["W_query"].shape, "W_query")
    fits("W_value", (*heads, d_model, d_v), "W_query")
    if "W_output" in kept:
        fits("W_output", (*heads, d_v, d_model), "W_value")

    kind = np.result_type(*kept.values())
    vars(head).update({name: checks.frozen(matrix.astype(kind)) for name, matrix in kept.items()})


def _words(head, x, memory):
    """`x` and `memory` checked against the head's d_model; memory stays None if it is."""
    d_model = head.W_query.shape[-2]

    def fitting(rows, name):
        rows = checks.vectors(rows, name)
        if rows.shape[-1] != d_model:
            raise ValueError(
                f"{name} must have shape (…, n, d_model = {d_model}) to fit W_query of shape "
                f"{head.W_query.shape}, got {rows.shape}"
            )
        return checks.finite(rows, name)

    x = fitting(x, "x")
    if memory is not None:
        memory = fitting(memory, "memory")
        checks.leading_axes(x, memory, "x", "memory")
    return x, memory


@np.errstate(all="ignore")  # an overflow is refused by name instead
def _project(head, x, memory):
    """Queries from x, keys and values from memory (or x)."""
    source = x if memory is None else memory
    kind = np.result_type(x, source, head.W_query)
    x, source = x.astype(kind, copy=False), source.astype(kind, copy=False)
    query, key, value = x @ head.W_query, source @ head.W_key, source @ head.W_value
    for name, made in (("query", query), ("key", key), ("value", value)):
        if not checks.is_finite(made):
            raise ValueError(f"{name} overflows {made.dtype}: W_{name} times the word vectors is too large")
    return query, key, value
