"""The state of a page: a value that says all that can be asked of the page at one moment.

A `State` never changes; `update` gives the one that follows from an event. Neither knows Streamlit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from attention_core import Example, load_example
from attention_lab import faults
from attention_lab import text as prose
from attention_lab.text.labels import labels
from attention_lab.text.languages import ENGLISH, check

from . import permalink
from .permalink import Field, Values

OWN = "own"
SPOKEN = ("words", "memory_words")  # which words there are: no numbers
# What a badge says where no worked example does: a page stands on what others have published (or on what its
# lesson says), words of one's own stand where nobody has chosen to put them, a hand has changed something.
PUBLISHED, BY_HAND, PLACED, YOURS = "published", "by hand", "placed for you", "yours"
BY_HAND_AND_PLACED = "by hand and placed"
BY_FORMULA = "by formula"  # the badge of numbers that a definition gives, and nobody chose
EXPERIMENT = "experiment"  # which of several a page shows: starting over begins the same one again
SUBJECT = ("example", "model", EXPERIMENT, "opening")  # what a page is about, before a hand has moved anything
GOALS_BELONG_TO = (*SUBJECT, *SPOKEN, "text", "task")  # with others a goal asks for something else
LANGUAGE = "lang"  # the language chosen; "" where nothing says another than English
FILE = "file"  # what a reader has opened
GOAL = "goal"  # a teacher's link may have set it: starting over is another try at the same


@dataclass(frozen=True, eq=False)
class LessonFields:
    """What a state is made of: the page's name, its fields, and what badges say of untouched numbers."""

    name: str
    fields: tuple[Field, ...]
    provenance: str = PUBLISHED  # the badge of untouched numbers that no worked example brought
    provenance_at: tuple[str, str, Any] | None = None  # a badge while a field has a value
    comes_from: Callable[[Values], str | None] | None = None  # a badge of what no example brought, where there is


