"""A calculation written as a Python function, recorded once, and then run by Python and by the browser.

    def attention(s):
        s.x = rows(s.vectors, s.ids)
        s.query, s.key = s.x @ s.W_query, s.x @ s.W_key
        s.trace = scaled_dot_product_attention(s.query, s.key, s.x, s.mask)

    ATTENTION = record(attention, FIELDS, given=["ids", "mask"])

`record` calls the function with stand-ins (`Value`) and keeps each operation as a step. From then on
``ATTENTION.trace.weights`` stands for the weights, whatever they are at the time: goals, guesses, pictures,
formulas and tables are made from such values. A name that nobody has given or calculated is a fault when the
lesson is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from faults import Fault, UnknownNameError, unknown

GIVEN_OR_CALCULATED = "among what is given or was calculated"
# Why only some things can be done with a value.
NOT_RECORDED = (
    "the browser knows only + − * / @ and the operations of controls/calculation/operations.py; another one is a "
    "function there with its twin in mathematics.js."
)
TAKEN = ("given", "go_on", "origins", "run", "steps", "then")  # by which a calculation itself is asked


class Name:
    """The name of what is given or of a step. A step has one of its own making until it is assigned."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Begin with that text."""
        self.text = text


class Value:
    """Stands for a number, an array or a record that is known only when the calculation runs.

    ``value[place]`` with whole numbers, or with values that are known then (``s.scores[s.word, s.other]``), and
    ``value.weights`` where it is a record, lead to a part of it. ``@ + - * /`` record a step; ``>=``, ``<=`` and
    `within` make a condition for a goal.
    """

    __slots__ = ("_element", "_name", "_record", "_steps")

    def __init__(
        self, name: Name, steps: tuple = (), record: type | None = None, element: type | None = None
    ) -> None:
        """Stand for what is found under the `name`, or behind it by these keys, places and values.

        `record` is its class, or `element` that of each of its parts.
        """
        self._name, self._steps, self._record, self._element = name, steps, record, element

    def __repr__(self) -> str:
        """As a lesson would write it: ``trace.weights[word]``."""
        shown = "".join(f".{step}" if isinstance(step, str) else f"[{step!r}]" for step in self._steps)
        return f"{self._name.text}{shown}"

    def __getattr__(self, name: str) -> Value:
        """A field of a record."""
        if name.startswith("__"):
            raise AttributeError(name)
        if self._record is None:
            raise UnknownNameError(f"{self!r} is no record and has no {name!r}.")
        if name not in (known := record_fields(self._record)):
            raise unknown(name, known, f"a field of {self!r}, of class {self._record.__name__}")
        return Value(self._name, (*self._steps, name))

    def __getitem__(self, places: Any) -> Value:
        """A part, by its place on each axis, or by its key."""
        places = places if isinstance(places, tuple) else (places,)
        for place in places:
            if not isinstance(place, (int, str, Value, np.integer)) or (isinstance(place, int) and place < 0):
                raise Fault(f"{self!r}[{place!r}]: a place is a number from 0 on, a key or a recorded value.")
        steps = tuple(int(p) if isinstance(p, np.integer) else p for p in places)
        return Value(self._name, (*self._steps, *steps), self._element if len(steps) == 1 else None)

    def __iter__(self) -> Iterator:
        """How long it is is not known while it is recorded."""
        raise Fault(
            f"{self!r} is known only when the calculation runs: its length cannot be used while recording."
        )

    def __bool__(self) -> bool:
        """Whether it is true is not known while it is recorded."""
        raise Fault(f"{self!r} is known only when the calculation runs: `if` cannot be asked while recording.")

    def __matmul__(self, other: Any) -> Value:
        """The matrix product."""
        return _named("product")(self, other)

    def __add__(self, other: Any) -> Value:
        """The sum, number by number."""
        return _named("sum")(self, other)

    def __sub__(self, other: Any) -> Value:
        """The difference, number by number."""
        return _named("difference")(self, other)

    def __mul__(self, other: Any) -> Value:
        """The multiple of each number."""
        return _named("multiple")(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Value:
        """The quotient of each number."""
        return _named("quotient")(self, other)

    def __pow__(self, other: Any) -> Value:
        """Powers are not recorded."""
        raise Fault(f"{self!r} ** {other!r}: {NOT_RECORDED}")

    def __array_ufunc__(self, function: Callable, *_: Any, **__: Any) -> Value:
        """Nor is what NumPy would make of it."""
        raise Fault(f"np.{function.__name__} of {self!r}: {NOT_RECORDED}")

    def __array_function__(self, function: Callable, *_: Any, **__: Any) -> Value:
        """Nor is what NumPy's other functions would."""
        raise Fault(f"np.{function.__name__} of {self!r}: {NOT_RECORDED}")

    def __ge__(self, target: Any):
        """The condition that it is at least so much."""
        return _condition(self, "at_least", target)

    def __le__(self, target: Any):
        """The condition that it is at most so much."""
        return _condition(self, "at_most", target)

    def within(self, tolerance: float, of: Any):
        """The condition that it differs from a number by no more than the `tolerance`."""
        return _condition(self, "within", of, tolerance)

    @property
    def at_start(self) -> Start:
        """What it was before anything was moved: ``value >= 2 * value.at_start``."""
        return Start(self)


def name_of(value: Value) -> str:
    """The one name of a value that is a whole setting or result, and no part of one."""
    if not isinstance(value, Value):
        raise Fault(f"{value!r} is not a recorded value, such as CALCULATION.word.")
    if value._steps:
        raise Fault(f"{value!r} is a part; here a whole setting or result is wanted, such as {value._name.text}.")
    return value._name.text


class Start:
    """So many times what a value was before anything was moved."""

    def __init__(self, value: Value, times: float = 1.0) -> None:
        """Stand for `times` that number."""
        self.value, self.times = value, times

    def __mul__(self, times: float) -> Start:
        """A multiple of it."""
        return Start(self.value, self.times * times)

    __rmul__ = __mul__


def record_fields(record: type) -> list[str]:
    """The names by which the parts of a record are known."""
    own = [name for name, member in vars(record).items() if isinstance(member, property)]
    return [*(field.name for field in fields_of(record)), *own]


def _condition(value: Value, relation: str, target: Any, tolerance: float = 0.0):
    from ..goals import Condition

    if isinstance(target, Start):
        if path_of(target.value) != path_of(value):
            raise Fault(f"{value!r} can be held against its own start, not against that of {target.value!r}")
        return Condition(value, relation, target.times, tolerance, relative=True)
    if isinstance(target, Value):
        raise Fault(f"{value!r} is held against {target!r}: calculate their difference, and hold that against 0.")
    return Condition(value, relation, float(target), tolerance)


def _named(operation: str) -> Callable[..., Value]:
    from .operations import OPERATIONS

    return OPERATIONS[operation]


# Recording ---------------------------------------------------------------------------------------------


class Recorder:
    """`s` in a calculation: what is given, and every step, named by assigning it."""

    def __init__(self, known: Mapping[str, Value]) -> None:
        """Begin with these names known."""
        self.__dict__.update(_known=dict(known), _steps=[])

    def __getattr__(self, name: str) -> Value:
        """What was given or calculated under that name."""
        if name not in self._known:
            raise unknown(name, self._known, GIVEN_OR_CALCULATED)
        return self._known[name]

    def __getitem__(self, name: str) -> Value:
        """The same by a name that is itself a text."""
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Give a step its name. A list of values is one value, whose parts are found by their number."""
        if isinstance(value, (list, tuple)):
            record = _record_of_all(value)
            value = _named("listed")(*value)
            value._element = record
        if not isinstance(value, Value):
            raise Fault(
                f"s.{name} = {value!r}: only what is calculated gets a name; give it, or use it as it is."
            )
        if name in self._known or name in TAKEN:
            raise Fault(f"s.{name} is there already: each step needs a name of its own.")
        if value._steps or not value._name.text.startswith("_"):
            value = _named("same")(value)
        value._name.text = name
        self._known[name] = value

    def record_step(self, operation: Any, arguments: tuple) -> Value:
        """Keep an operation on its arguments as a step."""
        for argument in arguments:
            if not isinstance(argument, (Value, int, float, str, bool, type(None))):
                kind = type(argument).__name__
                raise Fault(f"{operation.name}: {kind} cannot stand in a calculation; give it by a name.")
        name = Name(f"_{len(self._steps) + 1}")
        self._steps.append((name, operation.name, arguments))
        passed_on = {"same": arguments, "pick": arguments[1:]}.get(operation.name)
        return Value(name, (), operation.record if passed_on is None else _record_of_all(passed_on))


def _record_of_all(values: Iterable[Any]) -> type | None:
    """The class of the records that all these values stand for, if it is but one."""
    records = {value._record if isinstance(value, Value) else None for value in values}
    return records.pop() if len(records) == 1 else None


_recorders: list[Recorder] = []


def recorder() -> Recorder | None:
    """The one that records at the moment."""
    return _recorders[-1] if _recorders else None


@contextmanager
def _recording(now: Recorder) -> Iterator[None]:
    _recorders.append(now)
    try:
        yield
    finally:
        _recorders.pop()


class Calculation:
    """A recorded calculation: its steps, and by attribute the values that it is given and calculates."""

    def __init__(self, known: Mapping[str, Value], steps: tuple, given: frozenset[str], base: int = 0) -> None:
        """Keep what was recorded; the first `base` steps are those of another that it goes on from."""
        self.__dict__.update(_known=dict(known), steps=steps, given=given, _base=base)

    def __getattr__(self, name: str) -> Value:
        """What is given or calculated under that name."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._known:
            raise unknown(name, self._known, GIVEN_OR_CALCULATED)
        return self._known[name]

    def __getitem__(self, name: str) -> Value:
        """The same by a name that is itself a text."""
        return getattr(self, name)

    def run(self, *given: Mapping[str, Any]) -> Results:
        """All that follows from what is `given`: first the settings of a page, then what it adds to them."""
        results = Results(self, *given)
        self._run(results, self.steps)
        return results

    def go_on(self, results: Results) -> Results:
        """The same from the `results` of the calculation that this one goes on from: only its own steps run."""
        more = Results(self, results.settings, results.added)
        more.update(results)
        self._run(more, self.steps[self._base :])
        return more

    def origins(self, value: Value) -> frozenset[str]:
        """The names of all that is given and that a value is made of, by whatever steps."""
        return _made_of(value, self._origins)

    @cached_property
    def _origins(self) -> dict[tuple[str, ...], frozenset[str]]:
        """For every step, and for fields of its record, what is given that they are made of."""
        from .operations import OPERATIONS

        found: dict[tuple[str, ...], frozenset[str]] = {}
        for name, operation, arguments in self.steps:
            read = [_made_of(a, found) if isinstance(a, Value) else frozenset() for a in arguments]
            found[name.text,] = frozenset().union(*read)
            for field, places in OPERATIONS[operation].reads.items():
                found[name.text, field] = frozenset().union(*(read[k] for k in places if k < len(read)))
        return found

    @staticmethod
    def _run(results: Results, steps: Iterable[tuple]) -> None:
        from .operations import OPERATIONS

        for name, operation, arguments in steps:
            found = (results[a] if isinstance(a, Value) else a for a in arguments)
            results[name.text] = OPERATIONS[operation].function(*found)

    def then(self, function: Callable[[Recorder], None], given: Iterable[str] = (), **how: Any) -> Calculation:
        """A calculation that does all of this one and then the steps of `function`."""
        return _record(function, self, given, how)


def _made_of(value: Value, known: Mapping[tuple[str, ...], frozenset[str]]) -> frozenset[str]:
    """What is given that a value is made of, where it is `known` of steps and of fields of their records."""
    name, first = value._name.text, value._steps[0] if value._steps else None
    own = known.get((name, first)) if isinstance(first, str) else None
    if own is None:
        own = known.get((name,), frozenset([name]))
    places = (_made_of(step, known) for step in value._steps if isinstance(step, Value))
    return own.union(*places)


def record(
    function: Callable[..., None], fields: Iterable[Any] = (), given: Iterable[str] = (), **how: Any
) -> Calculation:
    """Record a calculation. It knows a page's `fields` and the further names that are `given`.

    `how` goes on to the function: what differs between the forms of one calculation.
    """
    names = [getattr(field, "name", field) for field in fields]
    begin = Calculation({name: Value(Name(name)) for name in names}, (), frozenset(names))
    return _record(function, begin, given, how)


def _record(
    function: Callable[..., None], base: Calculation, given: Iterable[str], how: Mapping[str, Any]
) -> Calculation:
    now = Recorder(base._known | {name: Value(Name(name)) for name in given})
    now._steps.extend(base.steps)
    with _recording(now):
        try:
            function(now, **how)
        except NameError as error:
            if error.name is None or isinstance(error, UnboundLocalError):
                raise
            from .operations import OPERATIONS

            among = "a name there, nor among the operations of controls/calculation/operations.py"
            raise unknown(error.name, OPERATIONS, among, error) from error
    return Calculation(now._known, tuple(now._steps), base.given | frozenset(given), len(base.steps))


# Running -----------------------------------------------------------------------------------------------


class Results(dict[str, Any]):
    """What a calculation was given and has made of it, by name: ``now.scores``, ``now["scores"]``.

    ``now[CALCULATION.trace.weights[0]]`` is what that value stands for. `settings` and `added` are what it was
    given: the page's settings, and what was added to them.
    """

    def __init__(self, calculation: Calculation, settings: Mapping[str, Any], *added: Mapping[str, Any]) -> None:
        """Begin with what is given."""
        super().__init__(settings)
        self.__dict__.update(calculation=calculation, settings=dict(settings), added={})
        for more in added:
            self.added.update(more)
        self.update(self.added)

    def __getattr__(self, name: str) -> Any:
        """What is given or was calculated under that name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, key: Any) -> Any:
        """What stands under a name, or what a recorded value stands for."""
        if isinstance(key, Value):
            return follow(self, key)
        return super().__getitem__(key)

    def __missing__(self, name: str) -> Any:
        """A name that was neither given nor calculated."""
        raise unknown(name, self, GIVEN_OR_CALCULATED)


def follow(scope: Mapping[str, Any], value: Value) -> Any:
    """What a value stands for, where these are the names that are known."""
    name = value._name.text
    if name not in scope:
        raise unknown(name, scope, GIVEN_OR_CALCULATED)
    found = scope[name]
    for step in value._steps:
        place = follow(scope, step) if isinstance(step, Value) else step
        found = getattr(found, place) if is_dataclass(found) else found[place]
    return found


# On the way to the browser -------------------------------------------------------------------------------


def path_of(value: Value) -> list:
    """A value's path as the browser reads it: a name, then keys and places; a list in it is such a path again."""
    return [value._name.text, *(path_of(step) if isinstance(step, Value) else step for step in value._steps)]


def steps_of(calculation: Calculation) -> list[tuple]:
    """A calculation's steps as the browser runs them: name, operation, arguments; a value is ``{"of": path}``."""
    return [
        (name.text, operation, [{"of": path_of(a)} if isinstance(a, Value) else {"is": a} for a in arguments])
        for name, operation, arguments in calculation.steps
    ]
