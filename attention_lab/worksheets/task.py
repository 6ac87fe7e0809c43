"""What a worksheet holds, and how its numbers are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

TWO_PLACES = 0.005 + 1e-9  # what rounding to two places may take
WHOLE = 1e-6
MOST_TRIES = 10_000


@dataclass(frozen=True)
class Task:
    """One question with one answer: some numbers, or one of several words."""

    name: str  #: by which its sentence is found
    givens: Mapping[str, Any]  #: what only it needs; numbers, words, vectors and matrices as tuples
    answer: tuple[float, ...] | str  #: the numbers in their order, or the word
    tolerance: float = WHOLE  #: how far each number may be off
    places: int | None = None  #: to how many places it is asked; None: exactly
    options: tuple[str, ...] = ()  #: the words to choose among, where the answer is one
    slips: Mapping[str, tuple[float, ...] | str] = field(default_factory=lambda: MappingProxyType({}))
    #: what comes out where something was overlooked, by the name of that


@dataclass(frozen=True)
class Worksheet:
    """Tasks that share their data."""

    topic: str
    seed: int
    givens: Mapping[str, Any]  #: what all of them are about
    tasks: tuple[Task, ...]


def numbers(array):
    """Numbers as a task keeps them: a tuple of floats, no negative zero, and no rests of rounding."""
    flat = np.asarray(array, dtype=float).ravel()
    return tuple(float(round(number, 12)) + 0.0 for number in flat)


def exact(name, answer, slips=None, **givens):
    """A task whose answer is exact: whole numbers, halves, quarters."""
    return _task(name, answer, WHOLE, None, slips, givens)


def rounded(name, answer, slips=None, *, tolerance=TWO_PLACES, places=2, **givens):
    """A task whose answer is asked to two places (or so many)."""
    return _task(name, answer, tolerance, places, slips, givens)


def chosen(name, answer, options, slips=None, **givens):
    """A task whose answer is one of several words."""
    return Task(name, givens, answer, options=tuple(options), slips=slips or {})


def _task(name, answer, tolerance, places, slips, givens):
    right = numbers(answer)
    wrong = {slip: numbers(result) for slip, result in (slips or {}).items()}
    distinct = {slip: result for slip, result in wrong.items() if not near(result, right, 4 * tolerance)}
    return Task(name, givens, right, tolerance, places, slips=MappingProxyType(distinct))


def near(a, b, tolerance):
    """Whether two rows of numbers are as many, and each as large."""
    return len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b, strict=True))


def vector(random, size=2, low=-3, high=4):
    """A vector of small whole numbers, not zero."""
    return until(lambda: tuple(random.randint(low, high) for _ in range(size)), any)


def matrix(random, low=-2, high=3):
    """A matrix of small whole numbers whose columns differ, and that no transposing leaves as it is."""

    def fits(rows):
        (a, b), (c, d) = rows
        return a * d != b * c and b != c

    return until(lambda: (vector(random, 2, low, high), vector(random, 2, low, high)), fits)


def query_and_keys(random, count, spread):
    """A query and so many keys, (4,) each, with even scores, all unlike, no farther apart than `spread`."""

    def draw():
        return vector(random, 4, -2, 2), tuple(vector(random, 4, -2, 2) for _ in range(count))

    def fits(data):
        query, key = data
        scores = np.array(key) @ query
        return np.all(scores % 2 == 0) and differ(scores, 2) and np.ptp(scores) <= spread

    return until(draw, fits)


def until(make, fits):
    """Call `make` until its result fits, and return it."""
    for _ in range(MOST_TRIES):
        if fits(candidate := make()):
            return candidate
    raise RuntimeError("nothing fits")


def differ(array, by=0.5):
    """Whether no two of the numbers are nearer than that: nothing is tied where an order is asked."""
    ordered = np.sort(np.asarray(array, dtype=float).ravel())
    return bool(np.all(np.diff(ordered) >= by))


def named(words, vectors):
    """Words with their vectors, as a sheet tells them."""
    return dict(zip(words, vectors, strict=True))
