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


ARRAYS = {
    "product": np.matmul,
    "rows": rows,
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
