"""One session's socket: what its browser sends is checked and paced before Streamlit reads it.

While a message waits, nothing more is read from the connection, so the sender waits, too.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from itertools import accumulate
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg

import attention_lab.streamlit_internals as streamlit

from .capacity import TokenBucket
from .metrics import Metrics
from .scheduler import Session
from .settings import Settings

Message = MutableMapping[str, Any]

BROKEN, TOO_BIG = 1002, 1009
OPENING = 2.0  # s: what a browser asks for by itself when it opens a page comes within these
ORDINARY = 4096  # bytes: a message of this size counts as one, a longer one as more
LONGEST_FILE_URLS = 2048  # bytes of the message that asks where one file is put, by its name
FILE_COST = 10  # messages that the making of a file counts as: it takes a tenth of a second
STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}  # by how much a bracket changes the depth
MOST_BRACKETS = 4096  # that a text may open; those of pages open some hundred
OTHERS = bytes(set(range(256)) - set(STEPS))


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


class SessionSocket:
    """Hand its `receive` and `send` to Streamlit instead of the socket's own."""

    def __init__(
        self,
        settings: Settings,
        metrics: Metrics,
        session: Session,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
        close: Callable[[], None],
    ) -> None:
        """Stand before one socket, whose `receive` and `send` these are; `close` ends its connection."""
        self.settings, self.metrics, self.session = settings, metrics, session
        self._receive, self._send, self.close = receive, send, close
        self._pace = TokenBucket(settings.message_rate, settings.message_burst)
        self._taken = asyncio.Event()  # while the browser has taken all that was sent
        self._taken.set()
        self.opened = self.last_change = time.monotonic()
        self.left = asyncio.Event()  # set once its seat is free

    @property
    def has_acted(self) -> bool:
        """Whether its reader has changed anything since the page was opened."""
        return self.last_change > self.opened + OPENING

    def may_make_way(self, now: float) -> bool:
        """Whether its reader has been idle for so long that a new reader may have the seat."""
        patience = self.settings.idle_session_seconds if self.has_acted else OPENING
        return now > self.last_change + patience

    async def send(self, message: Message) -> None:
        """Send what Streamlit answers."""
        self._taken.clear()
        try:
            await self._send(message)
        finally:
            self._taken.set()
        if (data := message.get("bytes")) and streamlit.is_end_of_run(data):
            self.session.answered.set()

    async def receive(self) -> Message:
        """Return what Streamlit reads next, once the browser has taken the last answer."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            self.metrics.count("messages")
            data: bytes | None = message.get("bytes")
            if data is not None and len(data) > self.settings.message_size:
                return await self._refuse(TOO_BIG, "long message")
            content = None if data is None else read(data, self.settings.message_depth)
            if content is None:
                return await self._refuse(BROKEN, "broken message")
            kind = content.WhichOneof("type")
            is_file = kind == streamlit.OPERATION
            if wait := self._pace.wait(FILE_COST if is_file else 1 + len(data) // ORDINARY):
                self.metrics.count("delayed")
                await asyncio.sleep(wait)
            await self._taken.wait()
            if kind == streamlit.RERUN:
                if len(content.rerun_script.query_string) > self.settings.address_length:
                    return await self._refuse(TOO_BIG, "long address")
                self.last_change = time.monotonic()
            if self._is_needed(content, len(data)):
                return message
            self.metrics.count("refused", "needless message")

    def _is_needed(self, content: BackMsg, size: int) -> bool:
        """Whether a page's browser sends such a message."""
        kind = content.WhichOneof("type")
        if kind == streamlit.OPERATION:
            return content.backend_operation_request.WhichOneof("payload") == streamlit.FILE
        if kind == streamlit.FILE_URLS:
            is_short = len(content.file_urls_request.file_names) <= 1 and size <= LONGEST_FILE_URLS
            return self.settings.upload_megabytes > 0 and is_short
        return kind in streamlit.NEEDED

    async def _refuse(self, code: int, reason: str) -> Message:
        """Tell the browser why its session ends, and Streamlit that it has ended."""
        self.metrics.count("refused", reason)
        with suppress(OSError):  # the browser has gone
            await self._send({"type": "websocket.close", "code": code, "reason": reason})
        return {"type": "websocket.disconnect", "code": code, "reason": reason}