@dataclass(frozen=True, eq=False)
class State:
    """A page at one moment; a field's value is an attribute: ``state.measure``."""

    lesson: LessonFields
    values: Mapping[str, Any]
    undo_stack: tuple[Values, ...] = ()  # the values before each change, oldest first
    redo_stack: tuple[Values, ...] = ()  # the values that Undo has left, oldest first
    goals_met: Mapping[tuple, Set[str]] = field(default_factory=dict)  # by what they were met on
    open_goal: tuple = ()  # the subject and the goal that was last shown while it was not met
    predictions: Mapping[tuple, Any] = field(default_factory=dict)  # verdicts, by what was asked

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("lesson", "values"):
            raise AttributeError(name)
        if name not in self.values:
            raise faults.unknown(name, [f.name for f in self.fields], f"a field of the page {self.name!r}")
        return self.values[name]

    @property
    def name(self) -> str:
        """The page's name: its lesson's."""
        return self.lesson.name

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, in their order."""
        return self.lesson.fields

    def options(self, name: str) -> Sequence[Any]:
        """The values that a choice may have now."""
        return field_of(self.fields, name).options(self.values)

    def write(self, name: str, value: Any) -> str:
        """Return a value of a field as it stands in a link."""
        return field_of(self.fields, name).write(value)

    @property
    def language(self) -> str:
        """The code of the page's language."""
        return self.values.get(LANGUAGE) or ENGLISH

    @property
    def of_language(self) -> dict[str, str]:
        """What links to other pages say of the language."""
        chosen = self.values.get(LANGUAGE, "")
        return {LANGUAGE: chosen} if chosen else {}

    def in_language(self, code: str) -> State:
        """Return the same page in another language."""
        if check(code) == self.language:
            return self
        return replace(self, values={**self.values, LANGUAGE: code})

    def anew(self, *kept: str, **known: Any) -> Values:
        """The page's values begun again with the `known` ones; those `kept`, and what all pages share, stay."""
        shared = (f.name for f in self.fields if f.shared)
        return permalink.complete(self.fields, {name: self.values[name] for name in (*shared, *kept)} | known)

    @cached_property
    def completed_goals(self) -> Set[str]:
        """The goals that were met on this subject."""
        return self.goals_met.get(self.subject, frozenset())

    @cached_property
    def link(self) -> dict[str, str]:
        """The parameters of the page's link: they lead back to these values."""
        return permalink.write_address(self.fields, self.values)

    @property
    def subject(self) -> tuple:
        """What the page's goals are about: the example, the words, the text, the model …"""
        return tuple(self.values.get(name) for name in GOALS_BELONG_TO)

    def spoken(self, name: str) -> str:
        """A word chosen, as it is spoken: of the second *an*, ``an``."""
        return self.words[labels(self.words).index(self.values[name])]

    @cached_property
    def worked_example(self) -> Example:
        """The worked example the page stands on; one's own words keep to the axes of the one before."""
        return base_example(self.fields, self.values)

    @cached_property
    def sharing_key(self) -> str:
        """Hash of the settings that dragging cannot change. Figures with equal hashes can share inputs."""
        lying = (f for f in self.fields if not (f.interactive or f.shared))
        return fingerprint(self.name, *((f.name, f.write(self.values[f.name])) for f in lying))

    @property
    def text(self) -> prose.Text:
        """The page's words; where they speak of rows and columns, as its matrices stand."""
        return prose.read(self.name, turned=self.values.get("orientation") == "columns")

    @property
    def texts(self) -> tuple[prose.Text, prose.Text]:
        """The page's words, and those that all pages share."""
        return self.text, prose.read("controls")

    @cached_property
    def placed_words(self) -> list[str]:
        """Words of one's own that no example knows, while all stand where they were put for the reader."""
        values = self.values
        if "words" not in values or self._moved("vectors"):
            return []
        known = {word for e in self._neighbours() for word in e.lexicon}
        spoken = dict.fromkeys((*values["words"], *values.get("memory_words", ())))
        return [word for word in spoken if word not in known]

    def provenance_of(self, *names: str) -> str:
        """Where numbers come from that are made of the fields of these names.

        *Yours* where a hand has changed any; *placed for you* where words are one's own and stand as they were
        put, *by hand and placed* where an example's words or matrices are among them; else the example's badge.
        """
        if self._moved(*names):
            return YOURS
        if self.lesson.comes_from and (badge := self.lesson.comes_from(self.values)):
            return badge
        if "example" not in self.values:
            return self.lesson.provenance
        chosen = self.worked_example.provenance
        placed = self.placed_words if "vectors" in names else []
        if placed:
            return BY_HAND_AND_PLACED if chosen == BY_HAND and self._has_chosen(names, placed) else PLACED
        return chosen

    def _has_chosen(self, names: Sequence[str], placed: Sequence[str]) -> bool:
        """Whether other words are spoken beside those `placed`, or fields of these names hold a matrix."""
        values = self.values
        spoken = {*values["words"], *values.get("memory_words", ())}
        matrices = (
            f.name
            for f in self.fields
            if f.from_example and f.name in names and f.name not in ("vectors", *SPOKEN)
        )
        return bool(spoken - {*placed}) or any(np.size(values[name]) for name in matrices)

    def is_as_begun(self, name: str) -> bool:
        """Whether all that depends on the field of this name, and on those before it, is as it is at first."""
        names = [f.name for f in self.fields]
        return not self._moved(*names[names.index(name) :])

    def _moved(self, *names: str) -> bool:
        """Whether any field of these names has other numbers than it had at first."""
        values = self.values
        made = (f for f in self.fields if f.from_example and f.name in names and f.name not in SPOKEN)
        return any(not permalink.same(values[f.name], f.default(values)) for f in made)

    def _neighbours(self) -> list[Example]:
        """The worked example, and those that lend it their words."""
        base = self.worked_example
        return [base, *neighbours(field_of(self.fields, "example").beside, base)]

    @cached_property
    def table(self) -> tuple[str, ...]:
        """The words that have a vector, in the order of `vectors`."""
        spoken = (*self.values["words"], *self.values.get("memory_words", ()))
        return table(spoken, self._neighbours()[1:])

    def own_words(self) -> dict[str, Any]:
        """Words of one's own as other pages take them over: the sentence, and the vectors that were moved."""
        home = self.defaults()["vectors"]
        rows = zip(self.table, self.vectors, home, strict=True) if self.vectors.shape == home.shape else ()
        moved = {word: now for word, now, at in rows if not permalink.same(now, at)}
        return {"words": self.values["words"], "axes": self.worked_example.axes, "vectors": moved}

    def pose(self, values: Values | None = None) -> dict[str, Any]:
        """What the hand can change, as the stage knows it: matrices as lists, choices by their number."""
        return {f.name: _to_hand(f, values or self.values) for f in self.fields if f.interactive}

    def scope(self, values: Values | None = None) -> dict[str, Any]:
        """The values as a calculation knows them: arrays, and choices by their number."""
        values = values or self.values
        return {
            f.name: f.options(values).index(values[f.name]) if f.interactive and f.options else values[f.name]
            for f in self.fields
        }

    def defaults(self) -> Values:
        """The page's values before anything was moved, for the example or one's own words."""
        return dict(self._defaults)

    @cached_property
    def _defaults(self) -> Values:
        values = self.values
        known = {key: values[key] for key in (*SUBJECT, "words", "memory_words") if key in values}
        if known.get("example") == OWN and "vectors" in values:  # on the axes that they have
            vectors = field_of(self.fields, "vectors").default(known | {"vectors": values["vectors"]})
            known["vectors"] = vectors
        return permalink.complete(self.fields, known)


