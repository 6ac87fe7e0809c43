"""A page's calculation as data: steps of (name, function, arguments).

Python runs them here with `attention_core`; the browser runs the very same steps at every frame while a hand
moves something. So what a page computes is written once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

import attention_core

Step = tuple[str, str, tuple]


def rows(matrix: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """The rows of a matrix at these places: the look-up of a sentence's words in the table of vectors."""
    return np.take(matrix, np.asarray(places, dtype=int), axis=0)


def lengths(vectors: np.ndarray) -> np.ndarray:
    """How long each row is."""
    return np.linalg.norm(vectors, axis=-1)


def ratio(a: float, b: float) -> float:
    """How many times `b` goes into `a`; undefined where `b` is 0."""
    return float(a) / float(b) if b else np.nan


def relative_difference(a: float, b: float) -> float:
    """By which part of `b` the two differ."""
    return abs(ratio(a, b) - 1)


def row(matrix: np.ndarray, place: int) -> np.ndarray:
    """One row, as a matrix of its own."""
    return matrix[[place]]


def pick(place: int, *among: Any) -> Any:
    """One of several, by its number."""
    return among[place]


def first_given(*among: np.ndarray) -> np.ndarray:
    """The first that has any rows."""
    return next((matrix for matrix in among if len(matrix)), among[-1])


def without_undefined(scores: np.ndarray) -> np.ndarray:
    """Scores in which whatever is undefined is left out: −inf, as a mask would have it."""
    return np.where(np.isnan(scores), -np.inf, scores)


def without_zeros(scores: np.ndarray) -> np.ndarray:
    """Scores in which zeros (to rounding) and whatever is undefined are left out."""
    return np.where(np.abs(scores) > 1e-12, scores, -np.inf)


def counted_rows(matrix: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The rows whose score is not left out."""
    return matrix[scores[0] > -np.inf]


def most_bits(scores: np.ndarray) -> np.ndarray:
    """The most that the entropy of their shares can be: log₂ of how many are not left out."""
    return np.log2(np.maximum((scores > -np.inf).sum(axis=-1), 1))


def log_sum_exp(scores: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of the exponentials, in range for any scores."""
    largest = scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore"):  # nothing to add up: log 0 = −inf is meant
        return np.log(np.exp(scores - shift).sum(axis=-1)) + shift[..., 0]


def largest_but(matrix: np.ndarray, place: int) -> float:
    """The largest number of the first row, the one at `place` left aside; 0 where there is no other."""
    return np.delete(matrix[0], place).max(initial=0)


def farthest(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference between two matrices, number by number."""
    return np.abs(np.subtract(a, b)).max(initial=0)


def is_open(cells: np.ndarray) -> np.ndarray:
    """A mask from a grid of zeros and ones."""
    return np.asarray(cells) > 0.5


def where_open(numbers: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The numbers where the mask is open, zero where it is closed."""
    return np.where(mask, numbers, 0.0)


def row_sums(matrix: np.ndarray) -> np.ndarray:
    """The sum of each row; of a mask, how many cells are open."""
    return np.asarray(matrix).sum(axis=1)


def exchange(matrix: np.ndarray, place: int, by: np.ndarray) -> np.ndarray:
    """The matrix with the one row of `by` at `place`."""
    other = np.array(matrix)
    other[place] = by[0]
    return other


def but_last(rows_: np.ndarray) -> np.ndarray:
    """All but the last row."""
    return rows_[:-1]


def row_changes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference in each row."""
    return np.abs(np.subtract(a, b)).max(axis=1, initial=0)


def by_size(numbers: Sequence[float]) -> np.ndarray:
    """The places of the numbers, the smallest first, equals in their order. Of an order: who stands where."""
    return np.argsort(numbers, kind="stable")


def smallest(numbers: np.ndarray) -> float:
    """The smallest; ∞ where there is none."""
    return np.min(np.asarray(numbers, dtype=float), initial=np.inf)


def count_unlike(a: np.ndarray, b: np.ndarray) -> int:
    """In how many cells two grids differ."""
    return int(np.not_equal(a, b).sum())


def left_to_close(mask: np.ndarray) -> int:
    """How many cells must still be closed until some word sees itself alone; n where its own cell is closed."""
    return min(int(line.sum()) - 1 if line[i] else len(line) for i, line in enumerate(mask))


def largest_places(matrix: np.ndarray) -> np.ndarray:
    """Where the largest number of each row stands; of several, the first."""
    return np.argmax(matrix, axis=1)


def crossings(places: Sequence[float]) -> int:
    """How many pairs stand the other way round: links from 0, 1, 2 … to these places that cross each other."""
    return sum(a > b for k, a in enumerate(places) for b in places[k + 1 :])


def closed_at(mask: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """For each row of a mask, 1 where its cell at that place is closed."""
    return np.array([float(not line[place]) for line, place in zip(mask, places, strict=True)])


def unless_zero(size: int) -> int | None:
    """A size, or None for one of 0: then another stands in for it."""
    return size or None


def dividing(whole: int, groups: int) -> int | None:
    """`groups` where they divide `whole` evenly, else None."""
    return groups if groups and whole % groups == 0 else None


def left_over(whole: int, by: int) -> int:
    """What a division leaves over; by 0, nothing."""
    return whole % by if by else 0


def gathered(*numbers: float) -> list[list[float]]:
    """Numbers in one row."""
    return [list(numbers)]


def side_by_side(*matrices: np.ndarray) -> np.ndarray:
    """Matrices with the same rows as one, the columns of the first in front."""
    return np.concatenate(matrices, axis=1)


ARRAYS = {
    "side_by_side": side_by_side,
    "unless_zero": unless_zero,
    "dividing": dividing,
    "left_over": left_over,
    "gathered": gathered,
    "transposed": np.transpose,
    "largest_places": largest_places,
    "crossings": crossings,
    "closed_at": closed_at,
    "is_open": is_open,
    "where_open": where_open,
    "row_sums": row_sums,
    "exchange": exchange,
    "but_last": but_last,
    "row_changes": row_changes,
    "smallest": smallest,
    "by_size": by_size,
    "multiple": np.multiply,
    "count_unlike": count_unlike,
    "left_to_close": left_to_close,
    "product": np.matmul,
    "rows": rows,
    "sum": np.add,
    "ratio": ratio,
    "relative_difference": relative_difference,
    "row": row,
    "pick": pick,
    "first_given": first_given,
    "quotient": np.divide,
    "without_undefined": without_undefined,
    "without_zeros": without_zeros,
    "counted_rows": counted_rows,
    "most_bits": most_bits,
    "log_sum_exp": log_sum_exp,
    "largest_but": largest_but,
    "farthest": farthest,
    "difference": np.subtract,
    "lengths": lengths,
    "largest": np.max,
}


def find(scope: Mapping[str, Any], path: Any) -> Any:
    """The value at a path: ``"dot"``, or ``("dot", "$word", 0)``, where ``$word`` is the value of *word*."""
    if isinstance(path, str):
        return scope.get(path)
    value: Any = scope
    for step in path:
        place = scope[step[1:]] if isinstance(step, str) and step.startswith("$") else step
        value = getattr(value, place) if is_dataclass(value) else value[place]
    return value


def calculate(steps: Sequence[Step], given: Mapping[str, Any]) -> dict[str, Any]:
    """All that follows from `given`: each step's result under its name, beside what was given."""
    scope = dict(given)
    for name, function, arguments in steps:
        operation = ARRAYS.get(function) or getattr(attention_core, function)
        scope[name] = operation(*(find(scope, argument) for argument in arguments))
    return scope
