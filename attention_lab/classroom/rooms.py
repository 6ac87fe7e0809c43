"""The rooms of one process: who is in them, what they were asked, what everybody is told.

Plain Python: no socket, no Streamlit, no clock but the one that is given. A room holds choices, goals and
numbers, of each member the newest only; nothing of it outlives the room. What a browser sends comes to
`Room.hear`, which does it or raises `TurnedAwayError`; what has changed since the last time is in `Room.news`.
"""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from controls import permalink

ROUNDS = 2  # of one question: before the talk and after it
MOST_ANSWERS = 16
MOST_LEADERS = 8
LONGEST_TIMER = 3600  # s
PATIENCE = 900  # s: an empty room gives way after them where there is no room for another
SHEET = re.compile(r"[0-9a-f]{12}")  # which page with which example and words, as a page's Python says it
SEAT = re.compile(r"[0-9a-f]{32}")  # a tab's own word, drawn by it: who comes back takes the same seat
HANDS = (
    "off",
    "front",
    "all",
)  # where everybody's hands are seen: nowhere, where the room is led, on every screen

Said = Mapping[str, Any]
Told = dict[str, Any]


class TurnedAwayError(ValueError):
    """What was sent cannot be: forged, out of bounds, or not for a member to say. The text is one word or two."""


class NoRoomError(Exception):
    """There is no such room, or no room in it: "unknown", "full", "taken", "rooms" or "name"."""


class Sharing(Protocol):
    """What of a page may be shared; each raises `TurnedAwayError` for anything else."""

    def numbers(self, page: str, sent: Any) -> Told:
        """What a hand has moved."""

    def pose(self, page: str, sent: Any) -> Told:
        """All that a hand can hold."""

    def address(self, page: str, query: Any, *, predict: bool = False) -> str:
        """An address without anything typed."""

    def goals(self, page: str, sent: Any) -> tuple[str, ...]:
        """The goals met."""


