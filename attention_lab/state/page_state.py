"""The state of a page.

`open_page` gathers, in this order, what the hand did on the stage, what the widgets say, and (on arrival)
what the address, the page's own memory and the previous page bring; it then keeps the address true. From
there on data flows one way: the page's values go to the lesson's calculation, its results to charts and stage.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import streamlit as st

from attention_core import Example, load_example
from attention_lab import faults
from attention_lab import text as prose
from attention_lab.text.labels import labels

from . import permalink
from .history import History
from .permalink import Field, Values

OWN = "own"
SPOKEN = ("words", "memory_words")  # which words there are: no numbers
# What a badge says where no worked example does: a page stands on what others have published (or on what its
# lesson says), words of one's own stand where nobody has chosen to put them, a hand has changed something.
PUBLISHED, BY_HAND, PLACED, YOURS = "published", "by hand", "placed for you", "yours"
BY_HAND_AND_PLACED = "by hand and placed"
ROOM = "room"
LED, ASKED_ANEW = "led_to", "asked_anew"  # in the session: see `lead_to`
# What a link may hide: tools of the row above the stage, the notes for a class, and what the sidebar holds.
ROW = ("examples", "word", "words", "matrices", "scores", "settings", "take_away", "reset", "notes")
SIDEBAR = ("menu", "orientation", "predict", "present", "glossary", "reset_all", "room")
SHARED = (
    permalink.choice("orientation", "queries in rows (default) or in columns", ("rows", "columns"), shared=True),
    permalink.flag("predict", "1: guess before the result is shown", shared=True),
    permalink.flag("present", "1: larger type, no sidebar", shared=True),
    permalink.several(
        "hide",
        f"tools that are not shown, joined by dots: {', '.join((*ROW, *SIDEBAR))}",
        (*ROW, *SIDEBAR),
        shared=True,
    ),
    permalink.two_words(ROOM, "the room in which a class is together, such as blue-fox", shared=True),
)
# What a teacher's link may hold for one page besides that page's own fields: it is not carried to the next page.
LONGEST_QUESTION = 160
QUESTION = permalink.typed_line("question", "a teacher's own guess question", LONGEST_QUESTION, shared=True)
OF_LINKS = (QUESTION,)
CARRIED = ("example", "word")
EXPERIMENT = "experiment"  # which of several a page shows: starting over begins the same one anew
SUBJECT = ("example", "model", EXPERIMENT, "opening")  # what a page is about, before a hand has moved anything
GOAL = "goal"  # a teacher's link may have set it: starting over is another try at the same


LAST_SEQ = 2**53  # beyond it the browser cannot count


def _goes_with_example(f: Field) -> bool:
    return f.made or f.name in {"word", "other", "instead", "seats"}


MOST_KEPT = 64  # words whose goals were met, and guesses, that a page remembers: the newest


def _keep(among: dict, key: Any, value: Any) -> None:
    """Put it in as the newest, and let the oldest go where there are too many."""
    among.pop(key, None)
    among[key] = value
    while len(among) > MOST_KEPT:
        del among[next(iter(among))]


@dataclass
class PageSession:
    """What one visitor's session keeps of one page."""

    values: Values = field(default_factory=dict)
    history: History = field(default_factory=History)
    epoch: str = field(default_factory=lambda: secrets.token_hex(4))
    seq: int = 0
    address: dict[str, str] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list)
    arrival: dict[str, list[str]] | None = None
    left_out: list[str] = field(default_factory=list)
    left_behind: tuple[str, ...] = ()  # words of one's own that this page could not take over
    ticked: dict[tuple, set[str]] = field(default_factory=dict)
    open_goal: tuple = ()  # the words and the goal that was last shown while it was not met
    guesses: dict[tuple, Any] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    shown: Values = field(default_factory=dict)
    begun: tuple[str, dict[str, Any]] | None = None  # a sheet, and what a hand finds on it
    asked: dict[str, Any] | None = None  # the guess that the page asks for, as a room is told of it
    to_ask: str = ""  # a teacher's own question, until the page's first guess has taken it
    results_hidden: bool = False
    hidden_outside: bool | None = None

    @property
    def completed_goals(self) -> Set[str]:
        """The goals that were met on these words: on others they ask for something else."""
        return self.ticked.get(self._words, frozenset())

    def follow_goal(self, goal: str, *, met: bool) -> None:
        """Tick the goal that is shown once it is met, and not behind a guess that waits for an answer.

        One that was met before it was shown has to be missed first.
        """
        shown = (self._words, goal)
        if not met or self.results_hidden:
            self.open_goal = shown
        elif self.open_goal == shown:
            self.tick({goal})

    def tick(self, goals: Iterable[str]) -> None:
        """Keep that these goals were met."""
        if goals := set(goals):
            _keep(self.ticked, self._words, self.completed_goals | goals)

    def guess(self, about: tuple, verdict: Any) -> None:
        """Keep what was guessed, and what was right then."""
        _keep(self.guesses, about, verdict)

    @property
    def _words(self) -> tuple:
        return self.values.get("example"), self.values.get("words")

    def renew(self) -> None:
        """Tell the browser that its pose is no longer the newest: Python has changed something."""
        self.epoch = secrets.token_hex(4)

    def saw(self, parameters: Iterable[tuple[str, ...]]) -> None:
        """Keep the newest parameters that the address has held: their hashes, since an address may be long."""
        self.seen = [*dict.fromkeys((*self.seen, *map(hash, parameters)))][-64:]


