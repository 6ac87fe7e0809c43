"""Operations of Inside a modern language model. Their twins are in ``operations.js``."""

import numpy as np

from attention_lab.calculation.table import operation


@operation("row d", "number", gives="")
def count_at_least(numbers: np.ndarray, least: float) -> int:
    """How many numbers are as large, whatever their sign."""
    return int((np.abs(numbers) >= least).sum())
