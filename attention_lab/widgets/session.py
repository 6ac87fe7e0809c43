"""The one place where a page's state meets Streamlit.

`open_page` reads the link that a page is opened by. Each run of the page or of its fragment begins with
`Page.sync_inputs`: it turns what the figure and the widgets say into events, and keeps the state that follows in
the session. From there on data flows one way: the state goes to the lesson, and what the lesson makes of it to
the figure and the charts. While a page is open, the browser alone writes its URL.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import streamlit as st

from attention_lab.lesson import Lesson, View
from attention_lab.state import permalink
from attention_lab.state import update as events
from attention_lab.state.permalink import Values
from attention_lab.state.predictions import Question, ask
from attention_lab.state.shared_fields import SHARED
from attention_lab.state.state import OWN, State, field_of
from attention_lab.text import Text

LINK = "link_to_open"  # in the session: what the next page is opened by instead of its URL
ASKED_AGAIN = "asked_again"  # in the session: the question whose answer is to be forgotten, by its letters
SELECTION = ("example", "word")  # what the next page begins with, where it can
LONGEST_NAME = 64  # of a question
NAMES_OF_SHARED = {f.name for f in SHARED}
LAST = 2**53  # beyond it the browser cannot count
OnChoose = Callable[[State, Any], Values]  # the values that follow from choosing one


@dataclass
class PageSession:
    """What one visitor's session keeps of one page: its state, and how much of the browser's events is in it."""

    state: State | None = None
    version: int = 0  # the number of the last event that was applied
    left_out: list[str] = field(default_factory=list)
    left_behind: tuple[str, ...] = ()  # words of one's own that this page could not take over
    refused: dict[str, str] = field(default_factory=dict)
    opened: Values = field(default_factory=dict)  # what the page's URL gave
    with_widgets: set[str] = field(default_factory=set)  # the fields that had a widget so far
    link_opened: bool = False  # by an event: what stands outside the fragment is to follow
    results_hidden: bool = False
    outside: list[tuple[Callable[[View], Any], Any]] = field(default_factory=list)  # see `Page.stands_outside`

    def new_events(self, message: Any) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the numbered events of a message that were not applied yet, whatever the message is."""
        result, last = [], self.version
        for numbered in message if isinstance(message, list) else ():
            match numbered:
                case [int(number), Mapping() as event] if type(number) is int and last < number < LAST:
                    last = number
                    result.append((number, event))
        return result


