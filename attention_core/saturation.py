"""Saturation of softmax: scores of random queries and keys, plain and divided by √d."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_core import checks
from attention_core.softmax import softmax


@np.errstate(all="ignore")  # weights may be as small as numbers get
def softmax_gradient(weights, axis=-1):
    """Compute the trace of softmax's Jacobian: how strongly weights still react to their scores.

        Σ_j ∂w[j] / ∂s[j] = Σ_j w[j] · (1 − w[j])

    Close to 0 where one weight is close to 1: then hardly any change of a score changes a weight, and training
    learns next to nothing from it. At most 1 − 1/n, for n uniform weights. `weights` may have any shape with at
    least one axis; that axis is summed away.

    Raises `ValueError` for a single number, an axis that `weights` lack, and input that is not finite.

    >>> softmax_gradient([[0.5, 0.5], [1, 0]])
    array([0.5, 0. ])
    """
    weights = checks.finite(checks.real_array(weights, "weights"), "weights")
    checks.axis_of(weights, "weights", axis)
    return (weights * (1 - weights)).sum(axis=axis)


@dataclass(frozen=True, eq=False)
class Spread:
    """The variance of scores, and how far it saturates their softmax; means over all queries."""

    scores: np.ndarray  #: (queries, keys)
    weights: np.ndarray  #: (queries, keys), softmax of the scores, row by row
    variance: float  #: of all scores, around 0, the mean of their distribution
    largest_weight: float  #: of each query
    gradient: float  #: see `softmax_gradient`


@dataclass(frozen=True, eq=False)
class RandomScores:
    """Scores of random queries and keys, plain and divided by √d."""

    d_k: int
    seed: int
    plain: Spread  #: q · k
    divided: Spread  #: q · k / √d
    provenance: str = "random"


@lru_cache(maxsize=128)
def random_scores(d_k, seed=0, queries=400, keys=16):
    """Draw queries and keys with independent components of mean 0 and variance 1, and score them.

        Var(q · k) = Σ_c Var(q[c] · k[c]) = d,    so Var(q · k / √d) = 1

    Every query has its own `keys` keys, of `d_k` components each. The result is cached; the same sizes and `seed`
    give the same numbers. Source: Vaswani et al. 2017, §3.2.1, footnote 4.

    Raises `ValueError` for sizes that are not whole numbers ≥ 1 and a `seed` that is not one ≥ 0.

    >>> scores = random_scores(64)
    >>> round(scores.plain.variance), round(scores.divided.variance)
    (64, 1)
    """
    for name, size, least in (("d_k", d_k, 1), ("seed", seed, 0), ("queries", queries, 1), ("keys", keys, 1)):
        checks.whole_number(size, name, least)
    rng = np.random.default_rng([seed, d_k])
    query = rng.standard_normal((queries, 1, d_k), np.float32)
    key = rng.standard_normal((queries, keys, d_k), np.float32)
    scores = (query @ key.mT)[:, 0].astype(np.float64)
    return RandomScores(d_k, seed, _spread(scores), _spread(scores / d_k**0.5))


def _spread(scores):
    weights = softmax(scores)
    return Spread(
        scores=checks.frozen(scores),
        weights=checks.frozen(weights),
        variance=float((scores * scores).mean()),
        largest_weight=float(weights.max(axis=-1).mean()),
        gradient=float(softmax_gradient(weights).mean()),
    )
