"""A room's sockets: one for each member, beside Streamlit's. What is said is bounded; what is told is gathered.

Members say one small message a second at most, and once a second all of them are told the same bytes. Of what a
member has not taken yet only the newest of each kind waits, so that one who takes slowly costs no memory and
delays nobody. A message beyond the pace is dropped, and one who goes on is let go: so nothing piles up, and that
somebody has left is heard at once. Once an address has tried many wrong names, they are answered late: right ones
never are.
"""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, WebSocketRoute

from attention_lab.classroom.rooms import CLIENT_ID, Member, NoRoomError, Room, Rooms, TurnedAwayError

from . import log
from .capacity import RateLimiter, TokenBucket
from .origin import is_own

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PATH = "/room"
LONGEST = 16_384  # characters of a message: the pose of the largest page is half of that
EVERY = 1.0  # s between two tellings
SOON = 0.15  # s: what whoever leads has done is told after that
RATE, BURST = 4, 24  # messages a second of one member, and at once before that
BORNE = 40  # messages of one member that cannot be, or are beyond its pace
GREETING = 10.0  # s that a member has for its first message
TRIES = (0.2, 30)  # wrong names of one network address that are answered: a second, and at once before that
LONGEST_WAIT = 10.0  # s until a wrong name is answered
MOST_WAITING = 50  # wrong names of one network address that wait for their answer
LAST_WORD = 2.0  # s for taking in why it is over
# Why a socket is closed, as the browser reads it; those of NoRoomError, too.
OVER, GOODBYE, TOO_MUCH, BROKEN, TRIED, FOREIGN = "over", "left", "too much", "broken", "tries", "origin"
SILENT, ELSEWHERE = "silent", "elsewhere"
GUESSED = ("unknown", "taken", "code")  # what somebody learns who tries names and codes
CODE = 4000  # of a room's own closings


class Line:
    """What one member is told: the newest of each kind that it has not taken yet."""

    def __init__(self, member: Member, send: Send) -> None:
        self.member = member
        self.leads: bool | None = member.leads  # as it was told last; None if it lacks something
        self._send = send
        self._waiting: dict[str, Any] = {}
        self._text: str | None = None  # what waits, where it is written already
        self._ready = asyncio.Event()
        self._ended = False

    def tell(self, told: dict[str, Any], text: str | None = None) -> None:
        """Let something wait to be taken; `text` is the same, written for all."""
        if self._waiting:
            if "hands" in told:  # all of them are told anew
                self._waiting = {key: value for key, value in self._waiting.items() if key[:5] != "hand "}
            self._waiting |= told
            self._text = None
        else:
            self._waiting, self._text = dict(told), text
        self._ready.set()

    def end(self) -> None:
        """Tell what still waits, and nothing more."""
        self._ended = True
        self._ready.set()

    async def write(self) -> None:
        """Send what waits, until there is an end."""
        while self._waiting or not self._ended:
            await self._ready.wait()
            self._ready.clear()
            if self._waiting:
                text = self._text or written(self._waiting)
                self._waiting, self._text = {}, None
                await self._send({"type": "websocket.send", "text": text})


def written(told: Any) -> str:
    """A message as it travels."""
    return json.dumps(told, separators=(",", ":"))


