"""The operation of A real model: a score raised by hand.

Each has its twin of the same name in ``operations.js`` beside it.
"""

import numpy as np

from attention_lab.calculation.table import operation


@operation("scores n m", "place n", "place m", "number", gives="n m")
def raised_at(scores: np.ndarray, row_: int, column: int, by: float) -> np.ndarray:
    """The scores with so much added to one of them."""
    other = np.array(scores, dtype=float)
    other[row_, column] += by
    return other