@dataclass(frozen=True)
class Limits:
    """How many rooms, members of one room, and hours that it lasts."""

    rooms: int = 20
    members: int = 300
    hours: int = 4

    @property
    def rooms_of_address(self) -> int:
        """How many rooms one network address may open."""
        return max(1, self.rooms // 4)


@dataclass(eq=False)
class Member:
    """One tab in the room."""

    seat: str
    number: int  # by which the others know the hand
    leads: bool = False
    here: bool = True
    page: str = ""
    sheet: str = ""
    numbers: Told = field(default_factory=dict)
    goals: tuple[str, ...] = ()


@dataclass
class Question:
    """A page's guess, put to all. `rounds` hold the answer of each seat."""

    number: int
    page: str
    sheet: str
    address: str
    answers: int
    rounds: list[dict[str, int]] = field(default_factory=lambda: [{}])
    open: bool = True
    shown: bool = False

    def counts(self) -> list[list[int]]:
        """How often each answer was given, round by round."""
        counted = [Counter(answers.values()) for answers in self.rounds]
        return [[each[place] for place in range(self.answers)] for each in counted]


def _whole(said: Said, name: str, low: int, high: int) -> int:
    value = said.get(name)
    if type(value) is not int or not low <= value <= high:
        raise TurnedAwayError(name)
    return value


def _flag(said: Said) -> bool:
    if not isinstance(said.get("on"), bool):
        raise TurnedAwayError("on")
    return said["on"]


def _sheet(said: Said) -> str:
    if not isinstance(said.get("sheet"), str) or not SHEET.fullmatch(said["sheet"]):
        raise TurnedAwayError("sheet")
    return said["sheet"]


class Room:
    """One class. Whoever shows its `secret` leads; all others can say where they are and what they guess."""

    def __init__(self, name: str, limits: Limits, sharing: Sharing, clock: Callable[[], float]) -> None:
        """Begin empty."""
        self.name, self.limits, self._sharing, self._clock = name, limits, sharing, clock
        self.secret = secrets.token_hex(16)
        self.ends = clock() + 3600 * limits.hours
        self.left_at = clock()  # when the last one went, while nobody is here
        self.members: dict[str, Member] = {}
        self.question: Question | None = None
        self.follow: Told | None = None
        self.frozen = False
        self.hands = HANDS[0]
        self.undone = 0  # how often all was undone
        self.over = ""  # why, once it is
        self._timer: float | None = None
        self._numbered = 0
        self._asked = 0
        self._changed: set[str] = set()
        self._moved: set[str] = set()  # the seats whose hands have moved since the last news
        self.urgent: Callable[[], None] = lambda: None  # called where the news should not wait

    # ---- who is here ----

    @property
    def here(self) -> list[Member]:
        """Those whose sockets are open."""
        return [member for member in self.members.values() if member.here]

    def join(self, seat: Any, secret: Any = None) -> Member:
        """Take a seat, or come back to it."""
        if not isinstance(seat, str) or not SEAT.fullmatch(seat):
            raise TurnedAwayError("seat")
        leads = isinstance(secret, str) and secrets.compare_digest(secret.encode(), self.secret.encode())
        member = self.members.get(seat)
        if not (member and member.here):
            beside = sum(other.leads == leads for other in self.here)
            if beside >= (MOST_LEADERS if leads else self.limits.members):
                raise NoRoomError("full")
        if member is None:
            if len(self.members) >= 2 * (self.limits.members + MOST_LEADERS):
                # of those who went, the first gives up its seat
                del self.members[next(seat for seat, other in self.members.items() if not other.here)]
            self._numbered += 1
            member = self.members[seat] = Member(seat, self._numbered)
        member.here, member.leads = True, leads
        self._changed.add("here")
        self._moved.add(seat)
        return member

    def leave(self, member: Member) -> None:
        """Its socket is closed: the seat and its answers stay, its hand goes."""
        member.here = False
        self._changed |= {"here", "goals"}
        self._moved.add(member.seat)
        if not self.here:
            self.left_at = self._clock()

    # ---- what is said ----

    def hear(self, member: Member, said: Any) -> Told | None:
        """Do what a member says; what comes back is for that member alone."""
        if self.over:
            raise TurnedAwayError("over")
        if not isinstance(said, Mapping) or not isinstance(said.get("do"), str):
            raise TurnedAwayError("message")
        if act := {"here": self._place, "guess": self._guess}.get(said["do"]):
            return act(member, said)
        act = {
            "ask": self._ask,
            "again": self._again,
            "show": self._show,
            "reveal": self._reveal,
            "hands": self._set_hands,
            "lead": self._lead,
            "freeze": self._freeze,
            "timer": self._set_timer,
            "undo": self._undo,
            "revoke": self._revoke,
            "close": self._close,
        }.get(said["do"])
        if act is None:
            raise TurnedAwayError("wish")
        if not member.leads:
            raise TurnedAwayError("rights")
        told = act(member, said)
        self.urgent()
        return told

    def _place(self, member: Member, said: Said) -> None:
        """Where a member is, what its hand has moved there, which goals were met."""
        page, sheet = said.get("page"), _sheet(said)
        if not isinstance(page, str):
            raise TurnedAwayError("page")
        numbers, goals = (
            self._sharing.numbers(page, said.get("numbers")),
            self._sharing.goals(page, said.get("goals")),
        )
        if member.sheet != sheet:
            self._changed |= {"hands", "goals", "here"} if member.leads else {"here"}
        if member.goals != goals or member.page != page:
            self._changed.add("goals")
        member.page, member.sheet, member.numbers, member.goals = page, sheet, numbers, goals
        self._moved.add(member.seat)

    def _guess(self, member: Member, said: Said) -> None:
        asked = self.question
        if asked is None or not asked.open or said.get("question") != asked.number:
            return  # it came too late, which is nobody's fault
        if member.leads:
            raise TurnedAwayError("vote")
        if said.get("round") != len(asked.rounds):
            return
        place = _whole(said, "place", 0, asked.answers - 1)
        now = asked.rounds[-1]
        if member.seat in now or len(now) < 2 * self.limits.members:
            now[member.seat] = place
            self._changed.add("question")

    # ---- what only those who lead can say ----

    def _ask(self, _: Member, said: Said) -> None:
        page, answers = said.get("page"), _whole(said, "answers", 2, MOST_ANSWERS)
        if not isinstance(page, str):
            raise TurnedAwayError("page")
        address = self._sharing.address(page, said.get("query"), predict=True)
        self._asked += 1
        self.question = Question(self._asked, page, _sheet(said), address, answers)
        self._changed.add("question")

    def _asked_now(self) -> Question:
        if self.question is None:
            raise TurnedAwayError("no question")
        self._changed.add("question")
        return self.question

    def _again(self, *_: Any) -> None:
        asked = self._asked_now()
        if len(asked.rounds) == ROUNDS:
            raise TurnedAwayError("rounds")
        asked.rounds.append({})
        asked.open, asked.shown = True, False

    def _show(self, _: Member, said: Said) -> None:
        self._asked_now().shown = _flag(said)

    def _reveal(self, *_: Any) -> None:
        asked = self._asked_now()
        asked.open, asked.shown = False, True

    def _set_hands(self, _: Member, said: Said) -> None:
        if said.get("where") not in HANDS:
            raise TurnedAwayError("where")
        self.hands = said["where"]
        self._changed.add("hands")

    def _lead(self, _: Member, said: Said) -> None:
        """Show all screens a page, its settings and its pose; without a page, no longer."""
        self._changed.add("follow")
        page = said.get("page")
        if page is None:
            self.follow = None
            return
        if not isinstance(page, str):
            raise TurnedAwayError("page")
        self.follow = {
            "page": page,
            "sheet": _sheet(said),
            "address": self._sharing.address(page, said.get("query")),
            "pose": self._sharing.pose(page, said.get("pose")),
        }

    def _freeze(self, _: Member, said: Said) -> None:
        self.frozen = _flag(said)
        self._changed.add("frozen")

    def _set_timer(self, _: Member, said: Said) -> None:
        seconds = _whole(said, "seconds", 0, LONGEST_TIMER)
        self._timer = self._clock() + seconds if seconds else None
        self._changed.add("timer")

    def _undo(self, *_: Any) -> None:
        """Give everything back: nobody is led, held, timed or asked any more, and no hands are shown."""
        self.question, self.follow, self.frozen, self._timer, self.hands = None, None, False, None, HANDS[0]
        self.undone += 1
        self._changed |= {"question", "follow", "frozen", "timer", "hands", "undone"}

    def _revoke(self, member: Member, _: Said) -> Told:
        """A new secret; whoever else leads by the old one is a member from now on."""
        self.secret = secrets.token_hex(16)
        for other in self.members.values():
            other.leads = other is member
        self._changed |= {"here", "hands", "goals", "rights"}
        return {"secret": self.secret}

    def _close(self, *_: Any) -> None:
        self.end("closed")

    def end(self, why: str) -> None:
        """It is over, and holds nothing any more."""
        self.over = why
        self.members.clear()
        self.question = self.follow = None
        self.urgent()

    # ---- what is told ----

    def news(self) -> tuple[Told, Told] | None:
        """What has changed since the last time, for members and for those who lead; None where nothing has."""
        changed, moved = self._changed, self._moved
        if not changed and not moved:
            return None
        self._changed, self._moved = set(), set()
        if self.hands != HANDS[0] and "hands" in changed:
            moved = set(self.members)
        return self._told(changed, moved, leads=False), self._told(changed, moved, leads=True)

    def all(self, member: Member) -> Told:
        """All that a member is told who has just come."""
        whole = {"here", "question", "follow", "frozen", "timer", "hands", "goals", "undone"}
        told = {
            "leads": member.leads,
            "number": member.number,
            **self._told(whole, set(self.members), member.leads),
        }
        if self.question:
            told["guess"] = [answers.get(member.seat) for answers in self.question.rounds]
        return told

    def _told(self, keys: set[str], moved: set[str], leads: bool) -> Told:
        told = {key: getattr(self, f"_tell_{key}")(leads) for key in sorted(keys - {"rights"})}
        if "goals" in told and not leads:
            del told["goals"]
        if self.hands == "all" or (leads and self.hands == "front"):
            told |= self._tell_moved(moved)
        return told

    def _tell_here(self, leads: bool) -> Told:
        class_ = [member for member in self.here if not member.leads]
        sheets = self._sheets()
        beside = {"beside": sum(member.sheet in sheets for member in class_)} if leads else {}
        return {"members": len(class_), **beside}

    def _tell_question(self, leads: bool) -> Told | None:
        asked = self.question
        if asked is None:
            return None
        told = {
            "number": asked.number,
            "page": asked.page,
            "sheet": asked.sheet,
            "address": asked.address,
            "answers": asked.answers,
            "round": len(asked.rounds),
            "open": asked.open,
            "shown": asked.shown,
            "said": len(asked.rounds[-1]),
        }
        return told | ({"counts": asked.counts()} if asked.shown else {})

    def _tell_follow(self, leads: bool) -> Told | None:
        return self.follow

    def _tell_frozen(self, leads: bool) -> bool:
        return self.frozen

    def _tell_timer(self, leads: bool) -> float | None:
        """The seconds left: clocks may differ, so no time of day is told."""
        return None if self._timer is None else round(max(0.0, self._timer - self._clock()), 2)

    def _tell_hands(self, leads: bool) -> str:
        return self.hands

    def _tell_undone(self, leads: bool) -> int:
        return self.undone

    def _tell_goals(self, leads: bool) -> dict[str, dict[str, int]]:
        """How many have met which goal of the pages on which the room is led."""
        pages = {member.page for member in self.here if member.leads and member.page}
        class_ = [member for member in self.here if not member.leads]
        return {
            page: dict(Counter(g for m in class_ if m.page == page for g in m.goals)) for page in sorted(pages)
        }

    def _sheets(self) -> set[str]:
        return {member.sheet for member in self.here if member.leads and member.sheet}

    def _tell_moved(self, moved: set[str]) -> Iterator[tuple[str, Any]]:
        """A hand by its number: on which sheet it is and what it has moved, None where nothing is to be shown."""
        sheets = self._sheets()
        for seat in moved:
            if (member := self.members.get(seat)) is None or member.leads:
                continue
            shown = member.here and member.numbers and member.sheet in sheets
            yield f"hand {member.number}", [member.sheet, member.numbers] if shown else None


class Rooms:
    """All rooms of a process."""

    def __init__(self, limits: Limits, sharing: Sharing, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none."""
        self.limits, self._sharing, self._clock = limits, sharing, clock
        self._rooms: dict[str, tuple[Room, str]] = {}  # by name, with the network address that opened it

    def __iter__(self) -> Iterator[Room]:
        """Those that are not over."""
        self.sweep()
        return iter([room for room, _ in self._rooms.values()])

    def open(self, name: str, address: str = "") -> Room:
        """Open a room of this name."""
        self.sweep()
        if not permalink.TWO_WORDS.fullmatch(name):
            raise NoRoomError("name")
        if name in self._rooms:
            raise NoRoomError("taken")
        if sum(of == address for _, of in self._rooms.values()) >= self.limits.rooms_of_address:
            self._make_way(address)
        if len(self._rooms) >= self.limits.rooms:
            self._make_way(None)
        room = Room(name, self.limits, self._sharing, self._clock)
        self._rooms[name] = room, address
        return room

    def find(self, name: str) -> Room:
        """The room of this name."""
        self.sweep()
        if name not in self._rooms:
            raise NoRoomError("unknown")
        return self._rooms[name][0]

    def sweep(self) -> None:
        """Let go of the rooms that are over."""
        now = self._clock()
        for room, _ in self._rooms.values():
            if not room.over and now >= room.ends:
                room.end("hours")
        self._rooms = {name: held for name, held in self._rooms.items() if not held[0].over}

    def _make_way(self, address: str | None) -> None:
        """Close the room that has stood empty longest, of an address or of all; there must be one."""
        waited = self._clock() - PATIENCE
        empty = [
            room
            for room, of in self._rooms.values()
            if address in (None, of) and not room.here and room.left_at <= waited
        ]
        if not empty:
            raise NoRoomError("rooms")
        min(empty, key=lambda room: room.left_at).end("empty")
        self.sweep()
