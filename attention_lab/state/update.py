"""What can happen to a page, and the state that follows.

Whatever an event holds, `update` gives a state whose every value a link could have brought.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import permalink
from .permalink import Field, Values
from .state import EXPERIMENT, FILE, GOAL, OWN, SPOKEN, State, field_of

MOST_STEPS = 100  # that Undo can go back: older ones are forgotten
MOST_KEPT = 64  # subjects whose goals were met, and predictions, that a page remembers: the newest


@dataclass(frozen=True)
class Move:
    """The reader has dragged something: for each field the raw value from the browser, not yet checked.

    Where only some `rows` of a matrix were moved, the others stay as they are.
    """

    values: Mapping[str, Any]
    rows: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SetFields:
    """Set fields to these values, from a widget, an editor or a link."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class SwitchExample:
    """Show another example; keep edits to fields that both examples share."""

    name: str


@dataclass(frozen=True)
class Reset:
    """Give the named fields their defaults, or all of the page's own where none are named."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Undo:
    """Go one step back in what was changed."""


@dataclass(frozen=True)
class Redo:
    """Go one step on again."""


@dataclass(frozen=True)
class ShowGoal:
    """Record that a goal is displayed.

    One already satisfied then counts only after it has been unsatisfied once.
    """

    name: str
    met: bool


@dataclass(frozen=True)
class ReachGoals:
    """The browser has seen these goals met, on the way or by what only it can see."""

    names: Any


@dataclass(frozen=True)
class Predict:
    """The reader has answered a question, or asked for the answer."""

    about: tuple
    verdict: Any


@dataclass(frozen=True)
class AskAgain:
    """A question that was answered is open again."""

    about: tuple


Event = Move | SetFields | SwitchExample | Reset | Undo | Redo | ShowGoal | ReachGoals | Predict | AskAgain


def update(state: State, event: Event) -> State:
    """Return the state that follows from an event."""
    match event:
        case Move(moved, rows):
            return _change(state, _moved(state, moved, rows))
        case SetFields(values):
            return _change(state, values)
        case SwitchExample(name):
            return _change(state, _with_example(state, name))
        case Reset(names):
            return _change(state, _at_first(state, names))
        case Undo():
            return _step(state, -1)
        case Redo():
            return _step(state, 1)
        case ShowGoal(name, met):
            return _show_goal(state, name, met=met)
        case ReachGoals(names):
            return _reach(state, names)
        case Predict(about, verdict):
            return replace(state, predictions=_keep(state.predictions, about, verdict))
        case AskAgain(about):
            return replace(state, predictions={k: v for k, v in state.predictions.items() if k != about})
    raise TypeError(f"{event!r} is no event.")


def goes_with_example(f: Field) -> bool:
    """Whether another example brings its own value of a field."""
    return f.from_example or f.name in {"word", "other", "instead", "seats"}


def _change(state: State, values: Mapping[str, Any]) -> State:
    """The state with these values, as far as they are possible; a step for Undo where any is another."""
    after = _possible(state.fields, {**state.values, **values})
    if _same(state, after):
        return replace(state, values=after)
    return replace(state, values=after, undo_stack=(*state.undo_stack, _own(state))[-MOST_STEPS:], redo_stack=())


def _same(state: State, values: Mapping[str, Any]) -> bool:
    """Whether the page's own fields have these values already.

    What all pages share makes no step, nor does the choice of a goal: Undo takes back what was moved.
    """
    return all(name == GOAL or permalink.same(values[name], value) for name, value in _own(state).items())


def _own(state: State) -> Values:
    return {f.name: state.values[f.name] for f in state.fields if not f.shared}


def _step(state: State, way: int) -> State:
    back, on = state.undo_stack, state.redo_stack
    among = back if way < 0 else on
    if not among:
        return state
    values = {**state.values, **among[-1]}
    if GOAL in values and replace(state, values=values).subject == state.subject:
        values[GOAL] = state.values[GOAL]  # another try at the same; another example has its own goals
    values = _possible(state.fields, values)
    if way < 0:
        return replace(state, values=values, undo_stack=back[:-1], redo_stack=(*on, _own(state)))
    return replace(state, values=values, undo_stack=(*back, _own(state)), redo_stack=on[:-1])


def _possible(fields: Iterable[Field], values: Values) -> Values:
    """The values, with a default for each that cannot be: a word that is no longer there gives way.

    The fingerprint of the weights is always that of the model shown.
    """
    for f in fields:
        value = values[f.name]
        gone = f.options is not None and value not in f.options(values)
        if f.fingerprint or gone or (isinstance(value, np.ndarray) and not _fits(f, values)):
            values[f.name] = f.default(values)
    return values


def _fits(f: Field, values: Values) -> bool:
    """Whether a matrix has the shape that an address may give it."""
    have = values[f.name].shape
    return permalink.has_shape(have, f.rules(values).shape) or have == np.shape(f.default(values))


def _at_first(state: State, names: tuple[str, ...]) -> Values:
    """The values with the defaults of the fields named, or of all; the goal, the experiment and the file stay.

    Where the goal belongs to other choices that were made, to an example perhaps, these stay as well.
    """
    fields, now = state.fields, state.values
    stay = {f.name for f in fields if names or f.shared} | {GOAL, EXPERIMENT, FILE}
    values = permalink.complete(fields, {name: now[name] for name in now if name in stay - set(names)})
    if GOAL in values and values[GOAL] not in field_of(fields, GOAL).options(values):
        stay |= {f.name for f in fields if f.options}
        values = permalink.complete(fields, {name: now[name] for name in now if name in stay})
    return values


def on_example(state: State, name: str) -> Values:
    """The values on another example: all that it brings comes whole; one's own words start from these."""
    if name == OWN:
        return {"example": OWN}
    kept = {f.name: state.values[f.name] for f in state.fields if not goes_with_example(f)}
    return permalink.complete(state.fields, kept | {"example": name})


