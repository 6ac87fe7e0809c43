"""One session's socket: what its browser sends is read ahead, checked and paced, and runs one script at a time.

It stands between the browser's socket and Streamlit. A disconnect is heard at once, whatever was sent before
it. A wish to run a script waits until the session's last run is over and its answer taken; of several that wait
the newest stays, with what the older ones alone have said. What stops a script or only says "still here" waits
for nothing.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from itertools import accumulate, count
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg

import attention_lab.streamlit_internals as streamlit

from .capacity import TokenBucket
from .connections import LAST_WORD, TOO_MANY
from .metrics import Metrics
from .run_limiter import Run, RunLimiter, Usage
from .settings import Settings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

BROKEN, TOO_BIG, COME_AGAIN = 1002, 1009, 1013
OPENING = 2.0  # s: what a browser asks for by itself when it opens a page comes within these
ORDINARY = 4096  # bytes: a message of this size counts as one, a longer one as more
STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}  # by how much a bracket changes the depth
MOST_BRACKETS = 4096  # that a text may open; those of pages open some hundred
OTHERS = bytes(set(range(256)) - set(STEPS))
NUMBERS = count(1)  # of the process's sockets
FILE_EVERY = 0.5  # s between two files that one session has made


def depth_of(text: str) -> int:
    """How deep brackets are nested in a text, at most; those inside strings count as well."""
    return max(accumulate(map(STEPS.__getitem__, text.encode().translate(None, OTHERS))), default=0)


def read(data: bytes, depth: int) -> BackMsg | None:
    """The browser's message, or None if it is none: not Streamlit's, or with JSON that nobody can read."""
    message = streamlit.read_back_message(data)
    if message is None:
        return None
    for widget in message.rerun_script.widget_states.widgets:
        for text in filter(None, (getattr(widget, field) for field in streamlit.JSON_FIELDS)):
            if sum(map(text.count, "[{")) > MOST_BRACKETS or depth_of(text) > depth or not _is_json(text):
                return None
    return message


def _is_json(text: str) -> bool:
    with suppress(ValueError):
        json.loads(text)
        return True
    return False


class Reruns:
    """The reruns that wait: at most one of the whole page, or one for each fragment."""

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: dict[str, tuple[Any, float]] = {}

    def __bool__(self) -> bool:
        """Whether any waits."""
        return bool(self._waiting)

    def add(self, rerun: Any) -> int:
        """Let one wait, in the place of those that it replaces; return how many bytes it has grown to."""
        asked = time.perf_counter()
        if not rerun.fragment_id or "" in self._waiting:
            replaced = list(self._waiting.values())
            self._waiting.clear()
        else:
            replaced = [self._waiting.pop(rerun.fragment_id)] if rerun.fragment_id in self._waiting else []
        for older, since in reversed(replaced):
            rerun, asked = streamlit.merge_reruns(older, rerun), min(asked, since)
        self._waiting[rerun.fragment_id] = rerun, asked
        return rerun.ByteSize()

    def take(self) -> tuple[Any, float]:
        """The oldest, and when it was first asked for."""
        return self._waiting.pop(next(iter(self._waiting)))


class SessionSocket:
    """Hand its `receive` and `send` to Streamlit instead of the socket's own; use it as a context."""

    def __init__(
        self,
        settings: Settings,
        limiter: RunLimiter,
        metrics: Metrics,
        address: str,
        receive: Receive,
        send: Send,
        session: str = "",
    ) -> None:
        """Stand before one socket, whose `receive` and `send` these are; it may take up an earlier `session`."""
        self.settings, self.limiter, self.metrics, self.address = settings, limiter, metrics, address
        self._receive, self._send = receive, send
        self.session, self._is_certain = session, False  # Streamlit may have made another one instead
        self.name = str(next(NUMBERS))  # by which its scripts know it
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task] = []
        # What has come in: as it came, then what waits for nothing, then what waits for a run.
        self._unread: deque[Message] = deque()
        self._unread_bytes = 0
        self._urgent: deque[Message] = deque()
        self._reruns = Reruns()
        self._end: Message | None = None
        self._pace = TokenBucket(settings.message_rate, settings.message_burst)
        self._files = TokenBucket(1 / FILE_EVERY, 1)
        self._not_before: float | None = None  # when the first of the unread may be read, once that is known
        # What goes out, and the run that it belongs to.
        self._outgoing: deque[Message] = deque()
        self._written = asyncio.Event()
        self._written.set()
        self._to_write = asyncio.Event()
        self._gone = False
        self._usage = Usage()
        self._run: Run | None = None  # wished for, or under way
        self._handed_over = False  # whether Streamlit has been asked for it
        self._running_since: float | None = None
        self.opened = self.last_wish = time.monotonic()
        self.left = asyncio.Event()  # set once its seat is free

    async def __aenter__(self) -> SessionSocket:
        """From here on the socket is read and written."""
        self._tasks = [asyncio.create_task(self._read_ahead()), asyncio.create_task(self._write())]
        return self

    async def __aexit__(self, *_: object) -> None:
        """The session is over: so is its run, and nothing more is read or written."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._run is not None:
            self._run.end()
            del self.limiter.of_socket[self.name]

    @property
    def has_acted(self) -> bool:
        """Whether its reader has changed anything since the page was opened."""
        return self.last_wish > self.opened + OPENING

    @property
    def is_busy(self) -> bool:
        """Whether its reader waits for an answer, or is leaving."""
        return bool(self._reruns) or self._running_since is not None or self._end is not None

    def may_make_way(self, now: float) -> bool:
        """Whether its reader has been idle for so long that a new reader may have the seat."""
        patience = self.settings.idle_session_seconds if self.has_acted else OPENING
        return now > self.last_wish + patience

    def make_way(self) -> None:
        """End the session; its browser may open it again."""
        self._end_with(COME_AGAIN, "idle")
        self._changed.set()

    # ---- from the browser ----

    async def _read_ahead(self) -> None:
        """Take in what the browser sends as it comes, so that its leaving is heard at once."""
        while self._end is None:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                self._end = message
            elif message["type"] != "websocket.receive":
                self._urgent.append(message)
            else:
                self.metrics.count("messages")
                self._unread.append(message)
                self._unread_bytes += _size(message)
                self._sort()
                if (
                    len(self._unread) > self.settings.message_backlog
                    or self._unread_bytes > 4 * self.settings.message_size
                ):
                    self._refuse(TOO_MANY, "too many messages")
            self._changed.set()

    async def receive(self) -> Message:
        """What Streamlit is told next."""
        while True:
            self._sort()
            if self._end is not None:
                return await self._goodbye(self._end)
            if self._urgent:
                return self._urgent.popleft()
            if self._reruns and self._may_run():
                rerun, self._running_since = self._reruns.take()
                self._handed_over = True
                return {"type": "websocket.receive", "bytes": streamlit.rerun_message(rerun)}
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._until_next()):
                    await self._changed.wait()

    def _until_next(self) -> float | None:
        return None if self._not_before is None else max(0.0, self._not_before - time.monotonic())

    def _sort(self) -> None:
        """Read what has come, as fast as the session may send, and put it where it waits."""
        while self._unread and self._end is None:
            size = _size(self._unread[0])
            if self._not_before is None:
                wait = self._pace.wait(1 + size // ORDINARY)
                self._not_before = time.monotonic() + wait
                if wait:
                    self.metrics.count("delayed")
            if time.monotonic() < self._not_before:
                return
            self._not_before = None
            self._unread_bytes -= size
            message = self._unread.popleft()
            self._put(message.get("bytes"), message)

    def _put(self, data: bytes | None, message: Message) -> None:
        if data is not None and len(data) > self.settings.message_size:
            return self._refuse(TOO_BIG, "long message")
        said = None if data is None else read(data, self.settings.message_depth)
        if said is None:
            return self._refuse(BROKEN, "broken message")
        kind = said.WhichOneof("type")
        if kind not in streamlit.NEEDED:
            return self.metrics.count("refused", "needless message")
        if kind == streamlit.OPERATION and not self._may_make(said.backend_operation_request):
            return self.metrics.count("refused", "needless message")
        if kind != streamlit.RERUN:
            self._urgent.append(message)
            return None
        rerun = said.rerun_script
        if len(rerun.query_string) > self.settings.address_length:
            return self._refuse(TOO_BIG, "long address")
        if rerun.fragment_id and not streamlit.has_fragment(self.session, rerun.fragment_id):
            return self.metrics.count("refused", "unknown fragment")
        self.last_wish = time.monotonic()
        if self._reruns.add(rerun) > self.settings.message_size:
            return self._refuse(TOO_BIG, "long message")
        return None

    def _may_make(self, operation: Any) -> bool:
        """Whether a file may be made for a download button: one at a time, for it takes a tenth of a second."""
        if operation.WhichOneof("payload") != streamlit.FILE or self._files.until() > 0:
            return False
        self._files.wait()
        return True

    def _may_run(self) -> bool:
        """Whether the next script may run now; it queues up as soon as the last run is over and read."""
        if self._run is None or self._run.over:
            if not self._written.is_set():
                return False
            self._run, self._handed_over = self.limiter.ask(self.address, self._usage, self._changed.set), False
            self.limiter.of_socket[self.name] = self._run  # where its script finds it
        return self._run.granted and not self._handed_over

    def _refuse(self, code: int, reason: str) -> None:
        self.metrics.count("refused", reason)
        self._end_with(code, reason)

    def _end_with(self, code: int, reason: str) -> None:
        self._unread.clear()
        self._end = {"type": "websocket.disconnect", "code": code, "reason": reason, "refused": True}

    async def _goodbye(self, end: Message) -> Message:
        """Say why, where it was refused; Streamlit hears of a disconnect in either case."""
        if end.pop("refused", False):
            close = {"type": "websocket.close", "code": end["code"], "reason": end["reason"]}
            with suppress(TimeoutError, OSError):
                async with asyncio.timeout(LAST_WORD):
                    await self._send(close)
        return end

    # ---- to the browser ----

    async def send(self, message: Message) -> None:
        """Pass on what Streamlit says, without waiting for a browser that takes it slowly."""
        if message["type"] != "websocket.send":
            await self._written.wait()
            await self._send(message)
            return
        if self._gone:
            return
        self._outgoing.append(message)
        self._written.clear()
        self._to_write.set()
        if data := message.get("bytes"):
            if not self._is_certain and (made := streamlit.session_of(data)):
                self.session, self._is_certain = made, True
            if self._running_since is not None and streamlit.is_end_of_run(data):
                self.metrics.rerun(time.perf_counter() - self._running_since)
                self._running_since = None
                if self._run is not None:
                    self._run.end()

    async def _write(self) -> None:
        """Write what is to go out, one message after another."""
        try:
            while True:
                await self._to_write.wait()
                self._to_write.clear()
                while self._outgoing:
                    await self._send(self._outgoing.popleft())
                self._written.set()
                self._changed.set()
        except OSError:  # the browser has gone, as the one who reads is about to hear
            self._gone = True
        finally:
            self._written.set()


def _size(message: Message) -> int:
    return len(message.get("bytes") or message.get("text") or b"")
