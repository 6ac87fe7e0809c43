"""The table of operations: what each is called, what it takes and gives, and how one is entered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import attention_core
from attention_core import models, training
from attention_core.models import reading
from attention_lab.faults import AuthoringError, unknown

from .expressions import Expression, outside, recorder


@dataclass(frozen=True)
class Operation:
    """One operation. Called with recorded values it becomes a step, with numbers and arrays it computes."""

    name: str
    function: Callable[..., Any]
    takes: tuple[str, ...]
    gives: str
    record: type | None = None
    reads: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # by field of its record: which arguments

    def __call__(self, *arguments: Any) -> Any:
        """Record it or, where nothing is recorded, compute it."""
        now = recorder()
        if now is None:
            if any(isinstance(argument, Expression) for argument in arguments):
                raise outside(self.name)
            return self.function(*arguments)
        least = len([kind for kind in self.takes if "?" not in kind])
        if len(arguments) < least or (len(arguments) > len(self.takes) and not self.takes[-1].endswith("…")):
            wanted = ", ".join(self.takes)
            raise AuthoringError(
                f"{self.name} takes {wanted or 'nothing'}; it was given {len(arguments)} arguments."
            )
        return now.record_step(self, arguments)


class _Table(dict[str, Operation]):
    def __missing__(self, name: str) -> Operation:
        raise unknown(name, self, "an operation of attention_lab/calculation/operations.py")


OPERATIONS = _Table()


def operation(
    *takes: str, gives: str, reads: Mapping[str, tuple[int, ...]] | None = None
) -> Callable[[Callable[..., Any]], Operation]:
    """Enter a function as an operation, with the kinds of its arguments and of what it `gives`.

    The first lines of ``operations.py`` list the kinds. `Draw` in ``tests/browser/test_stage_mathematics.py`` has
    a method for each and draws the random cases by which a twin is tested: another kind needs a method there.

    `reads` says of fields of its record which arguments they are made of, by their places; others, of all.
    """

    def entered(function: Callable[..., Any]) -> Operation:
        rooms = (attention_core, training, models, reading)
        record = next((getattr(room, gives) for room in rooms if hasattr(room, gives)), None)
        record = record if is_dataclass(record) else None
        made = Operation(function.__name__, function, takes, gives, record, reads or {})
        made.__dict__["__doc__"] = function.__doc__
        known = OPERATIONS.get(made.name)
        if known and known.function.__module__ != function.__module__:
            raise AuthoringError(
                f"{known.function.__module__} has an operation {made.name!r} already: choose another name."
            )
        OPERATIONS[made.name] = made
        return made

    return entered
