"""What a page that stands alone is given in the place of Python: how it reads links, and what its choices change.

In the app Python reads a link, and draws the figure for what was chosen. In a file the browser does
(`web_page.js`), for the settings that a hand can change. A setting that needs Python, such as another example, is
only compared with the one that the page was written for. A course has a `Variant` of a page for each that can be
chosen beside its figure.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from itertools import chain, product
from typing import Any

import numpy as np

from attention_lab.calculation.binary_arrays import BinaryArrays
from attention_lab.calculation.caches import bounded
from attention_lab.calculation.read_cache import Watched
from attention_lab.lesson import Lesson, View
from attention_lab.state import permalink
from attention_lab.state.permalink import Field, Values
from attention_lab.state.shared_fields import QUESTION
from attention_lab.state.state import State
from attention_lab.text import ui_text
from attention_lab.text.languages import spoken

from . import questions

MOST_COMBINED = 400  # options taken together; where there are more, each choice is taken by itself
OWN_IN_BROWSER = {"pose", "frame", "version", "search", "as_opened", "completed_goals", "turns", "results_hidden"}
OPEN_QUESTION = "open_question"  # among the choices: the number of the question that is open, 0 where none is


def initial_state(state: State) -> State:
    """Return the state before a hand has moved anything, with the settings that a hand cannot change.

    Nobody predicts in it, and no teacher asks.
    """
    given = {f.name: state.values[f.name] for f in state.fields if not f.interactive or f.retrains}
    del given[questions.PREDICT], given[QUESTION.name]
    return State(state.lesson, permalink.complete(state.fields, given))


@dataclass(frozen=True, eq=False)
class Variant:
    """A page with one choice of its settings, as they stand in a link."""

    settings: Mapping[str, str]
    view: View


def variants(lesson: Lesson) -> list[Variant]:
    """Return a page for each choice of its settings, in the language that is spoken: its first one first.

    Of those that agree with what a link says of the settings, the first is the one that the app opens.
    """
    found: dict[tuple[tuple[str, str], ...], State] = {}
    waiting = [lesson.parse({})[0]]
    for state in waiting:
        chosen = _settings_of(state)
        if (key := tuple(chosen.items())) not in found:
            found[key] = state
            for name, texts in lesson.settings(state).items():
                waiting += [_choose(state, name, value) for value in texts if value in state.options(name)]
    by_link = sorted(found.values(), key=lambda state: len(_settings_of(state).keys() & state.link.keys()))
    return [Variant(_settings_of(state), lesson.view(state, language=spoken())) for state in by_link]


def _settings_of(state: State) -> dict[str, str]:
    offered = [name for name, texts in state.lesson.settings(state).items() if texts]
    return {name: state.write(name, state.values[name]) for name in offered}


def _choose(state: State, name: str, value: str) -> State:
    """The state in which a setting has another value; the others stay where they still can."""
    new = state.lesson.parse(_settings_of(state) | {name: state.write(name, value)})[0]
    return state.lesson.parse(_settings_of(new))[0]


def settings_table(each: Sequence[Variant], files: Sequence[str]) -> dict[str, Any]:
    """Return what the browser chooses variants with.

    ``variants`` has the settings of each and the name of its file, empty for the page itself; ``settings`` has
    the label of each setting, and the texts of its values as they stand in a link.
    """
    settings: dict[str, Any] = {}
    for state in (variant.view.state for variant in each):
        for name, texts in state.lesson.settings(state).items():
            label = ui_text("examples/sentence") if name == "example" else state.text[f"settings/{name}"]
            entry = settings.setdefault(name, {"label": label, "texts": {}})
            entry["texts"] |= {state.write(name, value): text for value, text in texts.items()}
    return {
        "settings": settings,
        "variants": [
            {"settings": variant.settings, "file": file} for variant, file in zip(each, files, strict=True)
        ],
    }


def tables(view: View) -> dict[str, Any]:
    """Return what the browser reads links with, what its choices change, and the ids of all arrays that it needs.

    These are a `link_table`, `choices`, and the names of `arrays`.
    """
    state = view.state
    asked = questions.asked(initial_state(state))
    link = link_table(asked.with_open(0), predict=state.predict)
    return {"link": link, "choices": choices(view, asked), "arrays": [*arrays(view)]}


def arrays(view: View) -> dict[str, BinaryArrays]:
    """Return the arrays of a figure by their ids, with those that it has while a question is open."""
    if not view.arrays:
        return {}
    lesson, asked = view.state.lesson, questions.asked(initial_state(view.state))
    asking = (lesson.view(asked.with_open(number)) for number in asked.open_numbers)
    return {each.id: each for every in (view, *asking) for each in every.arrays.values()}


def link_table(first: State, *, predict: bool = False) -> dict[str, Any]:
    """Return what the browser reads links with: those to the page whose initial state is the `first`.

    `predict` says whether the reader predicts where a link says nothing of it.

    ``fixed`` has the text of each setting that it cannot change. ``fields`` has an entry for each that it can, in
    their order: ``options``, or ``rules`` (see `permalink.Rules`); and its ``default``. One that only Python
    answers has the text of its one value, ``fixed``. Where other settings change these, ``depends`` names them,
    and ``by`` one of them: at its option number k the default is ``values[k]``, or the row ``rows[k]`` of the
    setting ``of``; the options are ``options_by[k]``. ``same_as`` names the one whose value is the default;
    ``places`` a text, whose places are the options, by default the last.
    """
    interactive = {f.name: f for f in first.fields if f.interactive}
    fixed = {f.name: f.write(first.values[f.name]) for f in first.fields if not f.interactive}
    del fixed[questions.PREDICT]
    fields = {name: _field_entry(f, first, interactive) for name, f in interactive.items()}
    fields[questions.PREDICT] = {"default": int(predict), "options": ["0", "1"]}
    return {
        "fixed": fixed,
        "fields": fields,
        "longest": permalink.LONGEST,
        "trackers": permalink.TRACKERS.split("|"),
        "closing": permalink.CLOSING,
    }


def _field_entry(f: Field, first: State, interactive: Mapping[str, Field]) -> dict[str, Any]:
    reads: dict[tuple[int, Any], Any] = {}
    watched = Watched(0, first.values, reads)
    f.default(watched)
    result: dict[str, Any] = {"default": first.pose()[f.name]}
    if f.retrains:
        result["fixed"] = f.write(first.values[f.name])
    if f.options:
        result["options"] = _texts(f, watched)
    else:
        rules = f.rules(watched)
        result["rules"] = asdict(rules) | {"columns": [each[:3] for each in rules.columns]}
    if depends := [name for _, name in reads if name in interactive]:
        result |= {"depends": depends} | _defaults_by_option(f, depends, first, interactive)
        for name in depends:
            if _copies(f, first, name):
                result["same_as"] = name
            if f.options and _has_open_length(interactive[name], first):
                result["places"] = name
    return result


def _has_open_length(f: Field, first: State) -> bool:
    """Whether a field is a text that a hand makes longer."""
    return bool(f.rules and (shape := f.rules(first.values).shape) and shape[1] is None)


def _copies(f: Field, first: State, name: str) -> bool:
    """Whether a field's default is whatever matrix another field has."""
    matrix = first.values[name]
    return isinstance(matrix, np.ndarray) and permalink.same(
        f.default({**first.values, name: matrix + 1}), matrix + 1
    )


