"""Operations of Softmax: scores that are left out, and the bounds of the entropy.

Each has its twin of the same name in ``operations.js`` beside it.
"""

import numpy as np

from attention_lab.calculation.table import operation


@operation("vectors m d", "scores 1 m", gives="any")
def counted_rows(matrix: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The rows whose score is not left out."""
    return matrix[scores[0] > -np.inf]


@operation("scores n m", gives="n")
def log_sum_exp(scores: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of the exponentials, in range for any scores."""
    most = scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):  # nothing to add up: log 0 = −inf is meant
        return np.log(np.exp(scores - shift).sum(axis=-1)) + shift[..., 0]


@operation("scores n m", gives="n")
def most_bits(scores: np.ndarray) -> np.ndarray:
    """The most that the entropy of their shares can be: log₂ of how many are not left out."""
    return np.log2(np.maximum((scores > -np.inf).sum(axis=-1), 1))


@operation("gaps n m", gives="n m")
def without_undefined(scores: np.ndarray) -> np.ndarray:
    """Scores in which whatever is undefined is left out: −inf, as a mask would have it."""
    return np.where(np.isnan(scores), -np.inf, scores)


@operation("gaps n m", gives="n m")
def without_zeros(scores: np.ndarray) -> np.ndarray:
    """Scores in which zeros (to rounding) and whatever is undefined are left out."""
    return np.where(np.abs(scores) > 1e-12, scores, -np.inf)
