"""Operations of Masking: masks drawn by hand, and what they close.

Each has its twin of the same name in ``operations.js`` beside it.
"""

import numpy as np

import attention_core
from attention_lab.calculation.table import operation

padding_mask = operation("mask n", gives="n n")(attention_core.padding_mask)


@operation("vectors n d", gives="any")
def but_last(rows_: np.ndarray) -> np.ndarray:
    """All but the last row."""
    return rows_[:-1]


@operation("grid n m", gives="n m")
def is_open(cells: np.ndarray) -> np.ndarray:
    """A mask from a grid of zeros and ones."""
    return np.asarray(cells) > 0.5


@operation("mask n m", "mask n m", gives="n m")
def both_open(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cells that two masks leave open."""
    return np.logical_and(a, b)


@operation("weights n m", "mask n m", gives="n m")
def where_open(numbers: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The numbers where the mask is open, zero where it is closed."""
    return np.where(mask, numbers, 0.0)


@operation("mask n n", gives="")
def left_to_close(mask: np.ndarray) -> int:
    """How many cells must still be closed until some word but the first sees itself alone.

    n for a word whose own cell is closed, and where there is no other word.
    """
    rest = [int(line.sum()) - 1 if line[i] else len(line) for i, line in enumerate(mask)][1:]
    return min(rest, default=len(mask))
