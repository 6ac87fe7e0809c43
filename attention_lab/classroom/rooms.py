"""The rooms of one process: who is in them, what they were asked, what everybody is told.

Plain Python: no socket, no Streamlit, no clock but the one that is given. A room holds choices, goals and
numbers, of each member the newest only; nothing of it outlives the room. What a browser sends comes to
`Room.receive`, which does it or raises `TurnedAwayError`; `Room.drain_updates` returns what has changed.
"""

import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from attention_lab.state import permalink

from . import sharing
from .sharing import TurnedAwayError

ROUNDS = 2  # of one question: before the talk and after it
MOST_ANSWERS = 16
MOST_LEADERS = 8
LONGEST_TIMER = 3600  # s
MOST_TABS = 8  # of one browser
MOST_REMOVED = 500  # browsers that a room keeps out: the newest
PATIENCE = 900  # s: an empty room gives way after them where there is no room for another
WITHOUT_PAGE = 10  # s: a member of a full room that shows no page gives way after them
SHARING_KEY = re.compile(r"[0-9a-f]{12}")  # which page with which example and words, as a page's Python says it
CLIENT_ID = re.compile(r"[0-9a-f]{32}")  # random, drawn by the tab
HANDS = "off", "front", "all"  # where all hands are seen: nowhere, where the room is led, on every screen

# What all are told of a room: what stands there as it is, and what `Room._payload_of_…` makes for them.
AS_IT_IS = frozenset({"follow", "frozen", "locked", "hands", "undone"})
COMPUTED = frozenset({"here", "question", "timer", "goals"})

Message = Mapping[str, Any]
Payload = dict[str, Any]


class NoRoomError(Exception):
    """Why nobody can open or join: "unknown", "full", "locked", "removed", "taken", "rooms", "code" or "name"."""