@dataclass
class PageState:
    """A page as its script sees it: its name, its values, its words."""

    name: str
    fields: tuple[Field, ...]
    memory: PageSession
    own_parts: Any = None  # the parts of the stage that only this page has
    origin: str = PUBLISHED  # the badge of untouched numbers that no worked example brought
    first_move: Callable[[PageState], str] | None = None  # the name of what to move first
    elsewhere: tuple[str, str, Any] | None = None  # a badge instead of `origin`, while a field has a value
    comes_from: Callable[[Values], str | None] | None = None  # a badge of what no example brought, where there is
    trained: tuple[str, ...] = ()  # the shipped models from which something here was learned

    def __getattr__(self, name: str) -> Any:
        """The value of a field: ``page.measure``."""
        if name.startswith("__") or name == "memory":
            raise AttributeError(name)
        if name not in self.memory.values:
            raise faults.unknown(name, [f.name for f in self.fields], f"a field of the page {self.name!r}")
        return self.memory.values[name]

    def key(self, name: str) -> str:
        """The session's key of a field's widget; what all pages share has no page in its key."""
        key = name if any(f.name == name for f in SHARED) else f"{self.name}.{name}"
        if name in self.memory.values and key not in st.session_state:
            st.session_state[key] = self.memory.values[name]  # Streamlit forgets a widget that was out of sight
        return key

    def options(self, name: str) -> Sequence[Any]:
        """The values that a choice may have now."""
        return _field(self.fields, name).options(self.memory.values)

    def widget_value(self, name: str) -> Any:
        """What a field's widget says; the default where that is no option: a message may say anything."""
        f, values = _field(self.fields, name), self.memory.values
        said = st.session_state.get(self.key(name), values[name])
        return said if f.options is None or said in f.options(values) else f.default(values)

    def spoken(self, name: str) -> str:
        """A word chosen, as it is spoken: of the second *an*, ``an``."""
        return self.words[labels(self.words).index(self.memory.values[name])]

    @property
    def worked_example(self) -> Example:
        """The worked example the page stands on; one's own words keep to the axes of the one before."""
        return base_example(self.fields, self.memory.values)

    @property
    def sheet(self) -> str:
        """Letters that stand for what lies on the page: the same wherever a hand finds the same to move."""
        lying = (f for f in self.fields if not (f.hand or f.shared))
        return fingerprint(self.name, *((f.name, f.write(self.memory.values[f.name])) for f in lying))

    @property
    def text(self) -> prose.Text:
        """The page's words; where they speak of rows and columns, as its matrices stand."""
        return prose.read(self.name, turned=self.memory.values.get("orientation") == "columns")

    @property
    def placed_words(self) -> list[str]:
        """Words of one's own that no example knows, while all stand where they were put for the reader."""
        values = self.memory.values
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
        if self.comes_from and (badge := self.comes_from(self.memory.values)):
            return badge
        if "example" not in self.memory.values:
            return self.origin
        chosen = self.worked_example.provenance
        placed = self.placed_words if "vectors" in names else []
        if placed:
            return BY_HAND_AND_PLACED if chosen == BY_HAND and self._has_chosen(names, placed) else PLACED
        return chosen

    def _has_chosen(self, names: Sequence[str], placed: Sequence[str]) -> bool:
        """Whether other words are spoken beside those `placed`, or fields of these names hold a matrix."""
        values = self.memory.values
        spoken = {*values["words"], *values.get("memory_words", ())}
        matrices = (
            f.name for f in self.fields if f.made and f.name in names and f.name not in ("vectors", *SPOKEN)
        )
        return bool(spoken - {*placed}) or any(np.size(values[name]) for name in matrices)

    def is_as_begun(self, name: str) -> bool:
        """Whether all that depends on the field of this name, and on those before it, is as it is at first."""
        names = [f.name for f in self.fields]
        return not self._moved(*names[names.index(name) :])

    def _moved(self, *names: str) -> bool:
        """Whether any field of these names has other numbers than it had at first."""
        values = self.memory.values
        made = (f for f in self.fields if f.made and f.name in names and f.name not in SPOKEN)
        return any(not permalink.same(values[f.name], f.default(values)) for f in made)

    def _neighbours(self) -> list[Example]:
        """The worked example, and those that lend it their words."""
        base = self.worked_example
        return [base, *neighbours(_field(self.fields, "example").beside, base)]

    @property
    def table(self) -> tuple[str, ...]:
        """The words that have a vector, in the order of `vectors`."""
        spoken = (*self.memory.values["words"], *self.memory.values.get("memory_words", ()))
        return table(spoken, self._neighbours()[1:])

    def own_words(self) -> dict[str, Any]:
        """Words of one's own as other pages take them over: the sentence, and the vectors that were moved."""
        home = self.defaults()["vectors"]
        rows = zip(self.table, self.vectors, home, strict=True) if self.vectors.shape == home.shape else ()
        moved = {word: now for word, now, at in rows if not permalink.same(now, at)}
        return {"words": self.memory.values["words"], "axes": self.worked_example.axes, "vectors": moved}

    def put(self, **values: Any) -> None:
        """Set fields from Python (in a callback, or before their widgets are drawn)."""
        if take_pose(self, _said(self)):  # what the hand did came before, as a step of its own
            _note(self)
        _set(self, values)

    def start_over(self, *names: str) -> None:
        """Give the named fields their defaults again; if none are named, all of the page's own.

        The goal set and the experiment shown stay.

        Where the goal belongs to other choices that were made, to an example perhaps, these stay as well.
        """
        take_pose(self, _said(self))
        now = self.memory.values
        stay = {f.name for f in self.fields if names or f.shared} | {GOAL, EXPERIMENT}
        values = permalink.complete(self.fields, {name: now[name] for name in now if name in stay - set(names)})
        if GOAL in values and values[GOAL] not in _field(self.fields, GOAL).options(values):
            stay |= {f.name for f in self.fields if f.options}
            values = permalink.complete(self.fields, {name: now[name] for name in now if name in stay})
        self.memory.refused.clear()
        self.put(**values)

    def sync_inputs(self) -> None:
        """Take in what the hand, the widgets and the address say now. A fragment begins with it.

        Where a hand changed what a widget outside the fragment shows (`widget`), the whole page runs again.
        """
        _sync_inputs(self)

    def widget(self, name: str) -> dict[str, Any]:
        """The key of a field's widget, for a widget that stands outside the page's fragment."""
        self.memory.shown[name] = self.memory.values[name]
        return {"key": self.key(name)}

    def revealed(self) -> bool:
        """Whether results may be shown outside the fragment: the page runs again whole once that changes."""
        self.memory.hidden_outside = self.memory.results_hidden
        return not self.memory.results_hidden

    def pose(self, values: Values | None = None) -> dict[str, Any]:
        """What the hand can change, as the stage knows it: matrices as lists, choices by their number."""
        return {f.name: _to_hand(f, values or self.memory.values) for f in self.fields if f.hand}

    def scope(self, values: Values | None = None) -> dict[str, Any]:
        """The values as a calculation knows them: arrays, and choices by their number."""
        values = values or self.memory.values
        return {
            f.name: f.options(values).index(values[f.name]) if f.hand and f.options else values[f.name]
            for f in self.fields
        }

    def defaults(self) -> Values:
        """The page's values before anything was moved, for the example or one's own words."""
        values = self.memory.values
        known = {key: values[key] for key in (*SUBJECT, "words", "memory_words") if key in values}
        if known.get("example") == OWN and "vectors" in values:  # on the axes that they have
            vectors = _field(self.fields, "vectors").default(known | {"vectors": values["vectors"]})
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
    choice = _field(fields, "example")
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
    return [example for example in map(worked, beside) if example.axes == base.axes]


