"""The one place where a page's state meets Streamlit.

`open_page` turns what the figure, the widgets and the address say into events, keeps the state that follows in
the session, and keeps the address true. From there on data flows one way: the state goes to the lesson, and
what the lesson makes of it to the figure and the charts.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import streamlit as st

from attention_lab.figure.payload import Sync
from attention_lab.lesson import Lesson, View
from attention_lab.state import permalink
from attention_lab.state.permalink import Values
from attention_lab.state.shared_fields import SHARED
from attention_lab.state.state import OWN, State, field_of
from attention_lab.state.update import (
    AskAgain,
    Choose,
    Event,
    Move,
    ReachGoals,
    Redo,
    Reset,
    SwitchExample,
    Undo,
    goes_with_example,
    update,
)

LED, ASKED_ANEW = "led_to", "asked_anew"  # in the session: see `lead_to`
CARRIED = ("example", "word")  # what the next page begins with, where it can
LAST_SEQ = 2**53  # beyond it the browser cannot count
BACK, ON = -1, 1
OnChoose = Callable[[State, Any], Values]  # the values that follow from choosing one


@dataclass
class PageSession:
    """What one visitor's session keeps of one page: its state, and what the browser knows of it."""

    state: State | None = None
    epoch: str = field(default_factory=lambda: secrets.token_hex(4))
    seq: int = 0
    answered: int = 0  # the number of the browser's last command that was carried out
    address: dict[str, str] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list)
    arrival: dict[str, list[str]] | None = None
    left_out: list[str] = field(default_factory=list)
    left_behind: tuple[str, ...] = ()  # words of one's own that this page could not take over
    refused: dict[str, str] = field(default_factory=dict)
    shown: Values = field(default_factory=dict)
    results_hidden: bool = False
    hidden_outside: bool | None = None

    def renew(self) -> None:
        """Tell the browser that its pose is no longer the newest: Python has changed something."""
        self.epoch = secrets.token_hex(4)

    def saw(self, parameters: Iterable[tuple[str, ...]]) -> None:
        """Keep the newest parameters that the address has held: their hashes, since an address may be long."""
        self.seen = [*dict.fromkeys((*self.seen, *map(hash, parameters)))][-64:]

    def commands(self, sent: Any) -> Iterator[Event]:
        """What the browser asks for and has not been answered yet, whatever it has sent."""
        for command in sent if isinstance(sent, list) else ():
            if not (isinstance(command, list) and len(command) == 2 and type(command[0]) is int):
                continue
            number, what = command
            if not self.answered < number < LAST_SEQ:
                continue
            if isinstance(what, str) or what in (BACK, ON):
                self.answered = number
                yield SwitchExample(what) if isinstance(what, str) else Undo() if what == BACK else Redo()


