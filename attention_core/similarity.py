"""How alike are two words? Three measures between every row of `a` and every row of `b`."""

import numpy as np

from attention_core import checks


@np.errstate(all="ignore")  # an overflow is refused by name instead
def dot_product(a, b):
    """The dot product of every vector of `a` with every vector of `b`.

    It is large where two vectors are long and point the same way, zero at a right angle,
    negative past it.

        S = a bᵀ,    S[i, j] = Σ_c a[i, c] · b[j, c]

    `a` is (…, n, d) and `b` is (…, m, d), one vector per row; S is (…, n, m). The two
    wordings *a · b* and *length of a times the shadow b throws on it* are the same number.

    Raises `ValueError` for vectors of different lengths, for one-dimensional or non-finite
    input, and where a product is too large for the number type.
    """
    a, b = _pair(a, b)
    scores = a @ b.mT
    if not checks.is_finite(scores):
        raise ValueError(f"the dot products of a and b overflow {scores.dtype}")
    return scores


@np.errstate(all="ignore")  # 0/0 is meant: the angle of a zero vector is undefined
def cosine_similarity(a, b):
    """The cosine of the angle between every vector of `a` and every vector of `b`.

    Lengths play no part: 1 is the same direction, 0 a right angle, −1 the opposite direction.

        C[i, j] = a[i] · b[j] / (‖a[i]‖ ‖b[j]‖)

    `a` is (…, n, d) and `b` is (…, m, d); C is (…, n, m), within −1 … 1. A zero vector has
    no direction, so its cosines are NaN.

    Raises `ValueError` as `dot_product` does, but never for overflow: any finite length will do.
    """
    a, b = _pair(a, b)
    return np.clip(_unit(a) @ _unit(b).mT, -1, 1)


@np.errstate(all="ignore")
def scaled_dot_product(a, b):
    """The dot product divided by √d, d being the number of components of the vectors given.

        S = a bᵀ / √d

    With independent components of variance 1 the dot product has variance d; divided by √d
    its spread is the same for every d (Vaswani et al. 2017, §3.2.1). Shapes and errors are
    those of `dot_product`.
    """
    scores = dot_product(a, b)
    return scores * np.shape(a)[-1] ** -0.5


def rank_correlation(a, b):
    """Whether two rows of numbers rise together, whatever by how much: from −1 to 1 (Spearman 1904).

    The correlation of their ranks; equal numbers share the mean of theirs. Undefined (NaN) where all of one
    row are equal.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"two rows of as many numbers are wanted, got shapes {a.shape} and {b.shape}")
    one, other = (ranks - ranks.mean() if ranks.size else ranks for ranks in (_ranks(a), _ranks(b)))
    size = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / size if size else float("nan")


def _ranks(numbers):
    """The place of each number by size; those that are equal have the mean of their places."""
    _, group, counts = np.unique(checks.finite(numbers, "numbers"), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[group]


def _pair(a, b):
    """Both as real arrays of one number type, checked."""
    a, b = checks.vectors(a, "a"), checks.vectors(b, "b")
    checks.same_width(a, b, "a", "b")
    checks.leading_axes(a, b, "a", "b")
    return checks.finite(a, "a"), checks.finite(b, "b")


def _unit(a):
    """Every vector at length 1. Dividing by the largest component first keeps its square in range."""
    a = a / np.abs(a).max(axis=-1, keepdims=True)
    return a / np.sqrt((a * a).sum(axis=-1, keepdims=True))