def table(words: Sequence[str], among: Sequence[Example] = ()) -> tuple[str, ...]:
    """The distinct words that have a vector: those of the examples, then those of the sentence."""
    return tuple(dict.fromkeys((*(word for example in among for word in example.words), *words)))


def _field(fields: Sequence[Field], name: str) -> Field:
    found = next((f for f in fields if f.name == name), None)
    if found is None:
        raise faults.unknown(name, [f.name for f in fields], "a field of this page")
    return found


def _to_hand(f: Field, values: Values) -> Any:
    value = values[f.name]
    if f.options:
        return f.options(values).index(value)
    return value.tolist() if isinstance(value, np.ndarray) else value


def _from_hand(f: Field, values: Values, sent: Any) -> Any:
    """The value that the browser sent for a field, or the one we have if it cannot be right."""
    now = values[f.name]
    try:
        if f.options:
            options = f.options(values)
            return options[sent] if isinstance(sent, int) and 0 <= sent < len(options) else now
        if isinstance(now, np.ndarray):
            array = np.array(sent, dtype=float)
            if f.shape and not array.size:
                return f.default(values)
            wanted = f.shape(values) if f.shape else now.shape
            if not permalink.has_shape(array.shape, wanted) or not np.isfinite(array).all():
                return now
            kept = np.clip(array, -permalink.FARTHEST, permalink.FARTHEST)
            return f.read(f.write(kept), values)  # nothing that an address would not be allowed
        return f.read(permalink.numeral(sent), values)
    except (TypeError, ValueError, OverflowError):
        return now


