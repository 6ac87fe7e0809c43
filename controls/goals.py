"""Goals and guesses: data with a condition that can be checked, never prose alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .calculation import find

AT_LEAST, AT_MOST, WITHIN = "at_least", "at_most", "within"


@dataclass(frozen=True)
class Condition:
    """The number at `path` is to be at least, at most or within `tolerance` of `target`.

    `path` leads into the page's calculation; ``"$word"`` in it stands for the word of interest. `relative`:
    the target is that many times what the number was before anything was moved.
    """

    path: tuple
    relation: str
    target: float
    tolerance: float = 0.0
    relative: bool = False

    def aim(self, start: float) -> float:
        """The number to reach, given what it was at the start."""
        if self.relative and start == 0:
            return math.nan  # no multiple of nothing can be reached
        return self.target * start if self.relative else self.target

    def facing(self, start: float) -> str:
        """The relation, turned round where a multiple of a negative number is meant: twice −3, or less."""
        turned = {AT_LEAST: AT_MOST, AT_MOST: AT_LEAST} if self.relative and start < 0 else {}
        return turned.get(self.relation, self.relation)

    def met(self, scope: Mapping[str, Any], start: float) -> bool:
        """Whether it holds now. A number that is undefined fulfils nothing."""
        value, aim = find(scope, self.path), self.aim(start)
        if not (math.isfinite(value) and math.isfinite(aim)):
            return False
        return {
            AT_LEAST: value >= aim,
            AT_MOST: value <= aim,
            WITHIN: abs(value - aim) <= self.tolerance,
        }[self.facing(start)]


@dataclass(frozen=True)
class Goal:
    """Something to reach by moving things: conditions that hold together. `name` finds its sentence."""

    name: str
    conditions: tuple[Condition, ...]

    def met(self, scope: Mapping[str, Any], start: Mapping[str, Any]) -> bool:
        """Whether all its conditions hold in `scope`; `start` is the scope before anything was moved."""
        return all(c.met(scope, find(start, c.path)) for c in self.conditions)


@dataclass(frozen=True)
class Guess:
    """A question to answer before the result is shown: which word has the largest (or least) of `path`.

    `path` leads to a row of numbers, one a word; the word of interest itself is no answer. `among` names other
    words that the numbers belong to: those of a second sentence.
    """

    name: str
    path: tuple
    least: bool = False
    among: str = "words"

    def answer(self, scope: Mapping[str, Any], options: Sequence[int], said: int | None = None) -> int | None:
        """The right one of `options` (places of words), None where every number is undefined.

        Where several are equally right, what the reader `said` is, if it is one of them.
        """
        row = find(scope, self.path)
        known = [place for place in options if math.isfinite(row[place])]
        if not known:
            return None
        best = (min if self.least else max)(known, key=lambda place: row[place])
        return said if said in known and math.isclose(row[said], row[best], abs_tol=1e-12) else best


@dataclass(frozen=True)
class Estimate:
    """A question with a few answers in words; right is the first whose condition holds.

    Their words are found as ``predict/<name>/<answer>``.
    """

    name: str
    answers: tuple[tuple[str, Condition], ...]

    def answer(self, scope: Mapping[str, Any], options: Sequence[int], said: int | None = None) -> int | None:
        """The place of the right answer, None where no condition holds: then something is undefined."""
        return next((place for place in options if self.answers[place][1].met(scope, 0.0)), None)
