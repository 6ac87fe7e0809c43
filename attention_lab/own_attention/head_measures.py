"""What each head does, as numbers: where its weight lies on average, and how widely it is spread."""

import numpy as np
import pandas as pd

from attention_core.softmax import entropy

from .attention import Attention
from .token_names import earlier_places

NAMED_FROM = 0.5  # a head is called by what holds at least so much of its weight
KINDS = ("previous", "first", "itself", "same", "induction")  # what a head may be called, the most special last


def measure_heads(attention: Attention) -> pd.DataFrame:
    """Return a row for each head: the mean weight that queries give to certain keys, and the spread in bits.

    ``spread`` is the mean entropy of the rows, each divided by its sum; rows of
    zeros do not count.
    ``previous`` is the weight on the token before, ``first`` that on the first token, ``itself`` that on the
    query's own token, ``same`` that on earlier occurrences of the same token, ``induction`` that on the tokens
    after these. A query counts where there is such a key: ``first`` and ``previous`` begin with the second
    token, ``same`` and ``induction`` count only tokens that repeat, and never the first token of the text as a
    key. Where none does, and between two texts, a number is NaN. ``kind`` names the largest of these from
    `NAMED_FROM` on, else it is empty.
    """
    rows = []
    columns = _keys_of_each_kind(attention) if attention.is_self else {}
    for name, weights in zip(attention.layers, attention.weights, strict=True):
        sums = weights.sum(axis=-1, keepdims=True)
        seen = sums[..., 0] > 0
        spreads = np.where(seen, entropy(weights / np.where(sums > 0, sums, 1)), 0)
        spread = spreads.sum(axis=-1) / np.maximum(seen.sum(axis=-1), 1)
        means = {kind: _mean_weight(weights, columns.get(kind, [])) for kind in KINDS}
        for head in range(len(weights)):
            shares = {kind: float(of_heads[head]) for kind, of_heads in means.items()}
            rows.append(
                {"layer": name, "head": head, **shares, "spread": float(spread[head]), "kind": _kind(shares)}
            )
    return pd.DataFrame(rows)


def _keys_of_each_kind(attention: Attention) -> dict[str, list[tuple[int, list[int]]]]:
    """For each kind the queries that count, by row, each with the keys that count."""
    n_q, n_k = len(attention.queries), len(attention.keys)
    earlier = earlier_places(attention.keys)
    found: dict[str, list[tuple[int, list[int]]]] = {kind: [] for kind in KINDS}
    for row, place in enumerate(range(n_k - n_q, n_k)):
        found["itself"].append((row, [place]))
        if place == 0:
            continue
        found["previous"].append((row, [place - 1]))
        found["first"].append((row, [0]))
        if same := [key for key in earlier[place] if key > 0]:
            found["same"].append((row, same))
        if after := [key + 1 for key in earlier[place] if key + 1 < place]:
            found["induction"].append((row, after))
    return found


def _mean_weight(weights: np.ndarray, keys: list[tuple[int, list[int]]]) -> np.ndarray:
    """The mean over queries of the weight on their keys, for each head; NaN where no query counts."""
    if not keys:
        return np.full(len(weights), np.nan)
    rows = np.repeat([row for row, _ in keys], [len(of) for _, of in keys])
    columns = np.concatenate([of for _, of in keys])
    return weights[:, rows, columns].sum(axis=-1, dtype=float) / len(keys)


def _kind(shares: dict[str, float]) -> str:
    best = max(KINDS, key=lambda kind: (shares[kind] if shares[kind] >= NAMED_FROM else 0.0, KINDS.index(kind)))
    return best if shares[best] >= NAMED_FROM else ""