def take_pose(page: PageState, sent: Any) -> bool:
    """Take over what the hand made, if it is newer than what is known. Whatever was sent, nothing raises.

    ``moved`` in `sent` names the fields that the hand has changed, and which it holds.
    """
    memory = page.memory
    if not isinstance(sent, Mapping) or not isinstance(sent.get("seq"), int):
        return False
    if sent.get("epoch") != memory.epoch or not memory.seq < sent["seq"] < LAST_SEQ:
        return False
    memory.seq = sent["seq"]
    moved = sent.get("moved", list(sent))
    for f in page.fields:
        if f.hand and f.name in sent and isinstance(moved, list) and f.name in moved:
            value = _from_hand(f, memory.values, sent[f.name])
            memory.values[f.name] = value
            if page.key(f.name) in st.session_state:
                st.session_state[page.key(f.name)] = value
    memory.tick(_completed_goals(page, sent.get("completed_goals")))
    return True


def _set(page: PageState, values: Values) -> None:
    page.memory.values.update(values)
    for name, value in values.items():
        st.session_state[page.key(name)] = value
    page.memory.renew()


def _note(page: PageState) -> None:
    """Keep how the page is now, for the way back to it. What all pages share is not the page's own."""
    values = page.memory.values
    page.memory.history.note({f.name: values[f.name] for f in page.fields if not f.shared})