def _with_example(state: State, name: str) -> Values:
    now, fields = state.values, state.fields
    if name == OWN or "example" not in now or name not in state.options("example"):
        return {}
    spoken = {key: now[key] for key in ("example", *SPOKEN) if key in now}
    one, other = (permalink.complete(fields, known) for known in (spoken, {"example": name}))
    alike = [f.name for f in fields if not goes_with_example(f) or permalink.same(one[f.name], other[f.name])]
    return permalink.complete(fields, {key: now[key] for key in alike} | {"example": name})


def _show_goal(state: State, goal: str, *, met: bool) -> State:
    shown = (state.subject, goal)
    if not met:
        return state if state.open_goal == shown else replace(state, open_goal=shown)
    return _reach(state, [goal]) if state.open_goal == shown else state


def _reach(state: State, names: Any) -> State:
    if not (isinstance(names, list) and names):
        return state
    known = [goal for f in state.fields if f.name == GOAL for goal in f.options(state.values)]
    reached = {goal for goal in known if goal in names}
    if not reached:
        return state
    return replace(state, goals_met=_keep(state.goals_met, state.subject, state.completed_goals | reached))


def _keep(among: Mapping, key: Any, value: Any) -> dict:
    """Put it in as the newest, and leave the oldest out where there are too many."""
    kept = {k: v for k, v in among.items() if k != key} | {key: value}
    return dict([*kept.items()][-MOST_KEPT:])


def _moved(state: State, moved: Mapping[str, Any], rows: Mapping[str, Any]) -> Values:
    values = dict(state.values)
    for f in state.fields:
        if f.interactive and f.name in moved:
            values[f.name] = read_value(f, values, moved[f.name], rows.get(f.name))
    return values


def read_value(f: Field, values: Values, raw: Any, rows: Any = None) -> Any:
    """Return a field's value from the `raw` one that the browser sent, or the current one if it is invalid.

    Of a matrix of the same shape only these `rows`, if any are named.
    """
    now = values[f.name]
    try:
        if f.options:
            options = f.options(values)
            return options[raw] if isinstance(raw, int) and 0 <= raw < len(options) else now
        if isinstance(now, np.ndarray):
            array = np.array(raw, dtype=float)
            if not array.size and not (usual := f.default(values)).size:
                return usual
            fits = array.shape == now.shape or permalink.has_shape(array.shape, f.rules(values).shape)
            if not fits or not np.isfinite(array).all():
                return now
            if isinstance(rows, list) and array.shape == now.shape:
                others = [i for i in range(len(now)) if i not in rows]
                array[others] = now[others]
            bounded = np.clip(array, -permalink.FARTHEST, permalink.FARTHEST)
            return f.read(f.write(bounded), values)  # nothing that an address would not be allowed
        return f.read(permalink.numeral(raw), values)
    except (TypeError, ValueError, OverflowError):
        return now