class RoomSockets:
    """The door to a process's rooms, as an ASGI app: `streamlit run` mounts it, the gateway calls `serve`."""

    def __init__(
        self,
        rooms: Rooms,
        count: Callable[[str], None] = lambda reason: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Stand before `rooms`; `count` hears of every refusal."""
        self.rooms, self._count, self._clock = rooms, count, clock
        self._lines: dict[Room, set[Line]] = {}
        self._tellers: dict[Room, asyncio.Task] = {}
        self._tries, self._waiting = RateLimiter(*TRIES, clock), Counter[str]()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """The ASGI interface, where nobody stands before it."""
        if not is_own(Headers(scope=scope)):
            self._count(FOREIGN)
            await send({"type": "websocket.close", "code": CODE, "reason": FOREIGN})
            return
        await self.serve(scope, receive, send, (scope.get("client") or ("",))[0])

    @property
    def members(self) -> int:
        """How many sockets are open."""
        return sum(map(len, self._lines.values()))

    async def serve(self, scope: Message, receive: Receive, send: Send, address: str) -> None:
        """One member, from beginning to end."""
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        why = GOODBYE
        try:
            why = await self._attend(scope, receive, send, address)
        except (NoRoomError, TurnedAwayError) as refused:
            why = str(refused)
        except TimeoutError:
            why = SILENT
        except OSError:  # it has gone
            return
        if why != GOODBYE:
            self._count(f"room: {why}")
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(LAST_WORD):
                    await send({"type": "websocket.close", "code": CODE, "reason": why})

    async def _attend(self, scope: Message, receive: Receive, send: Send, address: str) -> str:
        """Let a member in, hear it, and say why it goes."""
        name = (parse_qs(scope["query_string"].decode("latin-1")).get("room") or [""])[0]
        async with asyncio.timeout(GREETING):
            message = await receive()
        if message["type"] == "websocket.disconnect":
            return GOODBYE
        try:
            room, member, told = self._enter(name, read(message), address)
        except NoRoomError as refused:
            if str(refused) in GUESSED:
                await self._hold_back(receive, address)
            raise
        line = Line(member, send)
        lines = self._lines.setdefault(room, set())
        for other in [other for other in lines if other.member is member]:
            lines.discard(other)  # the same tab again, before its old socket was found to be dead
            other.end()
        lines.add(line)
        line.tell(told | room.all(member))
        if room not in self._tellers:
            self._tellers[room] = asyncio.create_task(self._tell(room))
        writing = asyncio.create_task(line.write())
        receiving = asyncio.create_task(self._receive(room, line, receive))
        try:
            await asyncio.wait([writing, receiving], return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                writing.result()  # where it could not be written, that is raised here
            if not receiving.done():
                return OVER if room.over else member.dropped or ELSEWHERE
            return receiving.result()
        finally:
            for task in (writing, receiving):
                task.cancel()
            await asyncio.gather(writing, receiving, return_exceptions=True)
            if line in lines:
                lines.discard(line)
                room.leave(member)

    def _enter(self, name: str, said: Any, address: str) -> tuple[Room, Member, dict[str, Any]]:
        """Find or open the room that is asked for, and take a seat in it."""
        if not isinstance(said, dict) or said.get("do") not in ("join", "open"):
            raise TurnedAwayError(BROKEN)
        client_id, secret, browser = (said.get(key) for key in ("seat", "secret", "browser"))
        opened = said["do"] == "open"
        if not opened:
            try:
                room = self.rooms.find(name)
            except NoRoomError:
                if not (isinstance(secret, str) and CLIENT_ID.fullmatch(secret)):
                    raise
                opened = True  # the server was restarted: whoever led brings the room back
        if opened:
            room = self.rooms.open(name, address, secret, said.get("code"))
            secret = room.secret
        try:
            member = room.join(client_id, secret, browser, address)
        except TurnedAwayError:
            if opened:
                room.end(BROKEN)
            raise
        return room, member, ({"secret": room.secret, "opened": opened} if member.leads else {})

    async def _hold_back(self, receive: Receive, address: str) -> None:
        """Wait before a wrong name or code is answered, longer with each that the address has tried."""
        if self._waiting[address] >= MOST_WAITING:
            raise TurnedAwayError(TRIED)
        tries = self._tries.of(address)
        owes = tries.wait(0) >= LONGEST_WAIT  # then it owes no more
        wait = min(LONGEST_WAIT, tries.wait(0 if owes else 1))
        self._waiting[address] += 1
        try:
            async with asyncio.timeout(wait):
                while wait and (await receive())["type"] != "websocket.disconnect":
                    pass
        except TimeoutError:
            pass
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    async def _receive(self, room: Room, line: Line, receive: Receive) -> str:
        """Handle a member's messages until it leaves or has sent too many invalid ones."""
        pace, left = TokenBucket(RATE, BURST, self._clock), BORNE
        while left:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return GOODBYE
            try:
                if pace.wait(0):
                    raise TurnedAwayError(TOO_MUCH)
                pace.wait()
                if reply := room.receive(line.member, read(message)):
                    line.tell(reply)
            except TurnedAwayError as refused:
                self._count(f"room: {refused}")
                left -= 1
        return TOO_MUCH

    async def _tell(self, room: Room) -> None:
        """Tell everybody in a room what is new, once a second, until it is over."""
        soon = asyncio.Event()
        room.urgent = soon.set
        lines = self._lines[room]
        while not room.over:
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY):
                    await soon.wait()
                    await asyncio.sleep(SOON)
            soon.clear()
            try:
                self._tell_once(room, lines)
            except Exception as error:  # a room goes on, whatever is wrong with one thing that it is told
                log.note("a room could not be told what is new", logging.ERROR, error)
                for line in lines:
                    line.leads = None  # it is told everything next
        for line in list(lines):
            line.tell({"over": room.over})
            line.end()
        del self._lines[room], self._tellers[room]

    def _tell_once(self, room: Room, lines: set[Line]) -> None:
        self.rooms.sweep()
        for line in lines:
            if line.member.dropped:
                line.end()
        if not room.over and (updates := room.drain_updates()):
            texts = [written(told) if told else None for told in updates]
            for line in lines:
                if line.leads != line.member.leads:  # its rights have changed, or it lacks something
                    line.tell(room.all(line.member))
                    line.leads = line.member.leads
                elif updates[line.leads]:
                    line.tell(updates[line.leads], texts[line.leads])


def routes(rooms: Rooms) -> list[BaseRoute]:
    """Where the rooms are found, for an app that no gateway stands before."""
    return [WebSocketRoute(PATH, RoomSockets(rooms))]


def read(message: Message) -> Any:
    """What a member has said; TurnedAwayError where nobody can read it."""
    text = message.get("text")
    if text is None or len(text) > LONGEST:
        raise TurnedAwayError(BROKEN)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise TurnedAwayError(BROKEN) from None