@dataclass
class Page:
    """A page as its script sees it: its lesson, its state, and what its widgets need."""

    lesson: Lesson
    session: PageSession
    editors: dict[str, Any] = field(default_factory=dict)  # where each draws: see `page_layout.change`

    @property
    def state(self) -> State:
        """The state as it is now."""
        return self.session.state

    @property
    def text(self) -> Text:
        """The page's words."""
        return self.state.text

    @property
    def hide(self) -> Sequence[str]:
        """The tools that the page's link hides."""
        return self.state.values["hide"]

    def options(self, name: str) -> Sequence[Any]:
        """The values that a choice may have now."""
        return self.state.options(name)

    def provenance_of(self, *names: str) -> str:
        """Where numbers come from that are made of the fields of these names."""
        return self.state.provenance_of(*names)

    @property
    def name(self) -> str:
        """The page's name: its lesson's."""
        return self.lesson.name

    def view(self) -> View:
        """What the page shows now: from here on the goals in it count as shown."""
        if asked := st.session_state.get(ASKED_AGAIN):
            self._ask_again(asked)
        view = self.lesson.view(self.state, version=self.session.version).with_goals_shown()
        self.session.state = view.state
        return replace(view, as_opened=self.as_opened)

    @property
    def as_opened(self) -> bool:
        """Whether the state is still the one that the page's URL gave."""
        opened = self.session.opened
        return all(permalink.same(value, opened.get(name)) for name, value in self.state.values.items())

    def _ask_again(self, asked: str) -> None:
        """Forget the answer to the question that a room asks again."""
        state = self.state
        questions, _ = ask(state, self.lesson.predictions(state, self.lesson.calculate(state)))
        for question in questions:
            if question.same_for_all == asked:
                del st.session_state[ASKED_AGAIN]
                self.session.state = events.update(state, events.AskAgain(question.about))
                return

    def key(self, name: str) -> str:
        """The session's key of a field's widget; what all pages share has no page in its key."""
        key = _key_of(self.lesson, name)
        if name in self.state.values:
            self.session.with_widgets.add(name)
            if key not in st.session_state:
                st.session_state[key] = self.state.values[name]  # Streamlit forgets one that was out of sight
        return key

    def _has_widget(self, name: str) -> bool:
        return name in self.session.with_widgets or name in NAMES_OF_SHARED

    def widget_value(self, name: str) -> Any:
        """What a field's widget says; the default where that is no option: a message may say anything."""
        f, values = field_of(self.lesson.fields, name), self.state.values
        value = st.session_state.get(self.key(name), values[name])
        return value if f.options is None or value in f.options(values) else f.default(values)

    def widget(self, name: str, *, inside: bool = False) -> dict[str, Any]:
        """What ties a widget to its field; `inside` says that it stands inside the page's fragment.

        A widget that is not drawn for a while keeps its value: Streamlit would go back to the first one it had.
        """
        if not inside:
            self.stands_outside(lambda view: view.state.values[name], self.state.values[name])
        return {"key": self.key(name), "persist_state": "session"}

    def revealed(self) -> bool:
        """Whether results may be shown outside the fragment: the page runs again whole once that changes."""
        hidden = self.session.results_hidden
        self.stands_outside(lambda view: view.results_hidden, hidden)
        return not hidden

    def asked(self) -> Sequence[Question]:
        """The questions in sight, to be asked outside the fragment."""
        questions = self.view().questions
        self.stands_outside(lambda view: _asked(view.questions), _asked(questions))
        return questions

    def followed(self) -> View:
        """What the page shows now, to be drawn outside the fragment: each change runs the page again whole."""
        view = self.view()
        self.stands_outside(lambda view: view.link, view.link)
        return view

    def stands_outside(self, told: Callable[[View], Any], now: Any) -> None:
        """Keep what is drawn outside the fragment `now`; once `told` is another, the page runs again whole."""
        self.session.outside.append((told, now))

    def rerun_if_outdated(self, view: View) -> None:
        """Run the page again where a view changes what stands outside the fragment."""
        self.session.results_hidden = view.results_hidden
        if any(told(view) != drawn for told, drawn in self.session.outside):
            st.rerun()

    def apply(self, event: events.Event) -> None:
        """Take the state that follows, and let the widgets show it."""
        before = self.state.values
        self.session.state = events.update(self.state, event)
        now = self.state.values
        self._update_widgets(name for name in now if not permalink.same(before[name], now[name]))

    def _update_widgets(self, names: Iterable[str]) -> None:
        """Let the widgets of these fields show their values, where they say anything else."""
        for name in filter(self._has_widget, names):
            key, value = _key_of(self.lesson, name), self.state.values[name]
            if key not in st.session_state or not permalink.same(st.session_state[key], value):
                st.session_state[key] = value

    def put(self, **values: Any) -> None:
        """Set fields from Python (in a callback, or before their widgets are drawn)."""
        self._apply_events()  # what the hand did came before, as a step of its own
        self._change(events.SetFields(values))

    def put_read(self, editor: str, read: Callable[[], Values]) -> None:
        """Set what an editor reads. What it refuses stays as typed, with the reason (`page_layout.refusal`)."""
        try:
            values = read()
        except permalink.RefusedError as why:
            self.session.refused[editor] = str(why)
        else:
            self.session.refused.pop(editor, None)
            self.put(**values)

    def choose(self, name: str, on_choose: OnChoose) -> None:
        """Set what follows from what a field's widget says."""
        self._apply_events()
        self._change(events.SetFields(on_choose(self.state, self.widget_value(name))))

    def start_over(self, *names: str) -> None:
        """Give the named fields their defaults again; if none are named, all of the page's own."""
        self._apply_events()
        self.session.refused.clear()
        self._change(events.Reset(names))

    def _change(self, event: events.Event) -> None:
        """Apply an event that Python has made: the widgets are to follow, whatever they hold."""
        self.apply(event)
        self._update_widgets(event.values if isinstance(event, events.SetFields) else self.state.values)

    def sync_inputs(self) -> None:
        """Take in what the hand and the widgets say now. A fragment begins with it."""
        session_state, session, name = st.session_state, self.session, self.name
        if session_state.get("page_open") != name or session.state is None:
            self._arrive(session_state.pop(LINK, None))
        else:
            self._apply_events()
            self._take_widgets()
        session_state["page_open"] = name
        self._save_selection()
        if session.link_opened:
            session.link_opened = False
            st.rerun()

    def _apply_events(self) -> None:
        """Apply the browser's events that are new, in their order. Whatever was sent, nothing raises."""
        session = self.session
        for number, event in session.new_events(_message(self.name)):
            session.version = number
            match event:
                case {"turn": -1 | 1 as way}:
                    self._step(events.Undo() if way < 0 else events.Redo())
                case {"example": str(name)}:
                    self._step(events.SwitchExample(name))
                case {"link": str(search)}:
                    self._open_link(search, event.get("asked"))
                case {"move": Mapping() as moved}:
                    rows = event.get("rows")
                    self.apply(events.Move(moved, rows if isinstance(rows, Mapping) else {}))
            session.state = events.update(self.state, events.ReachGoals(event.get("goals")))

    @property
    def known_frame(self) -> str:
        """The figure's frame that the browser has, as it said with its last events."""
        match _message(self.name):
            case [str(frame), *_]:
                return frame
        return ""

    def receive(self, message: Any) -> None:
        """Run the page again where its figure, drawn just now, has brought events that were not applied.

        A new session knows what the figure has sent only once it has drawn it: after a restart, what was done
        while no server was there.
        """
        if self.session.new_events(message):
            st.rerun()

    def _step(self, event: events.Event) -> None:
        before = self.state
        self.apply(event)
        if self.state.values is not before.values:
            self.session.refused.clear()

    def _open_link(self, search: str, asked: Any) -> None:
        """Follow a link on the open page: the one that a room leads to, or that was left by Back."""
        shared = {f.name: self.state.values[f.name] for f in SHARED}
        there, self.session.left_out = self.lesson.parse(parse_link(search), shared)
        self._follow(there.values)
        self.session.link_opened = True
        if isinstance(asked, str) and 0 < len(asked) <= LONGEST_NAME:
            st.session_state[ASKED_AGAIN] = asked

    def _follow(self, values: Values) -> None:
        """Set what a link says: a goal that its numbers meet was not reached by the reader."""
        self._change(events.SetFields(values))
        self.session.state = replace(self.state, open_goal=())

    def _take_widgets(self) -> None:
        changed = {}
        for name in filter(self._has_widget, self.state.values):
            value = st.session_state.get(_key_of(self.lesson, name))
            if value is not None and not permalink.same(value, self.state.values[name]):
                changed[name] = value
        if changed:
            self.apply(events.SetFields(changed))
            self._update_widgets(changed)  # one that cannot be has given way to the default

    def _arrive(self, link: Mapping[str, Sequence[str]] | None) -> None:
        """First run on the page: the URL decides; without one, the page's memory and what came along."""
        texts = {key: st.query_params.get_all(key) for key in st.query_params} if link is None else link
        session = self.session
        session.left_behind = ()
        if link is not None and session.state is not None:
            self._apply_events()  # moves made before the leader's link came
        shared = {f.name: st.session_state[f.name] for f in SHARED if f.name in st.session_state}
        is_set = any(f.name in texts for f in self.lesson.fields)  # a link of trackers only sets nothing
        known = shared if is_set else self._restore_selection() | shared
        there, session.left_out = self.lesson.parse(texts, known)
        session.state = session.state or there
        self._follow(there.values)
        session.opened = session.state.values if link is None else {}

    def _save_selection(self) -> None:
        """Let other pages know which example and word were chosen: not those that merely stand here at first."""
        state, selection, values = self.state, st.session_state.get("selection", {}), self.state.values
        passed = [f for f in state.fields if f.name in SELECTION]
        if self.session.left_behind:  # words that this page could not take go on to those that can
            passed = [f for f in passed if f.name != "example" or values[f.name] != f.default(values)]
        offered = {f: state.options(f.name) for f in passed}
        real = {f: options for f, options in offered.items() if len(options) > 1}  # else what came goes on
        if any(
            values[f.name] != f.default(values) or selection.get(f.name) in options for f, options in real.items()
        ):
            selection = st.session_state["selection"] = selection | {f.name: values[f.name] for f in real}
        if values.get("example") == OWN:
            own, before = state.own_words(), selection.get("own", {})
            if tuple(dict.fromkeys(before.get("words", ()))) == own["words"]:
                own["words"] = before["words"]  # here, each word once; elsewhere, the sentence
            if before.get("axes") == own["axes"]:
                elsewhere = {word: at for word, at in before["vectors"].items() if word not in state.table}
                own["vectors"] = elsewhere | own["vectors"]
            st.session_state["selection"] = selection | {"own": own}

    def _restore_selection(self) -> Values:
        """What the page remembers, with the example and word of the previous page where they make sense here."""
        selection, fields = st.session_state.get("selection", {}), self.lesson.fields
        kept = dict(self.state.values) if self.state else {}
        names = {f.name for f in fields}
        example, word = selection.get("example"), selection.get("word")
        touched = kept and any(
            f.from_example and not permalink.same(kept[f.name], f.default(kept)) for f in fields
        )
        known = dict(kept)
        offered = field_of(fields, "example").options({}) if "example" in names else ()
        if example in offered and example != OWN and not touched and example != kept.get("example"):
            known = {f.name: kept[f.name] for f in fields if f.name in kept and not events.goes_with_example(f)}
            known["example"] = example
        own = selection.get("own") if example == OWN and OWN in offered else None
        if own and (not touched or kept.get("example") == OWN):
            known = self._with_own_words(known, own) or known
        if "word" in names and word is not None:
            values = permalink.complete(fields, known)
            if word in field_of(fields, "word").options(values):
                known["word"] = word
        return known

    def _with_own_words(self, kept: Values, own: Mapping[str, Any]) -> Values | None:
        """The page's values with words of one's own from another page; None where it cannot take them.

        What was moved on the same axes stays so. A page whose axes are features takes only words that it knows.
        """
        fields = self.lesson.fields
        said, words = field_of(fields, "words"), own["words"]
        for sentence in (words, tuple(dict.fromkeys(words))):  # where each word needs a name of its own, once
            try:
                words = said.read(said.write(sentence), {})
                break
            except permalink.RefusedError:
                continue
        else:
            return None
        known = {f.name: kept[f.name] for f in fields if f.name in kept and not events.goes_with_example(f)}
        known |= {"example": OWN, "words": words, "vectors": np.empty((0, len(own["axes"])))}
        stays = kept.get("example") == OWN and kept.get("words") == words
        if not stays:  # first where they stand: what follows may be made of that
            vectors = field_of(fields, "vectors")
            known["vectors"] = vectors.default(permalink.complete(fields[: fields.index(vectors)], known) | known)
        values = dict(kept) if stays else permalink.complete(fields, known)
        there = State(self.lesson, values)
        vectors, rows = values["vectors"].copy(), there.table
        if not all(vectors[rows.index(word)].any() for word in there.placed_words):
            self.session.left_behind = words
            return None
        if there.worked_example.axes == own["axes"]:
            for word in set(rows) & set(own["vectors"]):
                vectors[rows.index(word)] = own["vectors"][word]
        return (values if stays else known) | {"vectors": vectors}