def _texts(f: Field, values: Values) -> list[str]:
    return [f.write(option) for option in f.options(values)]


def _defaults_by_option(
    f: Field, depends: Sequence[str], first: State, interactive: Mapping[str, Field]
) -> dict[str, Any]:
    """The defaults of a field at each option of the one choice that it depends on, where there is but one.

    What else they depend on must then have its default, unless they are the rows of a matrix.
    """
    choices = [name for name in depends if interactive[name].options]
    others = [name for name in depends if name not in choices]
    if len(choices) != 1:
        return {}
    (by,) = choices
    at_options = [{**first.values, by: option} for option in first.options(by)]
    poses = [first.pose(at | {f.name: f.default(at)})[f.name] for at in at_options]
    result = {"by": by} | ({"options_by": [_texts(f, at) for at in at_options]} if f.options else {})
    if len(others) == 1 and isinstance(first.values[f.name], np.ndarray):
        table = first.values[others[0]].tolist()
        if all(len(pose) == 1 and pose[0] in table for pose in poses):
            return result | {"of": others[0], "rows": [table.index(pose[0]) for pose in poses]}
    return result | {"values": poses}


def choices(view: View, asked: questions.Asked) -> dict[str, Any]:
    """Return what each choice changes of a figure, beyond what the browser computes.

    `asked` is what is asked in the initial state.

    ``together`` has lists of names: the choices of a list change the same. ``changes`` has, under the name and
    the option's number of each, ``word 2 drag 1``, a list of changes: a path in the payload, and the value there
    if there is one. They begin from the payload that ``base`` makes of the view's.
    """
    first = view.state.lesson.view(asked.with_open(0))
    text = _compute_choices(view.state.lesson, tuple(first.state.link.items()), first.frame.id)
    base = _payload(first, {}) | {"questions": asked.to_payload()}
    return json.loads(text) | {"base": [*_changes(_payload(view, {}), base)]}


