"""Expressions: values of a calculation that are known only when it runs.

While a calculation is recorded (see `recording`), an operation on an `Expression` becomes a step of the
`Recorder`, and a comparison a `Condition`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from dataclasses import fields as fields_of
from typing import Any

import numpy as np

from attention_lab.faults import AuthoringError, UnknownNameError, unknown

INPUTS_AND_VALUES = "among the inputs and calculated values"
# Why only some things can be done with a value.
NOT_RECORDED = (
    "the browser knows only + − * / @ and the operations of attention_lab/calculation/operations.py; "
    "another one is a function there with its twin in mathematics.js."
)


class Name:
    """The name of an input or of a step. A step has a generated one until it is assigned."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Expression:
    """Stands for a number, an array or a record that is known only when the calculation runs.

    ``value[place]`` with whole numbers, or with values that are known then (``s.scores[s.word, s.other]``), and
    ``value.weights`` where it is a record, lead to a part of it. ``@ + - * /`` record a step; ``>=``, ``<=`` and
    `within` make a condition for a goal.
    """

    __slots__ = ("_element", "_name", "_record", "_steps")

    def __init__(self, name: Name, steps: tuple = (), record: type | None = None) -> None:
        """Stand for what is found under the `name`, or behind it by these keys, places and values: a `record`."""
        self._name, self._steps, self._record = name, steps, record
        self._element: type | None = None  # the class of each of its parts

    def __repr__(self) -> str:
        """As a lesson would write it: ``trace.weights[word]``."""
        shown = "".join(f".{step}" if isinstance(step, str) else f"[{step!r}]" for step in self._steps)
        return f"{self._name.text}{shown}"

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._record is None:
            raise UnknownNameError(f"{self!r} is no record and has no {name!r}.")
        if name not in (known := record_fields(self._record)):
            raise unknown(name, known, f"a field of {self!r}, of class {self._record.__name__}")
        return Expression(self._name, (*self._steps, name))

    def __getitem__(self, places: Any) -> Expression:
        """A part, by its place on each axis, or by its key."""
        places = places if isinstance(places, tuple) else (places,)
        for place in places:
            if not isinstance(place, (int, str, Expression, np.integer)) or (
                isinstance(place, int) and place < 0
            ):
                raise AuthoringError(
                    f"{self!r}[{place!r}]: a place is a number from 0 on, a key or a recorded value."
                )
        steps = tuple(int(p) if isinstance(p, np.integer) else p for p in places)
        return Expression(self._name, (*self._steps, *steps), self._element if len(steps) == 1 else None)

    def __iter__(self) -> Iterator:
        raise AuthoringError(
            f"{self!r} is known only when the calculation runs: its length cannot be used while recording."
        )

    def __bool__(self) -> bool:
        raise AuthoringError(
            f"{self!r} is known only when the calculation runs: `if` cannot be asked while recording."
        )

    def __matmul__(self, other: Any) -> Expression:
        return _step("matmul", self, other)

    def __add__(self, other: Any) -> Expression:
        return _step("add", self, other)

    def __sub__(self, other: Any) -> Expression:
        return _step("subtract", self, other)

    def __mul__(self, other: Any) -> Expression:
        return _step("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Expression:
        return _step("divide", self, other)

    def __pow__(self, other: Any) -> Expression:
        raise AuthoringError(f"{self!r} ** {other!r}: {NOT_RECORDED}")

    def __array_ufunc__(self, function: Callable, *_: Any, **__: Any) -> Expression:
        raise AuthoringError(f"np.{function.__name__} of {self!r}: {NOT_RECORDED}")

    __array_function__ = __array_ufunc__

    def __ge__(self, target: Any):
        return _condition(self, "at_least", target)

    def __le__(self, target: Any):
        return _condition(self, "at_most", target)

    def __gt__(self, target: Any):
        """Refuse it: a goal that is met at its number can be seen to be met."""
        raise AuthoringError(f"{self!r} > {target!r}: a goal says >= or <=, or within(tolerance, of=number).")

    __lt__ = __gt__

    def within(self, tolerance: float, of: Any):
        """The condition that it differs from a number by no more than the `tolerance`."""
        return _condition(self, "within", of, tolerance)

    @property
    def at_start(self) -> Start:
        """What it was before anything was moved: ``value >= 2 * value.at_start``."""
        return Start(self)


def name_of(value: Expression) -> str:
    """The one name of a value that is a whole setting or result, and no part of one."""
    if not isinstance(value, Expression):
        raise AuthoringError(f"{value!r} is not a recorded value, such as CALCULATION.word.")
    if value._steps:
        raise AuthoringError(
            f"{value!r} is a part; here a whole setting or result is wanted, such as {value._name.text}."
        )
    return value._name.text


class Start:
    """So many times what a value was before anything was moved."""

    def __init__(self, value: Expression, times: float = 1.0) -> None:
        self.value, self.times = value, times

    def __mul__(self, times: float) -> Start:
        return Start(self.value, self.times * times)

    __rmul__ = __mul__


def record_fields(record: type) -> list[str]:
    """The names by which the parts of a record are known."""
    own = [name for name, member in vars(record).items() if isinstance(member, property)]
    return [*(field.name for field in fields_of(record)), *own]


def _condition(value: Expression, relation: str, target: Any, tolerance: float = 0.0):
    if isinstance(target, Start):
        if path_of(target.value) != path_of(value):
            raise AuthoringError(
                f"{value!r} can be held against its own start, not against that of {target.value!r}"
            )
        return Condition(value, relation, target.times, tolerance, relative=True)
    if isinstance(target, Expression):
        raise AuthoringError(
            f"{value!r} is held against {target!r}: calculate their difference, and hold that against 0."
        )
    return Condition(value, relation, float(target), tolerance)


def path_of(value: Expression) -> list:
    """A value's path as the browser reads it: a name, then keys and places; a list in it is such a path again."""
    return [value._name.text, *(path_of(step) if isinstance(step, Expression) else step for step in value._steps)]


def follow(scope: Mapping[str, Any], value: Expression) -> Any:
    """What a value stands for, where these are the names that are known."""
    name = value._name.text
    if name not in scope:
        raise unknown(name, scope, INPUTS_AND_VALUES)
    result = scope[name]
    for step in value._steps:
        place = follow(scope, step) if isinstance(step, Expression) else step
        is_of_record = isinstance(place, str) and not isinstance(result, (dict, Mapping))
        result = getattr(result, place) if is_of_record else result[place]
    return result


# Conditions ----------------------------------------------------------------------------------------------------

AT_LEAST, AT_MOST, WITHIN = "at_least", "at_most", "within"


@dataclass(frozen=True)
class Condition:
    """A number of the calculation is to be at least, at most or within `tolerance` of `target`.

    It is written as a comparison, ``s.weights[s.word, s.other] >= 0.8``, or ``value.within(0.02, of=0)``.
    `relative`: the target is that many times what the number was before anything was moved.
    """

    value: Expression
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

    def met(self, now: Mapping[Any, Any], start: float) -> bool:
        """Whether it holds now. A number that is undefined fulfils nothing."""
        number, aim = now[self.value], self.aim(start)
        if not (math.isfinite(number) and math.isfinite(aim)):
            return False
        return {
            AT_LEAST: number >= aim,
            AT_MOST: number <= aim,
            WITHIN: abs(number - aim) <= self.tolerance,
        }[self.facing(start)]

    def to_payload(self, start: float = 0.0) -> dict[str, Any]:
        """The condition as the browser checks it, given what its number was at the start."""
        aim = self.aim(start)
        return {
            "path": self.value,
            "relation": self.facing(start),
            "target": aim if math.isfinite(aim) else None,
            "tolerance": self.tolerance,
            "start": start if math.isfinite(start) else None,
        }


# Recording ----------------------------------------------------------------------------------------------------


class Known:
    """The inputs and steps of a calculation, each by attribute or, as ``s["scores"]``, by its name."""

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._known:
            raise unknown(name, self._known, INPUTS_AND_VALUES)
        return self._known[name]

    def __getitem__(self, name: str) -> Expression:
        return getattr(self, name)


class Recorder(Known):
    """`s` in a calculation: the inputs, and every step, named by assigning it."""

    def __init__(
        self,
        known: Mapping[str, Expression],
        operations: Mapping[str, Callable[..., Expression]],
        taken: Set[str] = frozenset(),
    ) -> None:
        """Begin with these names known, the operations that can become steps, and names that are `taken`."""
        self.__dict__.update(_known=dict(known), _steps=[], _operations=operations, _taken=taken)

    def __setattr__(self, name: str, value: Any) -> None:
        """Give a step its name. A list of values is one value, whose parts are found by their number."""
        if isinstance(value, (list, tuple)):
            record = _record_of_all(value)
            value = self._operations["listed"](*value)
            value._element = record
        if not isinstance(value, Expression):
            raise AuthoringError(
                f"s.{name} = {value!r}: only what is calculated gets a name; give it, or use it as it is."
            )
        if name in self._taken:
            raise taken(name)
        if name in self._known:
            raise AuthoringError(f"s.{name} is there already: each step needs a name of its own.")
        if value._steps or not value._name.text.startswith("_"):
            value = self._operations["same"](value)
        value._name.text = name
        self._known[name] = value

    def record_step(self, operation: Any, arguments: tuple) -> Expression:
        """Keep an operation on its arguments as a step."""
        for argument in arguments:
            if not isinstance(argument, (Expression, int, float, str, bool, type(None))):
                kind = type(argument).__name__
                raise AuthoringError(
                    f"{operation.name}: {kind} cannot stand in a calculation; give it by a name."
                )
        name = Name(f"_{len(self._steps) + 1}")
        self._steps.append((name, operation.name, arguments))
        passed_on = {"same": arguments, "pick": arguments[1:]}.get(operation.name)
        return Expression(name, (), operation.record if passed_on is None else _record_of_all(passed_on))


def taken(name: str) -> AuthoringError:
    """The fault of an input or a step that is called as something of the calculation's own is."""
    return AuthoringError(f"s.{name}: a calculation has that name itself; give the value another one.")


def _record_of_all(values: Iterable[Any]) -> type | None:
    """The class of the records that all these values stand for, if it is but one."""
    records = {value._record if isinstance(value, Expression) else None for value in values}
    return records.pop() if len(records) == 1 else None


# Two visitors may import two lessons at the same time, each in a thread, and so in a context, of its own.
_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


def recorder() -> Recorder | None:
    """The one that records at the moment."""
    return _recorder.get()


@contextmanager
def recording_with(now: Recorder) -> Iterator[None]:
    """While inside, operations on values become steps of this one."""
    outer = _recorder.set(now)
    try:
        yield
    finally:
        _recorder.reset(outer)


def outside(operation: str) -> AuthoringError:
    """What is wrong where an operation on recorded values is no step of anything."""
    return AuthoringError(
        f"{operation} is used on recorded values outside of a calculation: make it a step there."
    )


def _step(operation: str, *arguments: Any) -> Expression:
    now = recorder()
    if now is None:
        raise outside(operation)
    return now._operations[operation](*arguments)
