"""A lesson as a value, and what follows from one of its states: everything that a page shows.

Nothing here knows Streamlit: a page, a file that stands alone and a test ask a lesson in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from attention_core.models import unreadable
from attention_lab import faults
from attention_lab.calculation import NO_CALCULATION, Calculation, Results, long_work
from attention_lab.calculation.binary_arrays import BinaryArrays
from attention_lab.calculation.caches import BoundedCache
from attention_lab.calculation.read_cache import ReadCache, Same, Watched
from attention_lab.calculation.result_cache import key_of
from attention_lab.figure.browser_code import OwnParts, parts_of_lessons
from attention_lab.figure.layout import Column, remark
from attention_lab.figure.payload import Frame, figure_frame, json_text, language_payload
from attention_lab.state import permalink
from attention_lab.state.permalink import Values
from attention_lab.state.predictions import Prediction, Question, ask
from attention_lab.state.shared_fields import OF_LINKS, SHARED
from attention_lab.state.state import LessonFields, State, fingerprint
from attention_lab.state.update import Event, ShowGoal, update
from attention_lab.state.vocabulary import example_setting
from attention_lab.text import listed, ui_text
from attention_lab.text.languages import speaking

if TYPE_CHECKING:
    import pandas as pd

HOOKS = ("calculate", "draw", "predictions", "title", "paragraphs", "first_move", "arrays", "tables", "program")
Hidden = Sequence[bool]  # for each prediction, whether it or one before it waits for an answer


class Program(dict[str, Any]):
    """What programs of another name than the page's begin with, and the `files` that they read, by their
    names."""

    def __init__(self, name: str, constants: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        super().__init__(constants)
        self.name, self.files = name, files


@dataclass(frozen=True, eq=False)
class Lesson(LessonFields):
    """What one page teaches: its fields, its calculation, its questions, its figure, and what can be exported.

    A page without a figure, such as a sheet of paper, has neither `calculate` nor `draw`. A page of several
    lessons has `variant`, which returns the one that a state shows: its hooks are the page's then.
    """

    _: KW_ONLY
    variant: Callable[[State], Lesson] | None = None
    calculate: Callable[[State], Results] | None = None
    draw: Callable[[State, Results, Hidden], Sequence[Column]] | None = None  # the figure, column by column
    predictions: Callable[[State, Results], Sequence[Prediction]] = lambda state, now: ()
    title: Callable[[State], str] = lambda state: state.text.plain("figure")
    promise: Callable[[State], str] = lambda state: state.text.get("promise", "")  # the sentence below the title
    # Sections of the words below the figure.
    paragraphs: Callable[[State], Sequence[str]] = lambda state: ["text"]
    # What can be chosen beside the figure: for each setting, its values and their texts.
    settings: Callable[[State], Mapping[str, Mapping[str, str]]] = example_setting
    first_move: Callable[[State, Results], str] = lambda state, now: ""  # the handle or the cell to move first
    arrays: Callable[[State, Hidden], Mapping[str, BinaryArrays]] = lambda state, hidden: {}
    tables: Callable[[State], Mapping[str, pd.DataFrame]] | None = None
    program: Callable[[State], Mapping[str, Any]] | None = None  # what its programs begin with
    own_parts: OwnParts | None = None  # of the figure; those in the lesson's folder if it names no others
    trained: tuple[str, ...] = ()  # the shipped models from which something here was learned
    missing_file: Callable[[State], str] = lambda state: ""  # the model file without which it has no figure
    progress: Callable[[State], int] = lambda state: 0  # of what grows while the state stays the same
    exported: Callable[[State], bool] = lambda state: True  # whether files and programs can be made of a state
    frames: Callable[[State], ReadCache] = lambda state: FRAMES  # where its figure is kept, to be found again

    def __new__(cls, *declared: Any, **hooks: Any) -> Lesson:
        """Refuse a hook that no lesson has, and name the one that was perhaps meant."""
        known = [f.name for f in fields(cls)]
        for name in hooks:
            if name not in known:
                raise faults.unknown(name, known, "a hook of a lesson")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Add what every page has, the parts in its folder, and the hooks of the lesson that a state shows."""
        object.__setattr__(self, "fields", (*self.fields, *OF_LINKS, *SHARED))
        object.__setattr__(self, "own_parts", self.own_parts or parts_of_lessons().get(self.name))
        for hook in HOOKS if self.variant else ():
            object.__setattr__(self, hook, partial(self._ask_variant, hook))

    def _ask_variant(self, hook: str, state: State, *given: Any) -> Any:
        return getattr(self.variant(state), hook)(state, *given)

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

    def fault(self, state: State) -> str:
        """Return why a state has no figure, in a sentence; empty where it has one."""
        file = self.missing_file(state)
        return ui_text("weights_missing/figure", file=file) if file else ""

    def missing_models(self) -> str:
        """Return which model files the page does without, in a sentence; empty where all are there."""
        files = listed(f"{name}.npz" for name in unreadable(self.trained))
        return ui_text("weights_missing", files=files) if files else ""

    def view(self, state: State, language: str | None = None, version: int = 0) -> View:
        """Return what the page shows in a state, in the state's own language or in another.

        Where the state has no figure, the sentence that says why stands in its place.
        """
        if language is not None:
            state = state.in_language(language)
        with speaking(state.language):
            if self.missing_file(state):
                now = NO_CALCULATION.run({})
                return View(state, now, self._frame(state, now, ()), (), (), False, version)
            if not state.undo_stack and (kept := VIEWS.view(self, state)):
                return replace(kept, state=state, version=version)
            return self._view(state, version)

    def _view(self, state: State, version: int = 0) -> View:
        now = self.calculate(state)
        questions, hidden = ask(state, self.predictions(state, now))
        results_hidden = bool(hidden and hidden[0] and state.predict)
        return View(state, now, self._frame(state, now, hidden), questions, hidden, results_hidden, version)

    def _frame(self, state: State, now: Results, hidden: Hidden) -> Frame:
        """The figure's frame: of all that a hand moves it follows from little, and is found again by that."""
        key = self, _texts(state), tuple(hidden), now.calculation, tuple(now.constants)
        sources = state.values, now, now.constants, now.settings
        frames = self.frames(state)
        if (frame := frames.get(key, sources)) is None:
            reads: dict[tuple[int, Any], Any] = {}
            values, results, constants, settings = (Watched(k, each, reads) for k, each in enumerate(sources))
            results.__dict__.update(calculation=now.calculation, constants=constants, settings=settings)
            watched = State(self, values)
            fault = self.fault(watched)
            frame = figure_frame(
                watched,
                [Column([remark(fault)])] if fault else self.draw(watched, results, hidden),
                results,
                title=self.title(watched),
                own=self.own_parts,
                arrays={} if fault else self.arrays(watched, hidden),
            )
            frames.put(key, reads, frame)
        return frame


