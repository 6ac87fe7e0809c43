"""Who and what is let in: the outermost layer around Streamlit's own server.

It answers what Streamlit need not see (health, a full server, addresses and methods that are of no use here),
lets requests take turns, and puts the security headers on every answer.
"""

import asyncio
import time
from bisect import bisect_left, bisect_right
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected

import attention_lab.streamlit_internals as streamlit
from attention_lab.text import read
from attention_lab.text.languages import language, speaking

from . import static_files
from .capacity import Addresses, FullError, RateLimiter, SeatPool
from .connections import CONNECTION, BoundedHttp
from .headers import headers
from .index_page import asked_language
from .metrics import Metrics
from .origin import is_own
from .room_socket import PATH as ROOM
from .room_socket import RoomSockets
from .scheduler import Scheduler, ScriptTurns
from .session_socket import SessionSocket
from .settings import Settings
from .uploads import Uploads

OPEN = {streamlit.STREAM, streamlit.HEALTH, streamlit.HOST_CONFIG}  # of Streamlit's own addresses
METHODS, UPLOAD_METHODS = ("GET", "HEAD"), ("PUT", "DELETE")
NEEDLESS = (b"range", b"if-range")  # headers: nobody reads our files by halves, and many halves are much work
# So many are worked on at a time: a change waits for several rounds of the event loop, and a thousand requests at
# once would make each round long.
REQUESTS_AT_ONCE = 4
MADE_WAY = (2, 40)  # idle sessions of one address that make way for new ones: a second, and at once before that
TOGETHER = 1.0  # s between sessions that count as opened together
ROUNDS = 2  # of the event loop, until the end of a connection is read that was closed at once
WAIT = Path(__file__).with_name("wait.html").read_text(encoding="utf-8")
SECONDS = {"full": 5, "share": 2, "starting": 2}  # until a page that waits tries again


def waiting(why: str, scope: Scope) -> Response:
    """Return a page that says why one has to wait, in the language that is asked for, and tries again."""
    seconds, page = str(SECONDS[why]), WAIT
    with speaking(asked_language(scope)):
        words, spoken = read("server"), language()
    said = {"title": words[f"{why}/title"], "text": words[why], "again": words.filled("again", seconds=seconds)}
    for name, value in (said | {"seconds": seconds, "lang": spoken.code, "dir": spoken.direction}).items():
        page = page.replace(f"{{{name}}}", value)
    return HTMLResponse(page, 503, {"Retry-After": seconds, "Cache-Control": "no-store"})