def _apply_commands(page: PageState, sent: Any) -> None:
    """Go back and on in what was made on the page, or take another example, as the hand has asked."""
    history = page.memory.history
    for wish in history.asked(sent.get("commands") if isinstance(sent, Mapping) else None):
        values = _with_example(page, wish) if isinstance(wish, str) else history.turn(wish)
        if values is not None:
            page.memory.refused.clear()
            _set(page, values)
            _reset_invalid_fields(page)
            _note(page)


def _with_example(page: PageState, name: str) -> Values | None:
    """The page on another example. Of what a hand has moved, that stays which both of them bring alike."""
    now = page.memory.values
    if name == OWN or "example" not in now or name not in page.options("example"):
        return None
    one, other = ({"example": example} for example in (now["example"], name))
    one, other = permalink.complete(page.fields, one), permalink.complete(page.fields, other)
    alike = [
        f.name for f in page.fields if not _goes_with_example(f) or permalink.same(one[f.name], other[f.name])
    ]
    return permalink.complete(page.fields, {key: now[key] for key in alike} | {"example": name})


def _said(page: PageState) -> Any:
    """The newest that the browser has sent of the page's pose."""
    return (st.session_state.get(f"{page.name}.stage") or {}).get("pose")


def _completed_goals(page: PageState, sent: Any) -> set[str]:
    """The goals that the browser has seen met: on the way, or by what only it can see."""
    goals = [goal for f in page.fields if f.name == "goal" for goal in f.options(page.memory.values)]
    return {goal for goal in goals if isinstance(sent, list) and goal in sent}


def lead_to(address: Mapping[str, Sequence[str]], asked: str = "") -> None:
    """Let the address that a page is given next hold there, whichever the page has seen before.

    Where a guess is `asked` with it (by its letters), the page forgets what was guessed and asks anew.
    """
    st.session_state[LED] = dict(address)
    if asked:
        st.session_state[ASKED_ANEW] = asked


def fields_of(lesson: ModuleType) -> tuple[Field, ...]:
    """What the address of a lesson's page holds."""
    return (*lesson.FIELDS, *OF_LINKS, *SHARED)


def open_page(lesson: ModuleType) -> PageState:
    """The state, for this run, of the page about a lesson; the address kept true to it.

    The lesson is a module of ``lessons/``: its name is the page's, its ``FIELDS`` are what the address holds.
    """
    name = lesson.__name__.rpartition(".")[2]
    memories: dict[str, PageSession] = st.session_state.setdefault("pages", {})
    page = PageState(
        name,
        fields_of(lesson),
        memories.setdefault(name, PageSession()),
        getattr(lesson, "OWN_PARTS", None),
        getattr(lesson, "PROVENANCE", PUBLISHED),
        getattr(lesson, "first_move", None),
        getattr(lesson, "PROVENANCE_AT", None),
        getattr(lesson, "comes_from", None),
        getattr(lesson, "TRAINED", ()),
    )
    page.memory.shown.clear()
    page.memory.hidden_outside = None
    page.sync_inputs()
    return page


def _sync_inputs(page: PageState) -> None:
    session, memory, name = st.session_state, page.memory, page.name
    memory.asked = None
    texts = {key: st.query_params.get_all(key) for key in st.query_params}
    if session.get("page_open") != name or not memory.values:
        session.pop(LED, None)
        _arrive(page, texts)
    else:
        take_pose(page, _said(page))
        _hear_widgets(page)
        if led := session.get(LED) == texts:
            del session[LED]
        _follow_address(page, texts, led=led)
    session["page_open"] = name
    memory.saw((key, *given) for key, given in texts.items())
    _reset_invalid_fields(page)
    _note(page)
    memory.to_ask = memory.values.get("question", "")
    _apply_commands(page, _said(page))
    _write_address(page, texts)
    _save_selection(page)
    if any(not permalink.same(memory.values[key], value) for key, value in memory.shown.items()):
        memory.shown.clear()
        st.rerun()