def _asked(questions: Iterable[Question]) -> list[tuple]:
    return [(question.about, question.verdict) for question in questions]


def _key_of(lesson: Lesson, name: str) -> str:
    return name if name in NAMES_OF_SHARED else f"{lesson.name}.{name}"


def _message(name: str) -> Any:
    """The newest that a page's figure has sent, whatever that is."""
    sent = st.session_state.get(f"{name}.stage")
    return sent.get("events") if isinstance(sent, Mapping) else None


def parse_link(search: str) -> dict[str, list[str]]:
    """The parameters of a URL's query."""
    try:
        return parse_qs(search.removeprefix("?"), keep_blank_values=True)
    except ValueError:
        return {}


def lead_to(search: str, without: str = "") -> None:
    """Let the page be opened by another link, `without` one of its parameters."""
    link = parse_link(search)
    link.pop(without, None)
    st.session_state[LINK] = link
    st.session_state.pop("page_open", None)


def begin_again(link: Mapping[str, Sequence[str]]) -> None:
    """Forget all that the session holds; the page that is open is opened again by a link."""
    pages = st.session_state.get("pages", {})
    sent = {name: _message(name) for name in pages}
    for key in list(st.session_state):
        del st.session_state[key]
    st.session_state["pages"] = {
        name: PageSession(version=max([session.version, *dict(session.new_events(sent[name]))]))
        for name, session in pages.items()
    }
    st.session_state[LINK] = link


def open_page(lesson: Lesson) -> Page:
    """Return the page about a lesson as it is in this run."""
    sessions: dict[str, PageSession] = st.session_state.setdefault("pages", {})
    page = Page(lesson, sessions.setdefault(lesson.name, PageSession()))
    page.session.outside.clear()
    state = page.state
    if state is not None and state.lesson is not lesson:  # its code was changed and loaded again
        values = permalink.complete(lesson.fields, state.values)
        page.session.state = replace(state, lesson=lesson, values=values)
    page.sync_inputs()
    return page
