"""Similarity of vectors: the dot product, the cosine, the scaled dot product; and rank correlation."""

import numpy as np

from attention_core import checks


@np.errstate(all="ignore")  # an overflow is refused by name instead
def dot_product(a, b):
    """Compute the dot product of every vector of `a` with every vector of `b`.

    It is large where two vectors are long and point the same way, zero at a right angle and
    negative beyond it.

        S = a bᵀ,    S[i, j] = Σ_c a[i, c] · b[j, c]

    `a` is (…, n, d) and `b` is (…, m, d), one vector per row; S is (…, n, m). The dot
    product is the length of a times the signed length of b's projection onto it.

    Raises `ValueError` for vectors of different lengths, for one-dimensional or non-finite
    input, and where a product is too large for the number type.

    >>> dot_product([[2, 2]], [[0, 3], [4, 0]])
    array([[6., 8.]])
    """
    a, b = _pair(a, b)
    scores = a @ b.mT
    if not checks.is_finite(scores):
        raise ValueError(f"the dot products of a and b overflow {scores.dtype}")
    return scores


@np.errstate(all="ignore")  # 0/0 is meant: the angle of a zero vector is undefined
def cosine_similarity(a, b):
    """Compute the cosine of the angle between every vector of `a` and every vector of `b`.

    Lengths do not matter: 1 is the same direction, 0 a right angle, −1 the opposite direction.

        C[i, j] = a[i] · b[j] / (‖a[i]‖ ‖b[j]‖)

    `a` is (…, n, d) and `b` is (…, m, d); C is (…, n, m), within −1 … 1. A zero vector has
    no direction, so its cosines are NaN. Source: Manning et al. 2008, "Introduction to
    Information Retrieval", §6.3.1.

    Raises `ValueError` as `dot_product` does, but never for overflow: vectors may have any finite length.

    >>> cosine_similarity([[2, 2]], [[0, 3], [4, 0]]).round(4)
    array([[0.7071, 0.7071]])
    """
    a, b = _pair(a, b)
    return np.clip(unit(a) @ unit(b).mT, -1, 1)


@np.errstate(all="ignore")
def scaled_dot_product(a, b):
    """Compute the dot product divided by √d, where d is the number of components of the vectors.

        S = a bᵀ / √d

    With independent components of variance 1 the dot product has variance d; divided by √d
    its spread is the same for every d (Vaswani et al. 2017, §3.2.1). Shapes and errors are
    those of `dot_product`.

    >>> scaled_dot_product([[2, 2]], [[0, 3], [4, 0]]).round(4)
    array([[4.2426, 5.6569]])
    """
    scores = dot_product(a, b)
    return scores * np.shape(a)[-1] ** -0.5


def rank_correlation(a, b):
    """Compute Spearman's rank correlation of two rows of n numbers, from −1 to 1.

    The correlation of their ranks says whether the two rise together, no matter by how much. Equal numbers have
    the mean of their ranks; where all numbers of a row are equal it is NaN, undefined. Source: Spearman 1904.

    Raises `ValueError` for rows of different lengths and input that is not finite.

    >>> rank_correlation([1, 2, 3], [1, 4, 9])
    1.0
    """
    a, b = checks.real_array(a, "a").astype(float), checks.real_array(b, "b").astype(float)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"a and b must have the same shape (n,), got shapes {a.shape} and {b.shape}")
    if not a.size:
        return float("nan")
    a, b = (ranks - ranks.mean() for ranks in (_ranks(a), _ranks(b)))
    lengths = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / lengths if lengths else float("nan")


def _ranks(numbers):
    """The rank of each number, from 1; equal numbers have the mean of their ranks."""
    _, group, counts = np.unique(checks.finite(numbers, "numbers"), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[group]


def _pair(a, b):
    """Both as finite arrays of vectors that fit one another."""
    a, b = checks.vectors(a, "a"), checks.vectors(b, "b")
    checks.same_width(a, b, "a", "b")
    checks.leading_axes(a, b, "a", "b")
    return checks.finite(a, "a"), checks.finite(b, "b")


def unit(a):
    """Scale vectors (…, d) to length 1, a zero vector to NaN; 0/0 may warn.

    Dividing by the largest component first keeps its square in range.
    """
    a = a / np.abs(a).max(axis=-1, keepdims=True)
    return a / np.sqrt((a * a).sum(axis=-1, keepdims=True))
