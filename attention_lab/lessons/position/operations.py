"""Operations of Position: rotary positions, and how far rows change.

Each has its twin of the same name in ``operations.js`` beside it.
"""

import numpy as np

import attention_core
from attention_lab.calculation.table import operation

rotate_by_position = operation("vectors n 2d", "places n 20", gives="n 2d")(attention_core.rotate_by_position)


@operation("vectors n d", "vectors n d", gives="n")
def row_changes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference in each row."""
    return np.abs(np.subtract(a, b)).max(axis=1, initial=0)