@dataclass
class Page:
    """A page as its script sees it: its lesson, its state, and what its widgets need.

    The state's own attributes can be read of it, too: ``page.measure``, ``page.text``.
    """

    lesson: Lesson
    session: PageSession

    def __getattr__(self, name: str) -> Any:
        """What the state says."""
        if name.startswith("__") or name in ("lesson", "session"):
            raise AttributeError(name)
        return getattr(self.session.state, name)

    @property
    def state(self) -> State:
        """The state as it is now."""
        return self.session.state

    @property
    def name(self) -> str:
        """The page's name: its lesson's."""
        return self.lesson.name

    def view(self) -> View:
        """What the page shows now."""
        if asked := st.session_state.get(ASKED_ANEW):
            self._ask_again(asked)
        session = self.session
        sync = Sync(session.epoch, session.seq, session.answered, bool(session.arrival))
        view = self.lesson.view(self.state, sync=sync)
        session.state = view.state
        return view

    def _ask_again(self, asked: str) -> None:
        """Forget the answer to the question that a room asks again."""
        for question in self.lesson.view(self.state).questions:
            if question.same_for_all == asked:
                del st.session_state[ASKED_ANEW]
                self.session.state = update(self.state, AskAgain(question.about))
                return

    def key(self, name: str) -> str:
        """The session's key of a field's widget; what all pages share has no page in its key."""
        key = _key_of(self.lesson, name)
        if name in self.state.values and key not in st.session_state:
            st.session_state[key] = self.state.values[name]  # Streamlit forgets a widget that was out of sight
        return key

    def widget_value(self, name: str) -> Any:
        """What a field's widget says; the default where that is no option: a message may say anything."""
        f, values = field_of(self.lesson.fields, name), self.state.values
        value = st.session_state.get(self.key(name), values[name])
        return value if f.options is None or value in f.options(values) else f.default(values)

    def widget(self, name: str) -> dict[str, Any]:
        """The key of a field's widget, for a widget that stands outside the page's fragment."""
        self.session.shown[name] = self.state.values[name]
        return {"key": self.key(name)}

    def revealed(self) -> bool:
        """Whether results may be shown outside the fragment: the page runs again whole once that changes."""
        self.session.hidden_outside = self.session.results_hidden
        return not self.session.results_hidden

    def seen(self, view: View) -> None:
        """Keep whether the results are hidden; run the page again where that changes what stands outside."""
        session = self.session
        session.results_hidden = view.veil
        if session.hidden_outside not in (None, view.veil):
            st.rerun()

    def apply(self, event: Event, *, known: Iterable[str] = ()) -> None:
        """Take the state that follows. The browser is told unless it `known` every field that has changed."""
        before = self.state.values
        self.session.state = update(self.state, event)
        now = self.state.values
        changed = {name for name in now if not permalink.same(before[name], now[name])}
        self._tell_widgets(changed)
        if not changed <= set(known):
            self.session.renew()

    def _tell_widgets(self, names: Iterable[str]) -> None:
        """Let the widgets of these fields show their values, where they say anything else."""
        for name in names:
            key, value = _key_of(self.lesson, name), self.state.values[name]
            if key not in st.session_state or not permalink.same(st.session_state[key], value):
                st.session_state[key] = value

    def put(self, **values: Any) -> None:
        """Set fields from Python (in a callback, or before their widgets are drawn)."""
        self._take_pose()  # what the hand did came before, as a step of its own
        self._change(Choose(values))

    def choose(self, name: str, on_choose: OnChoose) -> None:
        """Set what follows from what a field's widget says."""
        self._take_pose()
        self._change(Choose(on_choose(self.state, self.widget_value(name))))

    def start_over(self, *names: str) -> None:
        """Give the named fields their defaults again; if none are named, all of the page's own."""
        self._take_pose()
        self.session.refused.clear()
        self._change(Reset(names))

    def _change(self, event: Event) -> None:
        """Apply an event that Python has made: the widgets and the browser are to follow, whatever they hold."""
        self.apply(event)
        self._tell_widgets(event.values if isinstance(event, Choose) else self.state.values)
        self.session.renew()

    def sync_inputs(self) -> None:
        """Take in what the hand, the widgets and the address say now. A fragment begins with it.

        Where a hand changed what a widget outside the fragment shows (`widget`), the whole page runs again.
        """
        session_state, session, name = st.session_state, self.session, self.name
        texts = {key: st.query_params.get_all(key) for key in st.query_params}
        if session_state.get("page_open") != name or session.state is None:
            session_state.pop(LED, None)
            self._arrive(texts)
        else:
            self._take_pose()
            self._take_widgets()
            if led := session_state.get(LED) == texts:
                del session_state[LED]
            self._follow_address(texts, led=led)
        session_state["page_open"] = name
        session.saw((key, *all_of) for key, all_of in texts.items())
        self._carry_out_commands()
        self._write_address(texts)
        self._save_selection()
        if any(not permalink.same(self.state.values[key], value) for key, value in session.shown.items()):
            session.shown.clear()
            st.rerun()

    def _sent(self) -> Mapping[str, Any]:
        """The newest that the browser has sent of the page's pose."""
        sent = (st.session_state.get(f"{self.name}.stage") or {}).get("pose")
        return sent if isinstance(sent, Mapping) else {}

    def _take_pose(self) -> None:
        """Take over what the hand made, if it is newer than what is known. Whatever was sent, nothing raises.

        ``moved`` in what was sent names the fields that the hand has changed, and which it holds.
        """
        sent, session = self._sent(), self.session
        if sent.get("epoch") != session.epoch or not isinstance(sent.get("seq"), int):
            return
        if not session.seq < sent["seq"] < LAST_SEQ:
            return
        session.seq = sent["seq"]
        moved = sent.get("moved", list(sent))
        if isinstance(moved, list):
            self.apply(Move({name: value for name, value in sent.items() if name in moved}), known=sent)
        session.state = update(self.state, ReachGoals(sent.get("completed_goals")))

    def _take_widgets(self) -> None:
        """Take the widgets' values; one that the figure also holds means that the figure must follow."""
        changed, in_figure = {}, set()
        for f in self.lesson.fields:
            value = st.session_state.get(self.key(f.name), self.state.values[f.name])
            if value is not None and not permalink.same(value, self.state.values[f.name]):
                changed[f.name] = value
                in_figure |= {f.name} if f.interactive else set()
        if changed:
            self.apply(Choose(changed), known=changed.keys() - in_figure)
            self._tell_widgets(changed)  # one that cannot be has given way to the default

    def _carry_out_commands(self) -> None:
        """Go back and on in what was made on the page, or take another example, as the hand has asked."""
        for event in self.session.commands(self._sent().get("commands")):
            before = self.state
            self.apply(event)
            if self.state.values is not before.values:
                self.session.refused.clear()
                self.session.renew()

    def _follow_address(self, texts: Mapping[str, Sequence[str]], *, led: bool) -> None:
        """Follow an address that changed under the page.

        Not one that the figure says it has written itself, nor one of before, unless one is `led` there: while
        the server is slow, the browser goes on sending it.
        """
        session = self.session
        own = _parameters(self._sent().get("address")) == texts
        if not led and (own or all(hash((key, *all_of)) in session.seen for key, all_of in texts.items())):
            return
        shared = {f.name: self.state.values[f.name] for f in SHARED}
        there, session.left_out = self.lesson.parse(texts, shared)
        if not all(permalink.same(there.values[name], value) for name, value in self.state.values.items()):
            self.put(**there.values)

    def _write_address(self, texts: Mapping[str, Sequence[str]]) -> None:
        session, address = self.session, self.state.link
        if address == session.address and texts == session.arrival:
            return  # an address that one came by stays as it is until something is changed
        session.address, session.arrival = address, None
        session.saw(address.items())
        if {key: [text] for key, text in address.items()} != dict(texts):
            st.query_params.from_dict(address)

    def _arrive(self, texts: Mapping[str, Sequence[str]]) -> None:
        """First run on the page: the address decides; without one, the page's memory and what came along."""
        session = self.session
        session.left_behind = ()
        shared = {f.name: st.session_state[f.name] for f in SHARED if f.name in st.session_state}
        known = shared if texts else self._restore_selection() | shared
        there, session.left_out = self.lesson.parse(texts, known)
        session.state = session.state or there
        self._change(Choose(there.values))
        session.address = self.state.link if texts else {}
        session.seen, session.arrival = [], dict(texts)

    def _save_selection(self) -> None:
        """Let other pages know which example and word were chosen: not those that merely stand here at first."""
        state, carried, values = self.state, st.session_state.get("carried", {}), self.state.values
        passed = [f for f in state.fields if f.name in CARRIED]
        if self.session.left_behind:  # words that this page could not take go on to those that can
            passed = [f for f in passed if f.name != "example" or values[f.name] != f.default(values)]
        offered = {f: state.options(f.name) for f in passed}
        real = {f: options for f, options in offered.items() if len(options) > 1}  # else what came goes on
        if any(
            values[f.name] != f.default(values) or carried.get(f.name) in options for f, options in real.items()
        ):
            carried = st.session_state["carried"] = carried | {f.name: values[f.name] for f in real}
        if values.get("example") == OWN:
            own, before = state.own_words(), carried.get("own", {})
            if tuple(dict.fromkeys(before.get("words", ()))) == own["words"]:
                own["words"] = before["words"]  # here, each word once; elsewhere, the sentence
            if before.get("axes") == own["axes"]:
                elsewhere = {word: at for word, at in before["vectors"].items() if word not in state.table}
                own["vectors"] = elsewhere | own["vectors"]
            st.session_state["carried"] = carried | {"own": own}

    def _restore_selection(self) -> Values:
        """What the page remembers, with the example and word of the previous page where they make sense here."""
        carried, fields = st.session_state.get("carried", {}), self.lesson.fields
        kept = dict(self.state.values) if self.state else {}
        names = {f.name for f in fields}
        example, word = carried.get("example"), carried.get("word")
        touched = kept and any(
            f.from_example and not permalink.same(kept[f.name], f.default(kept)) for f in fields
        )
        known = dict(kept)
        offered = field_of(fields, "example").options({}) if "example" in names else ()
        if example in offered and example != OWN and not touched and example != kept.get("example"):
            known = {f.name: kept[f.name] for f in fields if f.name in kept and not goes_with_example(f)}
            known["example"] = example
        own = carried.get("own") if example == OWN and OWN in offered else None
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
        known = {f.name: kept[f.name] for f in fields if f.name in kept and not goes_with_example(f)}
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


def _key_of(lesson: Lesson, name: str) -> str:
    return name if any(f.name == name for f in SHARED) else f"{lesson.name}.{name}"


def _parameters(search: Any) -> dict[str, list[str]] | None:
    return parse_qs(search.removeprefix("?"), keep_blank_values=True) if isinstance(search, str) else None


def lead_to(address: Mapping[str, Sequence[str]], asked: str = "") -> None:
    """Let the address that a page is given next hold there, whichever the page has seen before.

    Where a guess is `asked` with it (by its letters), the page forgets what was guessed and asks again.
    """
    st.session_state[LED] = dict(address)
    if asked:
        st.session_state[ASKED_ANEW] = asked


def open_page(lesson: Lesson) -> Page:
    """Return the page about a lesson as it is in this run, the address kept true to it."""
    sessions: dict[str, PageSession] = st.session_state.setdefault("pages", {})
    page = Page(lesson, sessions.setdefault(lesson.name, PageSession()))
    page.session.shown.clear()
    page.session.hidden_outside = None
    state = page.state
    if state is not None and state.lesson is not lesson:  # its code was changed and loaded again
        values = permalink.complete(lesson.fields, state.values)
        page.session.state = replace(state, lesson=lesson, values=values)
    page.sync_inputs()
    return page
