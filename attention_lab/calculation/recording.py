"""A calculation written as a Python function, recorded once, and then run by Python and by the browser.

    def attention(s):
        s.x = rows(s.vectors, s.ids)
        s.query, s.key = s.x @ s.W_query, s.x @ s.W_key
        s.trace = scaled_dot_product_attention(s.query, s.key, s.x, s.mask)

    ATTENTION = record(attention, FIELDS, given=["ids", "mask"])

`record` calls the function with stand-ins (`Expression`) and keeps each operation as a step. From then on
``ATTENTION.trace.weights`` stands for the weights, whatever they are at the time: goals, guesses, pictures,
formulas and tables are made from such values. A name that is neither an input nor calculated is a fault when the
lesson is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from attention_lab.faults import StepError, unknown

from .expressions import (
    INPUTS_AND_VALUES,
    Expression,
    Known,
    Name,
    Recorder,
    follow,
    path_of,
    recording_with,
    taken,
)
from .table import OPERATIONS


class Calculation(Known):
    """A recorded calculation: its steps, and by attribute its inputs and the values that it calculates."""

    def __init__(
        self, known: Mapping[str, Expression], steps: tuple, constants: frozenset[str], base: int = 0
    ) -> None:
        """Keep what was recorded; the first `base` steps are those of another that it goes on from."""
        self.__dict__.update(_known=dict(known), _steps=steps, constants=constants, _base=base)

    def run(self, *scopes: Mapping[str, Any]) -> Results:
        """Run all steps on these values: first the settings of a page, then its constants."""
        results = Results(self, *scopes)
        self._run(results, self._steps)
        return results

    def run_extension(self, results: Results) -> Results:
        """Run only the steps added by `then`, starting from the base calculation's `results`."""
        more = Results(self, results.settings, results.constants)
        more.update(results)
        self._run(more, self._steps[self._base :])
        return more

    def origins(self, value: Expression) -> frozenset[str]:
        """Return the names of all inputs that a value depends on, through any number of steps."""
        return _inputs_of(value, self._origins)

    @cached_property
    def _origins(self) -> dict[tuple[str, ...], frozenset[str]]:
        """For every step, and for the fields of its record, the inputs that they depend on."""
        result: dict[tuple[str, ...], frozenset[str]] = {}
        for name, operation, arguments in self._steps:
            read = [_inputs_of(a, result) if isinstance(a, Expression) else frozenset() for a in arguments]
            result[name.text,] = frozenset().union(*read)
            for field, places in OPERATIONS[operation].reads.items():
                result[name.text, field] = frozenset().union(*(read[k] for k in places if k < len(read)))
        return result

    @staticmethod
    def _run(results: Results, steps: Iterable[tuple]) -> None:
        for name, operation, arguments in steps:
            found = [results[a] if isinstance(a, Expression) else a for a in arguments]
            try:
                results[name.text] = OPERATIONS[operation].function(*found)
            except ValueError as why:
                raise StepError(_step(name.text, operation, arguments, found, why)) from why

    def then(
        self, function: Callable[[Recorder], None], constants: Iterable[str] = (), **how: Any
    ) -> Calculation:
        """A calculation that does all of this one and then the steps of `function`."""
        for name in self.constants.union(constants) & TAKEN:
            raise taken(name)
        now = Recorder(self._known | {name: Expression(Name(name)) for name in constants}, OPERATIONS, TAKEN)
        now._steps.extend(self._steps)
        with recording_with(now):
            try:
                function(now, **how)
            except NameError as error:
                if error.name is None or isinstance(error, UnboundLocalError):
                    raise
                among = "a name there, nor among the operations of attention_lab/calculation/operations.py"
                raise unknown(error.name, OPERATIONS, among, error) from error
        return Calculation(now._known, tuple(now._steps), self.constants | frozenset(constants), len(self._steps))


def _step(name: str, operation: str, arguments: Sequence[Any], found: Sequence[Any], why: ValueError) -> str:
    """Name a step that failed, with the shape of each of its arrays."""
    inputs = [
        f"{'.'.join(map(str, path_of(a)))} {np.shape(x)}"
        for a, x in zip(arguments, found, strict=True)
        if isinstance(a, Expression) and isinstance(x, np.ndarray)
    ]
    return f"The step {name!r}, {operation} of {' and '.join(inputs)}, cannot be made: {why}"


def _inputs_of(value: Expression, known: Mapping[tuple[str, ...], frozenset[str]]) -> frozenset[str]:
    """Return the inputs of a value, where those of steps and of their records' fields are `known`."""
    name, first = value._name.text, value._steps[0] if value._steps else None
    own = known.get((name, first)) if isinstance(first, str) else None
    if own is None:
        own = known.get((name,), frozenset([name]))
    places = (_inputs_of(step, known) for step in value._steps if isinstance(step, Expression))
    return own.union(*places)


def record(
    function: Callable[..., None], fields: Iterable[Any] = (), constants: Iterable[str] = (), **how: Any
) -> Calculation:
    """Record a calculation. Its inputs are a page's `fields` and the further names in `constants`.

    `how` goes on to the function: what differs between the forms of one calculation.
    """
    names = [getattr(field, "name", field) for field in fields]
    begin = Calculation({name: Expression(Name(name)) for name in names}, (), frozenset(names))
    return begin.then(function, constants, **how)


# Running -----------------------------------------------------------------------------------------------


class Results(dict[str, Any]):
    """A calculation's inputs and results, by name: ``now.scores``, ``now["scores"]``.

    ``now[CALCULATION.trace.weights[0]]`` is what that value stands for. `settings` and `constants` are what it
    was given: the page's settings, and what was added to them.
    """

    def __init__(self, calculation: Calculation, settings: Mapping[str, Any], *more: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.__dict__.update(calculation=calculation, settings=dict(settings), constants={})
        for constants in more:
            self.constants.update(constants)
        self.update(self.constants)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __missing__(self, key: Any) -> Any:
        """Return what a recorded value stands for; refuse a name that is neither an input nor a result."""
        if isinstance(key, Expression):
            return follow(self, key)
        raise unknown(key, self, INPUTS_AND_VALUES)


# What a calculation, its results and what records it are themselves asked by: `now.values` would not be a step.
NO_CALCULATION = Calculation({}, (), frozenset())
_ASKED = NO_CALCULATION, Results(NO_CALCULATION, {}), Recorder({}, {})
TAKEN = frozenset(name for each in _ASKED for name in dir(each))


# On the way to the browser -------------------------------------------------------------------------------


def steps_of(calculation: Calculation) -> list[tuple]:
    """A calculation's steps as the browser runs them: name, operation, arguments; a value is ``{"of": path}``."""
    return [
        (
            name.text,
            operation,
            [{"of": path_of(a)} if isinstance(a, Expression) else {"is": a} for a in arguments],
        )
        for name, operation, arguments in calculation._steps
    ]
