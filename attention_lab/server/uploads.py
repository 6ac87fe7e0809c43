"""Files that readers open: how many are sent at a time, how long one may take, how much memory all may hold.

A whole class sits behind one network address, so its readers take turns. Only a session that is open can send a
file, and it has one file at a time: a new one replaces the one before.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import attention_lab.streamlit_internals as streamlit

from .capacity import FullError, SeatPool
from .metrics import Metrics
from .settings import Settings

AT_ONCE = (4, 2)  # files sent at a time, to the process and from one address: one client leaves room for others
PATIENCE = 10.0  # s that a file waits for its turn
SLOWEST = 250_000  # bytes per second that a whole file needs at least, so 20 MB may take 80 s
MEGABYTE = 1_000_000
FRAME = 4096  # bytes that a browser puts around a file
RETRY = {"Retry-After": "5"}
CLOSE = {"Connection": "close"}
NO_CONTENT = 204  # Streamlit's answer to a file that it has taken
SERVER_ERROR = 500  # and above: it could not read the file to its end


def largest_body(settings: Settings) -> int:
    """Return how many bytes an upload may have. A megabyte is a million, as Streamlit's page counts them."""
    return settings.upload_megabytes * MEGABYTE + FRAME


def keep_off_the_disk(settings: Settings) -> None:
    """Let an upload stay in memory while it comes in. Above 1 MB Starlette would write it to a temporary file."""
    MultiPartParser.spool_max_size = largest_body(settings)


class Uploads:
    """Passes uploads to `app`, Streamlit's, as far as there is room, and answers the others itself."""

    def __init__(
        self, app: ASGIApp, settings: Settings, metrics: Metrics, refuse: Callable[..., Response]
    ) -> None:
        """`refuse` makes the answer to an upload that is not let in."""
        self.app, self.settings, self.metrics, self._refuse = app, settings, metrics, refuse
        self._seats = SeatPool(*AT_ONCE)
        self._waiting: set[object] = set()  # sessions whose file waits for its turn
        self._sending: set[object] = set()
        self._changed = asyncio.Condition()
        # The address of each session and the size of what it has opened. What its page made of it is about as
        # large, and stays until Streamlit lets go of the session.
        self._held: WeakKeyDictionary[object, tuple[str, int]] = WeakKeyDictionary()

    async def serve(self, scope: Scope, receive: Receive, send: Send, address: str) -> None:
        """Take a file in, or say why not; nothing of it is read before."""
        asked = Headers(scope=scope)
        session = streamlit.open_session(streamlit.upload_names(scope["path"])[0])
        length = int(asked.get("content-length", 0))
        refusal: Response | None = None
        if not length or "transfer-encoding" in asked:  # a body in chunks ends where it likes
            refusal = self._refuse("no length", 411)
        elif length > largest_body(self.settings):
            refusal = self._refuse("large file", 413, most=self.settings.upload_megabytes)
        elif session is None:
            refusal = self._refuse("closed session", 400)
        else:
            try:
                async with self._turn(session, address):
                    if self._has_room(address, length):
                        refusal = await self._take(scope, receive, send, session, address, length)
                    else:
                        refusal = self._refuse("no room for file", 503, RETRY)
            except FullError:
                refusal = self._refuse("many files", 503, RETRY)
        if refusal:
            await refusal(scope, receive, send)

    @asynccontextmanager
    async def _turn(self, session: object, address: str) -> AsyncIterator[None]:
        """Wait until a file of this session may be sent. FullError says that it may not."""
        if session in self._waiting:
            raise FullError
        self._waiting.add(session)
        try:
            async with asyncio.timeout(PATIENCE), self._changed:
                await self._changed.wait_for(
                    lambda: session not in self._sending and not self._seats.lacking(address)
                )
                self._seats.enter(address)
                self._sending.add(session)
        except TimeoutError:
            raise FullError from None
        finally:
            self._waiting.discard(session)
        try:
            yield
        finally:
            self._seats.leave(address)
            self._sending.discard(session)
            async with self._changed:
                self._changed.notify_all()

    def _has_room(self, address: str, length: int) -> bool:
        """Whether a file of this length fits into what all sessions, and those of one address, may hold."""
        most = self.settings.upload_megabytes_in_all * MEGABYTE
        sizes = [*self._held.values()]
        of_address = sum(size for other, size in sizes if other == address)
        return sum(size for _, size in sizes) + length <= most and of_address + length <= most // 2

    async def _take(
        self, scope: Scope, receive: Receive, send: Send, session: object, address: str, length: int
    ) -> Response | None:
        """Let Streamlit read the file; return the answer to one that is too slow."""
        loop, idle = asyncio.get_running_loop(), self.settings.idle_seconds
        end = loop.time() + idle + length / SLOWEST
        held = self._held.get(session, (address, 0))
        self._held[session] = address, held[1] + length

        async def body() -> Message:
            timeout.reschedule(min(end, loop.time() + idle))
            message = await receive()
            timeout.reschedule(None)
            return message

        async def answer(message: Message) -> None:
            nonlocal held
            status = message.get("status", 0)
            if status == NO_CONTENT:
                held = address, length
                streamlit.keep_last_upload(*streamlit.upload_names(scope["path"]))
                streamlit.drop_uploads_of_closed_sessions()  # the reader may have left meanwhile
                self.metrics.count("uploads")
            elif 0 < status < SERVER_ERROR:
                self.metrics.count("refused", "file")
            await send(message)

        try:
            async with asyncio.timeout(None) as timeout:
                await self.app(scope, body, answer)
        except ClientDisconnect:
            self.metrics.count("refused", "gone")
        except TimeoutError:
            if not timeout.expired():
                raise
            return self._refuse("slow file", 408, CLOSE)
        finally:
            self._held[session] = held
        return None