def _save_selection(page: PageState) -> None:
    """Let other pages know which example and word were chosen: not those that merely stand here at first."""
    carried, values = st.session_state.get("carried", {}), page.memory.values
    passed = [f for f in page.fields if f.name in CARRIED]
    if page.memory.left_behind:  # words that this page could not take go on to those that can
        passed = [f for f in passed if f.name != "example" or values[f.name] != f.default(values)]
    offered = {f: page.options(f.name) for f in passed}
    real = {f: options for f, options in offered.items() if len(options) > 1}  # else what came goes on
    if any(values[f.name] != f.default(values) or carried.get(f.name) in options for f, options in real.items()):
        carried = st.session_state["carried"] = carried | {f.name: values[f.name] for f in real}
    if values.get("example") == OWN:
        own, before = page.own_words(), carried.get("own", {})
        if tuple(dict.fromkeys(before.get("words", ()))) == own["words"]:
            own["words"] = before["words"]  # here, each word once; elsewhere, the sentence
        if before.get("axes") == own["axes"]:
            elsewhere = {word: at for word, at in before["vectors"].items() if word not in page.table}
            own["vectors"] = elsewhere | own["vectors"]
        st.session_state["carried"] = carried | {"own": own}


def _arrive(page: PageState, texts: Mapping[str, Sequence[str]]) -> None:
    """First run on the page: the address decides; without one, the page's memory and what came along."""
    memory, session = page.memory, st.session_state
    memory.left_behind = ()
    shared = {f.name: session[f.name] for f in SHARED if f.name in session}
    known = shared if texts else _restore_selection(page, memory.values) | shared
    values, memory.left_out = permalink.read_address(page.fields, texts, known)
    _set(page, values)
    memory.address = permalink.write_address(page.fields, values) if texts else {}
    memory.seen, memory.arrival = [], dict(texts)


def _restore_selection(page: PageState, kept: Values) -> Values:
    """What the page remembers, with the example and word of the previous page where they make sense here."""
    carried = st.session_state.get("carried", {})
    names = {f.name for f in page.fields}
    example, word = carried.get("example"), carried.get("word")
    touched = kept and any(f.made and not permalink.same(kept[f.name], f.default(kept)) for f in page.fields)
    known = dict(kept)
    offered = _field(page.fields, "example").options({}) if "example" in names else ()
    if example in offered and example != OWN and not touched and example != kept.get("example"):
        known = {f.name: kept[f.name] for f in page.fields if f.name in kept and not _goes_with_example(f)}
        known["example"] = example
    own = carried.get("own") if example == OWN and OWN in offered else None
    if own and (not touched or kept.get("example") == OWN):
        known = _with_own_words(page, known, own) or known
    if "word" in names and word is not None:
        values = permalink.complete(page.fields, known)
        if word in _field(page.fields, "word").options(values):
            known["word"] = word
    return known