def host_of(value: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{value}").hostname or ""
    except ValueError:
        return ""


def thing_of(scope: Scope) -> str:
    """What a request asks for, as requests take turns: a session, a file by its path, or "", a page.

    Pages count as one thing, because one page has as many addresses as anybody likes.
    """
    path = scope["path"]
    if scope["type"] == "websocket":
        return "session"
    if path in OPEN or path in static_files.names():
        return path
    if path.startswith(streamlit.UPLOADS):
        return streamlit.UPLOADS
    return static_files.FOLDER if path.startswith(static_files.FOLDER) else ""


class Gateway:
    """Lets in what is wanted, as far as there is room. Set `ready` once the first reader may come."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        addresses: Addresses,
        sessions: SeatPool,
        scripts: ScriptTurns,
        metrics: Metrics,
        version: str,
        rooms: RoomSockets | None = None,
    ) -> None:
        """Stand before `app`, and before `rooms` where there are any, closed until `ready` is set."""
        self.app, self.settings, self.addresses, self.sessions = app, settings, addresses, sessions
        self.scripts, self.metrics, self.version, self.rooms = scripts, metrics, version, rooms
        self.requests = Scheduler(REQUESTS_AT_ONCE)
        self.made_way = RateLimiter(*MADE_WAY)
        self.sockets: set[SessionSocket] = set()  # of the open sessions
        self.ready = False
        self.model = ""  # the real model that readers may ask, if any
        self.failure = ""  # why it never will be
        self.headers = headers(settings.embed)
        self.uploads = Uploads(app, settings, metrics, self._refuse) if settings.upload_megabytes else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        if scope["type"] == "http" and scope["path"] == "/health":
            await self._health()(scope, receive, answer)
            return
        address = self._address(scope)
        connection = scope.get("state", {}).get(CONNECTION)
        # A proxy's connections are shared by many clients.
        answers = connection.answers if connection and not self.addresses.is_proxy(scope["client"][0]) else 0
        lost = connection.lost if connection else None
        async with self.requests.turn((address, thing_of(scope)), answers, lost) as turn:
            if scope["type"] == "websocket" and turn.granted:
                for _ in range(ROUNDS):  # so that a client's leaving is noticed before a session is opened for it
                    await asyncio.sleep(0)
            is_gone = connection and connection.is_gone
            if scope["type"] == "http" and not is_gone:

                async def answer_in_turn(message: Message) -> None:
                    if message["type"] == "http.response.body":  # from here on it depends on who reads it
                        self.requests.end(turn)
                    await answer(message)

                scope["headers"] = [each for each in scope["headers"] if each[0] not in NEEDLESS]
                if refusal := self._refusal(scope, address):
                    await refusal(scope, receive, answer_in_turn)
                elif self.uploads and scope["method"] == "PUT":
                    self.requests.end(turn)  # from here on it depends on who sends
                    await self.uploads.serve(scope, receive, answer, address)
                else:
                    await self.app(scope, receive, answer_in_turn)
                return
        if is_gone:
            self.metrics.count("refused", "gone")
            await connection.lost  # uvicorn would log an error if this returned before
            return
        if refusal := self._refusal(scope, address):
            await refusal(scope, receive, answer)
        elif self.rooms and scope["path"] == ROOM:
            await self.rooms.serve(scope, receive, answer, address)
        else:
            await self._session(scope, receive, answer, address, connection)

    def _health(self) -> Response:
        return JSONResponse(
            {"ready": self.ready, "state": "ready" if self.ready else "starting", "version": self.version}
            | ({"model": self.model} if self.model else {}),
            200 if self.ready else 503,
            {"Cache-Control": "no-store"},
        )

    def _address(self, scope: Scope) -> str:
        host = (scope.get("client") or ("",))[0]
        return self.addresses.of(host, ",".join(Headers(scope=scope).getlist("x-forwarded-for")))

    def _refusal(self, scope: Scope, address: str) -> Response | None:
        """The answer that the gateway gives by itself, if any."""
        asked = Headers(scope=scope)
        path: str = scope["path"]
        if len(scope["raw_path"]) + len(scope["query_string"]) > self.settings.address_length:
            most = self.settings.address_length
            return self._refuse("long address", 414, most=most)
        if self.settings.hosts and host_of(asked.get("host", "")) not in self.settings.hosts:
            return self._refuse("host", 421)
        if not is_own(asked, self.settings.origins):
            return self._refuse("origin", 403)
        is_upload = bool(self.uploads and any(streamlit.upload_names(path)))
        methods = UPLOAD_METHODS if is_upload else METHODS
        if scope["type"] == "http" and scope["method"] not in methods:
            allowed = ", ".join(methods)
            return self._refuse("method", 405, {"Allow": allowed}, methods=allowed)
        is_open = path in OPEN or is_upload or path.startswith(streamlit.COMPONENTS)
        if path.startswith(streamlit.CORE) and not is_open:
            return self._refuse("address", 404)
        if scope["type"] == "websocket" and path != streamlit.STREAM and not (self.rooms and path == ROOM):
            return self._refuse("address", 404)
        if not self.ready:
            return waiting("starting", scope)
        if scope["type"] == "http" and self._is_page(path, asked):
            if lacking := self._lacking(address):
                self.metrics.count("refused", lacking)
                return waiting(lacking, scope)
            self.metrics.count("pages")
        return None

    def _refuse(
        self, reason: str, status: int, headers: dict[str, str] | None = None, **names: object
    ) -> Response:
        self.metrics.count("refused", reason)
        text = read("server").filled(f"refused/{reason}", **{name: str(value) for name, value in names.items()})
        return PlainTextResponse(text, status, headers)

    @staticmethod
    def _is_page(path: str, asked: Headers) -> bool:
        return "text/html" in asked.get("accept", "") and not path.startswith(streamlit.FILES)

    def _idle(self, address: str) -> SessionSocket | None:
        """The session of a full address that makes way for a new one, if any has been idle for long enough."""
        if self.made_way.of(address).until():
            return None
        of_address = [each for each in self.sockets if each.session.address == address]
        times = sorted(each.opened for each in of_address)

        def precedence(session: SessionSocket) -> tuple[bool, int, float]:
            """Sessions that many were opened together with go first: so are those that a program opens."""
            begin, end = session.opened - TOGETHER, session.opened + TOGETHER
            return session.has_acted, bisect_left(times, begin) - bisect_right(times, end), session.last_change

        first = min((each for each in of_address if not each.session.turns), key=precedence, default=None)
        return first if first and first.may_make_way(time.monotonic()) else None

    def _lacking(self, address: str) -> str:
        """What there is no room for; an idle session of the same address makes room."""
        lacking = self.sessions.lacking(address)
        return "" if lacking == "share" and self._idle(address) else lacking

    async def _session(
        self, scope: Scope, receive: Receive, send: Send, address: str, connection: BoundedHttp | None
    ) -> None:
        is_returning = len(scope.get("subprotocols") or []) > 2
        # One that comes back takes only a free seat: else two would take the same seat from each other for ever.
        while self.sessions.lacking(address) == "share" and not is_returning and (idle := self._idle(address)):
            self.metrics.count("made_way")
            self.made_way.of(address).wait()
            idle.close()
            await idle.left.wait()
        try:
            with self.sessions.take(address), self.scripts.session(address) as (name, session):
                self.metrics.count("sessions_opened")
                close = connection.transport.abort if connection else lambda: None
                socket = SessionSocket(self.settings, self.metrics, session, receive, send, close)
                self.sockets.add(socket)
                try:
                    with suppress(WebSocketDisconnected):  # the browser has gone while Streamlit was sending
                        await self.app(streamlit.name_socket(scope, name), socket.receive, socket.send)
                finally:
                    self.sockets.discard(socket)
                    socket.left.set()
                    streamlit.drop_uploads_of_closed_sessions()
        except FullError as lacking:
            self.metrics.count("refused", str(lacking))
            await waiting(str(lacking), scope)(scope, receive, send)
