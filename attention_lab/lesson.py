"""A lesson as a value, and what follows from one of its states: everything that a page shows.

Nothing here knows Streamlit: a page, a file that stands alone and a test ask a lesson in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attention_lab import faults
from attention_lab.calculation import Results
from attention_lab.figure.browser_code import OwnParts
from attention_lab.figure.carried import BinaryArrays
from attention_lab.figure.layout import Column
from attention_lab.figure.payload import figure_payload
from attention_lab.state import permalink
from attention_lab.state.permalink import Values
from attention_lab.state.predictions import Prediction, Question, ask
from attention_lab.state.shared_fields import OF_LINKS, SHARED
from attention_lab.state.state import LessonFields, State
from attention_lab.state.update import Event, ShowGoal, update

if TYPE_CHECKING:
    import pandas as pd

LANGUAGES = ("en",)
Hidden = Sequence[bool]  # for each prediction, whether it or one before it waits for an answer


@dataclass(frozen=True, eq=False)
class Lesson(LessonFields):
    """What one page teaches: its fields, its calculation, its questions, its figure, and what can be exported.

    A page without a figure, such as a sheet of paper, has neither `calculate` nor `figure`.
    """

    _: KW_ONLY
    calculate: Callable[[State], Results] | None = None
    figure: Callable[[State, Results, Hidden], Sequence[Column]] | None = None
    predictions: Callable[[State, Results], Sequence[Prediction]] = lambda state, now: ()
    title: Callable[[State], str] = lambda state: state.text.plain("figure")
    first_move: Callable[[State], str] = lambda state: ""  # the handle or the cell to move first
    arrays: Callable[[State, Hidden], Mapping[str, BinaryArrays]] = lambda state, hidden: {}
    tables: Callable[[State], Mapping[str, pd.DataFrame]] | None = None
    program: Callable[[State], Mapping[str, Any]] | None = None  # what its programs begin with
    own_parts: OwnParts | None = None  # of the figure
    trained: tuple[str, ...] = ()  # the shipped models from which something here was learned

    def __new__(cls, *declared: Any, **hooks: Any) -> Lesson:
        """Refuse a hook that no lesson has, and name the one that was perhaps meant."""
        known = [f.name for f in fields(cls)]
        for name in hooks:
            if name not in known:
                raise faults.unknown(name, known, "a hook of a lesson")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Add the fields that every page has."""
        object.__setattr__(self, "fields", (*self.fields, *OF_LINKS, *SHARED))

    def parse(
        self, query: Mapping[str, str | Sequence[str]], known: Values | None = None
    ) -> tuple[State, list[str]]:
        """Return the state that a link's parameters lead to, and a sentence on each that could not be used.

        What the link lacks comes from `known` values, else from the defaults.
        """
        texts = {name: [text] if isinstance(text, str) else list(text) for name, text in query.items()}
        values, notices = permalink.read_address(self.fields, texts, known)
        return State(self, values), notices

    def update(self, state: State, event: Event) -> State:
        """Return the state that follows from an event."""
        return update(state, event)

    def view(self, state: State, language: str = "en", version: int = 0) -> View:
        """Return what the page shows in a state."""
        if language not in LANGUAGES:
            raise faults.unknown(language, LANGUAGES, "a language of the course")
        now = self.calculate(state)
        questions, hidden = ask(state, self.predictions(state, now))
        columns = self.figure(state, now, hidden)
        veil = bool(hidden and hidden[0] and state.predict)
        return View(state, now, columns, questions, hidden, veil, self.arrays(state, hidden), version)


@dataclass(frozen=True, eq=False)
class View:
    """What a page shows in a state."""

    state: State
    now: Results
    columns: Sequence[Column]
    questions: Sequence[Question]
    hidden: Hidden
    veil: bool  # whether numbers and pictures wait for the reader's prediction
    arrays: Mapping[str, BinaryArrays]
    version: int = 0  # the number of the browser's last event that the state holds

    @cached_property
    def payload(self) -> bytes:
        """The figure as the browser reads it: JSON."""
        lesson, state = self.state.lesson, self.state
        return figure_payload(
            state,
            self.columns,
            self.now,
            title=lesson.title(state),
            veil=self.veil,
            own=lesson.own_parts,
            arrays=self.arrays,
            first_move=lesson.first_move(state),
            asked=self.asked,
            version=self.version,
        )

    @property
    def goals_in_sight(self) -> list[ShowGoal]:
        """The events that follow once the reader sees this: a goal is in sight, and met or not."""
        shown = (column.goal for column in self.columns if column.goal)
        return [ShowGoal(goal, met=met and not self.veil) for goal, met in shown]

    @property
    def asked(self) -> dict[str, Any] | None:
        """The last question in sight, as a room is told of it; empty where the page has one, and None if not."""
        if not self.questions:
            return {} if self.hidden and not self.state.predict else None
        last = self.questions[-1]
        answers = [str(answer) if place in last.options else None for place, answer in enumerate(last.answers)]
        return {"of": last.same_for_all, "answers": answers, "open": last.verdict is None}

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The numbers behind the pictures, by the tables' titles."""
        return self.state.lesson.tables(self.state)

    @property
    def link(self) -> dict[str, str]:
        """The parameters of a link that leads back to this state."""
        return self.state.link
