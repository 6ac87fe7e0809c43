"""Operations of Inside a modern language model. Their twins are in ``operations.js``."""

import numpy as np

from attention_lab.calculation.table import operation


@operation("row d", "number", gives="")
def count_at_least(numbers: np.ndarray, least: float) -> int:
    """How many numbers are as large, whatever their sign."""
    return int((np.abs(numbers) >= least).sum())


@operation("row d", gives="any")
def triangle(numbers: np.ndarray) -> np.ndarray:
    """The square matrix whose lower triangle these numbers fill row by row; a row begun in vain is left out."""
    n = int((np.sqrt(8 * len(numbers) + 1) - 1) / 2)
    result = np.zeros((n, n))
    result[np.tril_indices(n)] = np.asarray(numbers)[: n * (n + 1) // 2]
    return result
