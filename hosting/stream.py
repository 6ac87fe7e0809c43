"""One session's socket: what the browser sends is checked and paced, every rerun has its turn and is timed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from .measures import Measures
from .settings import Settings
from .turns import Turn, Turns

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

TOO_BIG, BROKEN = 1009, 1002
LONGEST_END = 256  # bytes: the message that ends a run is far below


class Pace:
    """So many messages a second, and a few at once before that; beyond it, how long to wait."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with the whole burst free."""
        self.rate, self.burst, self.clock = rate, burst, clock
        self.left, self.seen = burst, clock()

    def wait(self) -> float:
        """Seconds that the next message has to wait."""
        now = self.clock()
        self.left = min(self.burst, self.left + (now - self.seen) * self.rate) - 1
        self.seen = now
        return max(0.0, -self.left / self.rate)


def nested(text: str) -> int:
    """How deep brackets are nested in a text, at most; those inside strings count as well."""
    deepest = depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def read(data: bytes, depth: int) -> BackMsg | None:
    """The browser's message, or None if it is none: not Streamlit's, or with JSON that nobody can read."""
    try:
        message = BackMsg.FromString(data)
        for widget in message.rerun_script.widget_states.widgets:
            for text in (widget.json_value, widget.json_trigger_value):
                if text and (nested(text) > depth or json.loads(text) is NotImplemented):
                    return None
    except (DecodeError, ValueError):
        return None
    return message


class Stream:
    """Stands between a browser's socket and Streamlit: hand `receive` and `send` to Streamlit instead."""

    def __init__(
        self, settings: Settings, turns: Turns, measures: Measures, receive: Receive, send: Send
    ) -> None:
        """Stand there for one socket, whose `receive` and `send` these are."""
        self.settings, self.turns, self.measures = settings, turns, measures
        self._receive, self._send = receive, send
        self._pace = Pace(settings.rate, settings.burst)
        self._asked: float | None = None
        self._turn: Turn | None = None

    def __enter__(self) -> Stream:
        """From here on it is used; at the end its turn, if it has one, is over."""
        return self

    def __exit__(self, *_: object) -> None:
        """It is over, and so is its turn."""
        self._end_turn()

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.give_back()
            self._turn = None

    async def receive(self) -> Message:
        """The browser's next message; an impossible one ends the session."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return message
        self.measures.count("messages")
        data = message.get("bytes")
        if data is not None and len(data) > self.settings.frame:
            return await self._end(TOO_BIG, "long message")
        said = None if data is None else read(data, self.settings.depth)
        if said is None:
            return await self._end(BROKEN, "broken message")
        if wait := self._pace.wait():
            self.measures.count("delayed")
            await asyncio.sleep(wait)
        if said.WhichOneof("type") == "rerun_script" and self._asked is None:
            self._asked = time.perf_counter()
            self._turn = await self.turns.take()
        return message

    async def send(self, message: Message) -> None:
        """Send on what Streamlit says, and take the time where a run has ended."""
        await self._send(message)
        data = message.get("bytes")
        if self._asked is None or data is None or len(data) > LONGEST_END:
            return
        said = ForwardMsg.FromString(data)
        if (
            said.WhichOneof("type") == "script_finished"
            and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        ):
            self.measures.rerun(time.perf_counter() - self._asked)
            self._asked = None
            self._end_turn()

    async def _end(self, code: int, reason: str) -> Message:
        self.measures.count("refused", reason)
        await self._send({"type": "websocket.close", "code": code, "reason": reason})
        return {"type": "websocket.disconnect", "code": code}