@bounded(64, 4_000_000)  # by link and figure: on a server many readers ask for the same
def _compute_choices(lesson: Lesson, link: tuple[tuple[str, str], ...], _: str) -> str:
    """What `choices` returns, but for the base, as JSON: for the initial state that a link leads to."""
    of_first = questions.asked(lesson.parse(dict(link))[0])
    first = of_first.with_open(0)
    frames: dict[str, Any] = {}  # by their ids: many views have the same
    base = _payload(lesson.view(first), frames) | {"questions": of_first.to_payload()}
    options = {f.name: first.options(f.name) for f in first.fields if f.interactive and f.options}
    options[OPEN_QUESTION] = of_first.open_numbers

    def changes(chosen: Mapping[str, Any]) -> list[Any]:
        values = {**first.values, **chosen}
        number = values.pop(OPEN_QUESTION, 0)
        # As after a move, so that no cache keeps its view.
        asked = questions.asked(State(lesson, values, undo_stack=(first.values,)))
        chosen = _payload(lesson.view(asked.with_open(number)), frames) | {"questions": asked.to_payload()}
        return [*_changes(base, chosen)]

    alone = {name: [changes({name: option}) for option in each] for name, each in options.items()}
    paths = {name: {tuple(path) for made in each for path, *_ in made} for name, each in alone.items()}
    together = []
    for names in _overlapping({name: found for name, found in paths.items() if found}):
        is_few = math.prod(len(options[name]) for name in names) <= MOST_COMBINED
        together += [names] if is_few else [[name] for name in names]
    found = {}
    for group in together:
        for numbers in product(*(range(len(options[name])) for name in group)):
            chosen = dict(zip(group, numbers, strict=True))
            key = " ".join(f"{name} {number}" for name, number in chosen.items())
            values = {name: options[name][number] for name, number in chosen.items()}
            found[key] = alone[group[0]][numbers[0]] if len(group) == 1 else changes(values)
    return json.dumps({"together": together, "changes": {key: value for key, value in found.items() if value}})


def _overlapping(paths: Mapping[str, Set[tuple[Any, ...]]]) -> list[list[str]]:
    """Groups of names: those are together whose paths are the same, or lead into one another."""
    groups: list[list[str]] = []
    for name, own in paths.items():
        joined = [
            group
            for group in groups
            if any(a[: len(b)] == b[: len(a)] for other in group for a, b in product(own, paths[other]))
        ]
        groups = [group for group in groups if group not in joined] + [[*chain(*joined), name]]
    return groups


def _payload(view: View, frames: dict[str, Any]) -> dict[str, Any]:
    """What of a payload the page is drawn with; its frame is among the `frames` from then on."""
    if view.frame.id not in frames:
        frames[view.frame.id] = json.loads(view.frame.text)
    data = json.loads(view.change) | frames[view.frame.id]
    return {name: value for name, value in data.items() if name not in OWN_IN_BROWSER}


def _changes(one: Any, other: Any, path: tuple[str | int, ...] = ()) -> Iterator[list[Any]]:
    """What makes one JSON value the other: paths, and the value at each unless there is none any more."""
    if one == other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys((*one, *other)):
            if name not in other:
                yield [[*path, name]]
            elif name not in one:
                yield [[*path, name], other[name]]
            else:
                yield from _changes(one[name], other[name], (*path, name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (before, after) in enumerate(zip(one, other, strict=True)):
            yield from _changes(before, after, (*path, place))
    else:
        yield [[*path], other]