def _with_own_words(page: PageState, kept: Values, own: Mapping[str, Any]) -> Values | None:
    """The page's values with words of one's own from another page; None where it cannot take them.

    What was moved on the same axes stays so. A page whose axes are features takes only words that it knows.
    """
    said, words = _field(page.fields, "words"), own["words"]
    for sentence in (words, tuple(dict.fromkeys(words))):  # where each word needs a name of its own, once
        try:
            words = said.read(said.write(sentence), {})
            break
        except permalink.RefusedError:
            continue
    else:
        return None
    known = {f.name: kept[f.name] for f in page.fields if f.name in kept and not _goes_with_example(f)}
    known |= {"example": OWN, "words": words, "vectors": np.empty((0, len(own["axes"])))}
    stays = kept.get("example") == OWN and kept.get("words") == words
    if not stays:  # first where they stand: what follows may be made of that
        vectors = _field(page.fields, "vectors")
        known["vectors"] = vectors.default(
            permalink.complete(page.fields[: page.fields.index(vectors)], known) | known
        )
    values = dict(kept) if stays else permalink.complete(page.fields, known)
    there = PageState(page.name, page.fields, PageSession(values))
    vectors, rows = values["vectors"].copy(), there.table
    if not all(vectors[rows.index(word)].any() for word in there.placed_words):
        page.memory.left_behind = words
        return None
    if there.worked_example.axes == own["axes"]:
        for word in set(rows) & set(own["vectors"]):
            vectors[rows.index(word)] = own["vectors"][word]
    return (values if stays else known) | {"vectors": vectors}


def _hear_widgets(page: PageState) -> None:
    """Take the widgets' values; one that the stage also holds means that the stage must follow."""
    memory = page.memory
    for f in page.fields:
        said = st.session_state.get(page.key(f.name), memory.values[f.name])
        if said is not None and not permalink.same(said, memory.values[f.name]):
            memory.values[f.name] = said
            if f.hand:
                memory.renew()


def _follow_address(page: PageState, texts: Mapping[str, Sequence[str]], *, led: bool) -> None:
    """Follow an address that changed under the page.

    Not one that the stage says it has written itself, nor one of before, unless one is `led` there: while the
    server is slow, the browser goes on sending it.
    """
    memory, said = page.memory, _said(page)
    own = isinstance(said, Mapping) and _parameters(said.get("address")) == texts
    if not led and (own or all(hash((key, *given)) in memory.seen for key, given in texts.items())):
        return
    shared = {f.name: memory.values[f.name] for f in SHARED}
    values, memory.left_out = permalink.read_address(page.fields, texts, shared)
    if not all(permalink.same(values[f.name], memory.values[f.name]) for f in page.fields):
        page.put(**values)


def _parameters(search: Any) -> dict[str, list[str]] | None:
    return parse_qs(search.removeprefix("?"), keep_blank_values=True) if isinstance(search, str) else None


def _reset_invalid_fields(page: PageState) -> None:
    """Make every value possible: a word that is no longer there gives way to its default."""
    memory = page.memory
    for f in page.fields:
        value = memory.values[f.name]
        gone = f.options is not None and value not in f.options(memory.values)
        if gone or (isinstance(value, np.ndarray) and not _fits(f, memory.values)):
            _set(page, {f.name: f.default(memory.values)})


def _fits(f: Field, values: Values) -> bool:
    """Whether a matrix has the shape wanted. Of one's own vectors there may be more or fewer axes, not rows."""
    have, wanted = values[f.name].shape, np.shape(f.default(values))
    if f.shape and permalink.has_shape(have, f.shape(values)):
        return True
    return have == wanted or (f.name == "vectors" and have[0] == wanted[0])


def _write_address(page: PageState, texts: Mapping[str, Sequence[str]]) -> None:
    memory = page.memory
    address = permalink.write_address(page.fields, memory.values)
    if address == memory.address and texts == memory.arrival:
        return  # an address that one came by stays as it is until something is changed
    memory.address, memory.arrival = address, None
    memory.saw(address.items())
    if {key: [text] for key, text in address.items()} != dict(texts):
        st.query_params.from_dict(address)


def on_example(page: PageState) -> Callable[[], None]:
    """What choosing another example does: all that it brings comes whole; one's own words start from these."""

    def chosen() -> None:
        memory = page.memory
        memory.refused.clear()
        example = page.widget_value("example")
        if example == OWN:
            page.put(example=OWN)
            return
        keep = [f.name for f in page.fields if not _goes_with_example(f)]
        known = {key: memory.values[key] for key in keep} | {"example": example}
        values = permalink.complete(page.fields, known)
        page.put(**values)

    return chosen
