"""Operations of Train a head: the parameters at one step, and words moved by hand.

Each has its twin of the same name in ``operations.js`` beside it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from attention_lab.calculation.table import operation


@operation("rising d", "number", gives="")
def last_at_most(numbers: Sequence[float], limit: float) -> int:
    """The place of the last of some rising numbers that is not above the limit; of the first, where all are."""
    return max(int(np.searchsorted(numbers, limit, side="right")) - 1, 0)


@operation("moments", "place 2", gives="any")
def each_at(arrays: Mapping[str, np.ndarray], place: int) -> dict[str, np.ndarray]:
    """Of each array of a record what stands at one place: all parameters at one moment of their training."""
    return {name: array[place] for name, array in arrays.items()}


@operation("vectors n 2", "moves m n", "step", gives="n 2")
def moved_at(places: np.ndarray, moves: np.ndarray, step: float) -> np.ndarray:
    """Places on a plane after what a hand did at that step: moves are rows of step, row, right and up."""
    moved = np.array(places, dtype=float)
    for at, row, right, up in moves:
        if at == step and row < len(moved):
            moved[int(row), :2] += right, up
    return moved


@operation("vectors n d", "vectors n 2", "vectors n 2", "vectors d 2", gives="n d")
def lifted(vectors: np.ndarray, before: np.ndarray, after: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Vectors, moved as their places on two axes were: what the axes do not show stays."""
    return vectors + np.subtract(after, before) @ np.transpose(axes)