@dataclass(frozen=True)
class Limits:
    """How many rooms, members of one room, and hours that it lasts; codes of which a leader needs one."""

    rooms: int = 20
    members: int = 300
    hours: int = 4
    members_per_address: int = 150
    leader_codes: tuple[str, ...] = ()

    @property
    def rooms_of_address(self) -> int:
        """How many rooms one network address may open."""
        return max(1, self.rooms // 4)


@dataclass(eq=False)
class Member:
    """One tab in the room."""

    client_id: str  # drawn by the tab: one that comes back takes the same seat
    number: int  # by which the others know the hand, and a leader the member
    browser: str = ""  # all tabs of one browser count once
    address: str = ""  # of the network
    joined_at: float = 0.0
    leads: bool = False
    here: bool = True
    page: str = ""
    sharing_key: str = ""
    numbers: Payload = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    dropped: str = ""  # why its socket is to be closed


@dataclass
class Question:
    """A page's guess, put to all. `rounds` hold the answer of each browser."""

    number: int
    page: str
    sharing_key: str
    address: str
    answers: int
    rounds: list[dict[str, int]] = field(default_factory=lambda: [{}])
    open: bool = True
    shown: bool = False

    def counts(self) -> list[list[int]]:
        """How often each answer was given, round by round."""
        counted = [Counter(answers.values()) for answers in self.rounds]
        return [[each[place] for place in range(self.answers)] for each in counted]


def _whole(message: Message, name: str, low: int, high: int) -> int:
    value = message.get(name)
    if type(value) is not int or not low <= value <= high:
        raise TurnedAwayError(name)
    return value


def _flag(message: Message) -> bool:
    if not isinstance(message.get("on"), bool):
        raise TurnedAwayError("on")
    return message["on"]


def _sharing_key(message: Message) -> str:
    if not isinstance(message.get("sharing_key"), str) or not SHARING_KEY.fullmatch(message["sharing_key"]):
        raise TurnedAwayError("sharing_key")
    return message["sharing_key"]


class Room:
    """One class. Whoever shows its `secret` leads; all others can say where they are and what they guess."""

    def __init__(self, name: str, limits: Limits, clock: Callable[[], float], secret: str = "") -> None:
        """Begin empty; with the leader's `secret` where the room is opened again after a restart."""
        self.name, self.limits, self._clock = name, limits, clock
        self.secret = secret or secrets.token_hex(16)
        self.opening = secrets.token_hex(4)  # tells this room from an earlier one of the same name
        self.ends = clock() + 3600 * limits.hours
        self.left_at = clock()  # when the last member of the class went, or the room was opened
        self.members: dict[str, Member] = {}
        self.question: Question | None = None
        self.follow: Payload | None = None
        self.frozen = False
        self.locked = False
        self.hands = HANDS[0]
        self.undone = 0  # how often all was undone
        self.over = ""  # why, once it is
        self._timer: float | None = None
        self._numbered = 0
        self._question_count = 0
        self._changed: set[str] = set()
        self._moved: set[str] = set()  # the seats whose hands have moved since the last update
        self._removed: dict[str, None] = {}  # browsers
        self.urgent: Callable[[], None] = lambda: None  # called where an update should not wait

    # ---- who is here ----

    @property
    def here(self) -> list[Member]:
        """Those whose sockets are open."""
        return [member for member in self.members.values() if member.here]

    @property
    def class_(self) -> list[Member]:
        """Those who are here and do not lead."""
        return [member for member in self.here if not member.leads]

    @property
    def empty(self) -> bool:
        """Whether nobody is here but whoever leads, in however many tabs."""
        leading = {member.browser for member in self.here if member.leads}
        return all(member.browser in leading for member in self.class_)

    def join(self, client_id: Any, secret: Any = None, browser: Any = None, address: str = "") -> Member:
        """Take a seat, or come back to it. Without a `browser` the seat counts as one of its own."""
        browser = client_id if browser is None else browser
        for word in (client_id, browser):
            if not isinstance(word, str) or not CLIENT_ID.fullmatch(word):
                raise TurnedAwayError("seat")
        leads = isinstance(secret, str) and secrets.compare_digest(secret.encode(), self.secret.encode())
        if browser in self._removed and not leads:
            raise NoRoomError("removed")
        member = self.members.get(client_id)
        if not (member and member.here):
            self._admit(browser, address, leads)
        if member is None:
            if len(self.members) >= 2 * (self.limits.members + MOST_LEADERS):
                # of those who went, the first gives up its seat
                gone = next((key for key, other in self.members.items() if not other.here), None)
                if gone is None:
                    raise NoRoomError("full")
                del self.members[gone]
            self._numbered += 1
            member = self.members[client_id] = Member(client_id, self._numbered)
        member.browser, member.address, member.joined_at = browser, address, self._clock()
        member.here, member.leads, member.dropped = True, leads, ""
        self._changed.add("here")
        self._moved.add(client_id)
        return member

    def _admit(self, browser: str, address: str, leads: bool) -> None:
        """Find room for one more tab, or say why there is none."""
        if leads:
            if sum(other.leads for other in self.here) >= MOST_LEADERS:
                raise NoRoomError("full")
            return
        if self.locked and browser not in {other.browser for other in self.members.values()}:
            raise NoRoomError("locked")
        tabs = sum(other.browser == browser for other in self.class_)
        if tabs >= MOST_TABS:
            raise NoRoomError("full")
        beside = [other for other in self.class_ if other.address == address]
        for crowd, most in ((beside, self.limits.members_per_address), (self.class_, self.limits.members)):
            if not tabs and len({other.browser for other in crowd if other.here}) >= most:
                self._make_way(crowd)

    def _make_way(self, crowd: list[Member]) -> None:
        """Drop the browser that has been here longest without showing a page; there must be one."""
        waited = self._clock() - WITHOUT_PAGE
        with_page = {other.browser for other in crowd if other.page or other.joined_at > waited}
        idle = [other for other in crowd if other.here and other.browser not in with_page]
        if not idle:
            raise NoRoomError("full")
        self._drop(min(idle, key=lambda other: other.joined_at).browser, "full")

    def _drop(self, browser: str, why: str) -> None:
        """Take a browser's seats away; its sockets are closed soon."""
        for member in [each for each in self.class_ if each.browser == browser]:
            member.dropped = why
            self.leave(member)

    def leave(self, member: Member) -> None:
        """Its socket is closed: the seat and its answers stay, its hand goes."""
        member.here = False
        self._changed |= {"here", "goals"}
        self._moved.add(member.client_id)
        if self.empty and not member.leads:
            self.left_at = self._clock()

    # ---- messages of members ----

    def receive(self, member: Member, message: Any) -> Payload | None:
        """Do what a member says; what comes back is for that member alone."""
        if self.over or not member.here:
            raise TurnedAwayError("over")
        if not isinstance(message, Mapping) or not isinstance(message.get("do"), str):
            raise TurnedAwayError("message")
        if act := {"here": self._place, "guess": self._guess}.get(message["do"]):
            return act(member, message)
        act = {
            "ask": self._ask,
            "again": self._again,
            "show": self._show,
            "reveal": self._reveal,
            "hands": self._set_hands,
            "lead": self._lead,
            "freeze": self._freeze,
            "lock": self._lock,
            "remove": self._remove,
            "timer": self._set_timer,
            "undo": self._undo,
            "revoke": self._revoke,
            "close": self._close,
        }.get(message["do"])
        if act is None:
            raise TurnedAwayError("wish")
        if not member.leads:
            raise TurnedAwayError("rights")
        payload = act(member, message)
        self.urgent()
        return payload

    def _place(self, member: Member, message: Message) -> None:
        """Where a member is, what its hand has moved there, which goals were met."""
        page, sharing_key = message.get("page"), _sharing_key(message)
        if not isinstance(page, str):
            raise TurnedAwayError("page")
        numbers = sharing.numbers(page, message.get("numbers"))
        goals = sharing.goals(page, message.get("goals"))
        if member.sharing_key != sharing_key:
            self._changed |= {"hands", "goals", "here"} if member.leads else {"here"}
        if member.goals != goals or member.page != page:
            self._changed.add("goals")
        member.page, member.sharing_key, member.numbers, member.goals = page, sharing_key, numbers, goals
        self._moved.add(member.client_id)

    def _guess(self, member: Member, message: Message) -> None:
        question = self.question
        if question is None or not question.open or message.get("question") != question.number:
            return  # it came too late, which is nobody's fault
        if member.leads:
            raise TurnedAwayError("vote")
        if message.get("round") != len(question.rounds):
            return
        place = _whole(message, "place", 0, question.answers - 1)
        now = question.rounds[-1]
        if member.browser in now or len(now) < 2 * self.limits.members:
            now[member.browser] = place
            self._changed.add("question")

    # ---- what only those who lead can say ----

    def _ask(self, _: Member, message: Message) -> None:
        page, answers = message.get("page"), _whole(message, "answers", 2, MOST_ANSWERS)
        if not isinstance(page, str):
            raise TurnedAwayError("page")
        address = sharing.address(page, message.get("query"), predict=True)
        self._question_count += 1
        self.question = Question(self._question_count, page, _sharing_key(message), address, answers)
        self._changed.add("question")

    def _open_question(self) -> Question:
        if self.question is None:
            raise TurnedAwayError("no question")
        self._changed.add("question")
        return self.question

    def _again(self, *_: Any) -> None:
        question = self._open_question()
        if len(question.rounds) == ROUNDS:
            raise TurnedAwayError("rounds")
        question.rounds.append({})
        question.open, question.shown = True, False

    def _show(self, _: Member, message: Message) -> None:
        self._open_question().shown = _flag(message)

    def _reveal(self, *_: Any) -> None:
        question = self._open_question()
        question.open, question.shown = False, True

    def _set_hands(self, _: Member, message: Message) -> None:
        if message.get("where") not in HANDS:
            raise TurnedAwayError("where")
        self.hands = message["where"]
        self._changed.add("hands")

    def _lead(self, _: Member, message: Message) -> None:
        """Show all screens a page, its settings and its pose; without a page, no longer."""
        self._changed.add("follow")
        page = message.get("page")
        if page is None:
            self.follow = None
            return
        if not isinstance(page, str):
            raise TurnedAwayError("page")
        before = self.follow
        self.follow = {
            "page": page,
            "sharing_key": _sharing_key(message),
            "address": sharing.address(page, message.get("query")),
            "pose": sharing.pose(page, message.get("pose")),
        }
        another = before is None or (before["page"], before["sharing_key"]) != (page, self.follow["sharing_key"])
        if another and self.question and self.question.shown:  # it would lie over what all are to look at
            self.question.shown = False
            self._changed.add("question")

    def _freeze(self, _: Member, message: Message) -> None:
        self.frozen = _flag(message)
        self._changed.add("frozen")

    def _lock(self, _: Member, message: Message) -> None:
        """Let nobody new in; whoever has a seat may come back to it."""
        self.locked = _flag(message)
        self._changed.add("locked")

    def _remove(self, _: Member, message: Message) -> None:
        """Send a member away, with all tabs of its browser, and keep that browser out."""
        number = _whole(message, "number", 1, self._numbered)
        member = next((each for each in self.class_ if each.number == number), None)
        if member is None:
            return  # it has just gone
        self._removed[member.browser] = None
        if len(self._removed) > MOST_REMOVED:
            del self._removed[next(iter(self._removed))]
        self._drop(member.browser, "removed")

    def _set_timer(self, _: Member, message: Message) -> None:
        seconds = _whole(message, "seconds", 0, LONGEST_TIMER)
        self._timer = self._clock() + seconds if seconds else None
        self._changed.add("timer")

    def _undo(self, *_: Any) -> None:
        """Give everything back: nobody is led, held, timed or asked any more, and no hands are shown."""
        self.question, self.follow, self.frozen, self._timer, self.hands = None, None, False, None, HANDS[0]
        self.undone += 1
        self._changed |= {"question", "follow", "frozen", "timer", "hands", "undone"}

    def _revoke(self, member: Member, _: Message) -> Payload:
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

    # ---- payloads for members ----

    def drain_updates(self) -> tuple[Payload, Payload] | None:
        """Return what has changed since the last call, for members and for leaders; None if nothing has."""
        changed, moved = self._changed, self._moved
        if not changed and not moved:
            return None
        if self.hands != HANDS[0] and "hands" in changed:
            moved = set(self.members)
        updates = tuple(self._to_payload(changed, moved, leads) for leads in (False, True))
        self._changed, self._moved = set(), set()
        return updates

    def all(self, member: Member) -> Payload:
        """All that a member is told who has just come."""
        payload = {
            "leads": member.leads,
            "number": member.number,
            "opening": self.opening,
            **self._to_payload(AS_IT_IS | COMPUTED, set(self.members), member.leads),
        }
        if self.question:
            payload["guess"] = [answers.get(member.browser) for answers in self.question.rounds]
        return payload

    def _to_payload(self, keys: Set[str], moved: set[str], leads: bool) -> Payload:
        payload = {key: getattr(self, key) for key in sorted(keys & AS_IT_IS)}
        payload |= {key: getattr(self, f"_payload_of_{key}")(leads) for key in sorted(keys & COMPUTED)}
        if "goals" in payload and not leads:
            del payload["goals"]
        if "here" in payload and leads:
            payload["seats"] = self._seats()
        if self.hands == "all" or (leads and self.hands == "front"):
            payload |= self._payload_of_moved(moved)
        return payload

    def _payload_of_here(self, leads: bool) -> Payload:
        sharing_keys = self._sheets()
        beside = {member.browser for member in self.class_ if member.sharing_key in sharing_keys}
        members = len({member.browser for member in self.class_})
        return {"members": members, **({"beside": len(beside)} if leads else {})}

    def _seats(self) -> list[tuple[list[int], str]]:
        """For each browser, the oldest first: the numbers of its tabs, and the page that its newest tab shows."""
        result: dict[str, tuple[list[int], str]] = {}
        for member in sorted(self.class_, key=lambda member: member.number):
            numbers, page = result.get(member.browser, ([], ""))
            result[member.browser] = [*numbers, member.number], member.page or page
        return list(result.values())

    def _payload_of_question(self, leads: bool) -> Payload | None:
        question = self.question
        if question is None:
            return None
        payload = {name: value for name, value in vars(question).items() if name != "rounds"}
        payload |= {"round": len(question.rounds), "said": len(question.rounds[-1])}
        return payload | ({"counts": question.counts()} if question.shown else {})

    def _payload_of_timer(self, leads: bool) -> float | None:
        """The seconds left: clocks may differ, so no time of day is told."""
        return None if self._timer is None else round(max(0.0, self._timer - self._clock()), 2)

    def _payload_of_goals(self, leads: bool) -> dict[str, dict[str, int]]:
        """How many have met which goal of the pages on which the room is led."""
        pages = {member.page for member in self.here if member.leads and member.page}
        met = {(m.page, goal, m.browser) for m in self.class_ for goal in m.goals}
        return {page: dict(Counter(g for where, g, _ in sorted(met) if where == page)) for page in sorted(pages)}

    def _sheets(self) -> set[str]:
        return {member.sharing_key for member in self.here if member.leads and member.sharing_key}

    def _payload_of_moved(self, moved: set[str]) -> Iterator[tuple[str, Any]]:
        """A hand by its number: on which sheet it is and what it has moved, None where nothing is to be shown."""
        sharing_keys = self._sheets()
        for client_id in moved:
            if (member := self.members.get(client_id)) is None or member.leads:
                continue
            shown = member.here and member.numbers and member.sharing_key in sharing_keys
            yield f"hand {member.number}", [member.sharing_key, member.numbers] if shown else None


class Rooms:
    """All rooms of a process."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits, self._clock = limits, clock
        self._rooms: dict[str, tuple[Room, str]] = {}  # by name, with the network address that opened it

    def __iter__(self) -> Iterator[Room]:
        """Those that are not over."""
        self.sweep()
        return iter([room for room, _ in self._rooms.values()])

    def open(self, name: str, address: str = "", secret: Any = None, code: Any = None) -> Room:
        """Open a room of this name, or open it again: for whoever led it before the server was restarted."""
        self.sweep()
        if not permalink.TWO_WORDS.fullmatch(name):
            raise NoRoomError("name")
        if self.limits.leader_codes and not self._opens(code):
            raise NoRoomError("code")
        if name in self._rooms:
            raise NoRoomError("taken")
        if sum(of == address for _, of in self._rooms.values()) >= self.limits.rooms_of_address:
            self._make_way([room for room, of in self._rooms.values() if of == address and room.empty])
        if len(self._rooms) >= self.limits.rooms:
            waited = self._clock() - PATIENCE
            rooms = [room for room, _ in self._rooms.values() if not room.here and room.left_at <= waited]
            self._make_way(rooms)
        known = secret if isinstance(secret, str) and CLIENT_ID.fullmatch(secret) else ""
        room = Room(name, self.limits, self._clock, known)
        self._rooms[name] = room, address
        return room

    def _opens(self, code: Any) -> bool:
        """Whether a code is one of those that the server's owner has set."""
        known = [each.encode() for each in self.limits.leader_codes]
        return isinstance(code, str) and any(secrets.compare_digest(code.encode(), each) for each in known)

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

    def _make_way(self, empty: list[Room]) -> None:
        """Close the empty room in which nobody is, or has been, for longest; there must be one."""
        if not empty:
            raise NoRoomError("rooms")
        min(empty, key=lambda room: (bool(room.here), room.left_at)).end("empty")
        self.sweep()