@dataclass(frozen=True, eq=False)
class View:
    """What a page shows in a state."""

    state: State
    now: Results
    frame: Frame  # of its figure
    questions: Sequence[Question]
    hidden: Hidden
    results_hidden: bool  # whether numbers and pictures wait for the reader's prediction
    version: int = 0  # the number of the browser's last event that the state holds
    as_opened: bool = True  # whether the state is still the one that the page's URL gave

    @property
    def arrays(self) -> Mapping[str, BinaryArrays]:
        """What of the figure's constants is sent separately."""
        return self.frame.arrays

    @cached_property
    def change(self) -> str:
        """What a browser lacks that has the figure's frame, as JSON; it names that frame."""
        state, frame, lesson = self.state, self.frame, self.state.lesson
        with speaking(state.language):
            data = {
                **language_payload(),
                "page": state.name,
                "frame": frame.id,
                "pose": state.pose(),
                "version": self.version,
                "search": urlencode(state.link),
                "as_opened": self.as_opened,
                "provenance": {of: state.provenance_of(*of.split()) for of in frame.badges},
                "subject": fingerprint(state.subject),
                "completed_goals": sorted(state.completed_goals),
                "turns": [len(state.undo_stack), len(state.redo_stack)],
                "results_hidden": self.results_hidden,
                "first": "" if lesson.missing_file(state) else lesson.first_move(state, self.now),
            }
            if state.room:
                pose = state.pose(state.defaults())
                begun = {f.name: pose[f.name] for f in state.fields if f.interactive and f.animated}
                data["room"] = {"sharing_key": state.sharing_key, "begun": begun, "asked": self.class_question}
        return json_text(data)

    @property
    def data(self) -> dict[str, Any]:
        """The figure as the browser reads it."""
        return json.loads(self.change) | json.loads(self.frame.text)

    @property
    def payload(self) -> bytes:
        """The same as JSON."""
        return json_text(self.data).encode()

    def message(self, known: str) -> bytes:
        """What a browser is sent that has the frame of this id: the change.

        If its frame is another, the frame follows, and its arrays as bytes.
        """
        if known == self.frame.id:
            return self.change.encode()
        apart = b"".join(each.data for each in self.arrays.values())
        return b"\n".join([self.change.encode(), self.frame.text.encode(), apart])

    def with_goals_shown(self) -> View:
        """The view once the reader sees it: the goal in sight is shown."""
        state = self.state
        for event in self.goals_in_sight:
            state = update(state, event)
        return replace(self, state=state)

    @property
    def provenance(self) -> str:
        """Where the numbers of the figure's first picture come from."""
        return self.state.provenance_of(*self.frame.badges[0].split())

    @property
    def goals_in_sight(self) -> list[ShowGoal]:
        """The events that follow once the reader sees this: a goal is in sight, and met or not."""
        return [ShowGoal(goal, met=not self.results_hidden and met(self.now)) for goal, met in self.frame.goals]

    @property
    def class_question(self) -> dict[str, Any] | None:
        """The last question in sight, as a room is told of it; empty where the page has one, and None if not."""
        if not self.questions:
            return {} if self.hidden and not self.state.predict else None
        last = self.questions[-1]
        answers = [str(answer) if place in last.options else None for place, answer in enumerate(last.answers)]
        return {"of": last.same_for_all, "answers": answers, "open": last.verdict is None}

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The numbers behind the pictures, by the tables' titles."""
        with speaking(self.state.language):
            return self.state.lesson.tables(self.state)

    @property
    def link(self) -> dict[str, str]:
        """The parameters of a link that leads back to this state."""
        return self.state.link


def _texts(state: State) -> Hashable:
    """What texts a state is shown in: those of a language, as they are written now."""
    return tuple(map(Same, state.texts))


class Views:
    """The newest views of states in which no hand has moved anything yet: many readers ask for the same.

    Those who ask for one at the same time wait until it is computed.
    """

    def __init__(self) -> None:
        self._kept = BoundedCache(64, 32_000_000, shared=(Lesson, Calculation))
        self._one_at_a_time = RLock()

    def view(self, lesson: Lesson, state: State) -> View | None:
        """Return the view, of whichever reader's state; None where it is not found again or takes long."""
        try:
            known = key_of(state.values), key_of(state.predictions)
            key = lesson, lesson.progress(state), _texts(state), *known
        except TypeError:
            return None
        if (kept := self._kept.get(key)) is None:
            with self._one_at_a_time, suppress(long_work.TooLongError), long_work.refused():
                if (kept := self._kept.get(key)) is None:
                    kept = self._kept.put(key, lesson._view(state))
        return kept


VIEWS = Views()
FRAMES = ReadCache(256, 32_000_000, lambda frame: frame.nbytes)
