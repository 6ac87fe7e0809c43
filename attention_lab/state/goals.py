"""Goals and guesses: data with a condition that can be checked, never prose alone."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attention_lab import faults
from attention_lab.calculation import Condition, Expression, Results
from attention_lab.text.number_format import format_number, format_share

SentenceValue = Expression | tuple[Expression, str]  # a placeholder's value: a number or a name, perhaps its form


class Goal:
    """Something to reach by moving things: conditions that hold together. `name` finds its sentences.

    One says what to do, ``goals/<name>``, another why it came about once it is met, ``why/<name>``. Where it can
    come about in several ways, each has a sentence of its own, ``why/<name>/<case>``: that of the first of the
    `cases` that holds is said, and else the plain one.

    Two more are optional: ``hints/<name>`` helps after two moves that bring the goal no nearer, ``unmet/<name>``
    says what to do while its first condition does not hold.
    """

    def __init__(
        self,
        name: str,
        *conditions: Condition,
        names: Mapping[str, SentenceValue] | None = None,
        written: bool = False,
        needs_python: bool = False,
        **cases: Condition,
    ) -> None:
        """Take a goal's name, its conditions, the values of the `names` in its sentences, and its cases.

        One that is `written` is reached by the words themselves. One that `needs_python` can't be reached by what
        the browser calculates from what a hand moves; a page that stands alone says so.
        """
        self.name, self.conditions, self.names, self.cases = name, conditions, dict(names or {}), cases
        self.written, self.needs_python = written, needs_python or written
        self.place = faults.place_in_code()  # where its name stands, should nobody know it

    def met(self, now: Results, start: Results) -> bool:
        """Whether all its conditions hold in `now`; `start` is what was before anything was moved."""
        return all(c.met(now, start[c.value]) for c in self.conditions)

    def to_reach(self, start: Results) -> bool:
        """Whether there is something to reach: it does not hold at the `start`, and all its aims are numbers."""
        aims = (c.aim(start[c.value]) for c in self.conditions)
        return all(map(math.isfinite, aims)) and (self.written or not self.met(start, start))

    def why(self, now: Results) -> str:
        """The name of the sentence that says why it came about."""
        case = next((name for name, condition in self.cases.items() if condition.met(now, 0.0)), None)
        return f"why/{self.name}/{case}" if case else f"why/{self.name}"


@dataclass(frozen=True)
class ArgmaxQuestion:
    """A question to answer before the result is shown: which word has the largest (or least) of a `row`.

    The row has a number for each word; the word of interest itself is no answer. `among` are other words that
    the numbers belong to: those of a second sentence. The numbers are written as `shares` of all, or as they are.
    """

    name: str
    row: Expression
    least: bool = False
    among: Expression | None = None
    shares: bool = False

    def tell(self, now: Mapping[str, Any], place: int) -> str:
        """The number of a word, as it is written."""
        return (format_share if self.shares else format_number)(float(now[self.row][place]))

    def answer(self, now: Mapping[str, Any], options: Sequence[int], said: int | None = None) -> int | None:
        """The right one of `options` (places of words), None where every number is undefined.

        Where several are equally right, what the reader `said` is, if it is one of them.
        """
        row = now[self.row]
        known = [place for place in options if math.isfinite(row[place])]
        if not known:
            return None
        best = (min if self.least else max)(known, key=lambda place: row[place])
        return said if said in known and math.isclose(row[said], row[best], abs_tol=1e-12) else best


class ChoiceQuestion:
    """A question with a few answers in words; right is the first whose condition holds.

    Their words are found as ``predict/<name>/<answer>``.
    """

    def __init__(self, name: str, **answers: Condition) -> None:
        self.name, self.answers = name, tuple(answers.items())

    def answer(self, now: Results, options: Sequence[int], said: int | None = None) -> int | None:
        """The place of the right answer, None where no condition holds: then something is undefined."""
        return next((place for place in options if self.answers[place][1].met(now, 0.0)), None)