def fingerprint(*of: Any) -> str:
    """Letters by which two pages, wherever they are shown, know that something is the same on both."""
    return hashlib.sha256(repr(of).encode()).hexdigest()[:12]


@lru_cache(64)
def worked(name: str) -> Example:
    """A worked example, loaded once for all: reading one takes a copy of its expected numbers each time."""
    return load_example(name)


def base_example(fields: Sequence[Field], values: Mapping[str, Any]) -> Example:
    """The example named in `values`; for one's own words, the one that knows them best."""
    if values["example"] != OWN:
        return worked(values["example"])
    choice = field_of(fields, "example")
    offered = [worked(name) for name in choice.options({}) if name != OWN]
    own, words = values.get("vectors"), set(values.get("words", ()))
    if own is not None:
        offered = [e for e in offered if e.embeddings.shape[1] == own.shape[1]] or offered

    def known(example: Example) -> float:  # little words, near zero, say nothing
        if example.learned:
            return len(words) if not by_hand and words <= example.lexicon.keys() else -1
        among = [example, *(e for e in map(worked, choice.beside) if e.axes == example.axes)]
        table = [row for e in among for row in e.lexicon.items()]
        return len({word for word, vector in table if word in words and np.linalg.norm(vector) > 1})

    made = [e for e in offered if not e.learned]
    by_hand = any(
        words <= {word for e in (each, *neighbours(choice.beside, each)) for word in e.lexicon} for each in made
    )
    if choice.beside and any(known(each) for each in made if each.embeddings.shape[1] == 2):
        by_hand = True  # beside a table made by hand: who knows none of its words can be put on that plane, too
    return max(offered, key=known)


def neighbours(beside: Sequence[str], base: Example) -> list[Example]:
    """Those of the examples `beside` that lie on the same axes as `base`."""
    return [*_neighbours(tuple(beside), base)]


@lru_cache(256)
def _neighbours(beside: tuple[str, ...], base: Example) -> tuple[Example, ...]:
    return tuple(example for example in map(worked, beside) if example.axes == base.axes)


def table(words: Sequence[str], among: Sequence[Example] = ()) -> tuple[str, ...]:
    """The distinct words that have a vector: those of the examples, then those of the sentence."""
    return _table(tuple(words), tuple(among))


@lru_cache(256)
def _table(words: tuple[str, ...], among: tuple[Example, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(word for example in among for word in example.words), *words)))


def field_of(fields: Sequence[Field], name: str) -> Field:
    """Return the field of this name."""
    result = next((f for f in fields if f.name == name), None)
    if result is None:
        raise faults.unknown(name, [f.name for f in fields], "a field of this page")
    return result


def _to_hand(f: Field, values: Values) -> Any:
    value = values[f.name]
    if f.options:
        return f.options(values).index(value)
    return value.tolist() if isinstance(value, np.ndarray) else value
