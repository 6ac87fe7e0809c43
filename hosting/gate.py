"""Who and what is let in: the outermost layer around Streamlit's own server.

It answers what Streamlit need not see (health, a full house, addresses and methods that this app has no use
for) and puts the security headers on every answer.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected

from .headers import headers
from .measures import Measures
from .places import FullError, Places
from .settings import Settings
from .stream import Stream
from .turns import Turns

STREAM = "/_stcore/stream"
OPEN = {STREAM, "/_stcore/health", "/_stcore/host-config"}  # of Streamlit's own addresses
FILES = ("/static/", "/media/", "/component/", "/_stcore/")
WAIT = Path(__file__).with_name("wait.html").read_text(encoding="utf-8")
FULL = (
    "Every seat is taken",
    "More people are here than this server can hold at once. A seat will be free in a moment.",
    5,
)
STARTING = ("Just a moment", "The server is starting.", 2)


def waiting(title: str, text: str, seconds: int) -> Response:
    """A page that says why one has to wait, and tries again."""
    page = WAIT
    for name, value in (("title", title), ("text", text), ("seconds", str(seconds))):
        page = page.replace(f"{{{name}}}", value)
    return HTMLResponse(page, 503, {"Retry-After": str(seconds), "Cache-Control": "no-store"})


def host_of(value: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{value}").hostname or ""
    except ValueError:
        return ""


class Gate:
    """Lets in what is wanted, as far as there is room. Set `ready` once the first reader may come."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        places: Places,
        turns: Turns,
        measures: Measures,
        version: str,
    ) -> None:
        """Stand before `app`, closed until `ready` is set."""
        self.app, self.settings, self.places, self.turns, self.measures = app, settings, places, turns, measures
        self.version = version
        self.ready = False
        self.headers = headers(settings.embed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, answer)
        elif scope["type"] == "websocket":
            await self._session(scope, receive, answer)
        else:
            await self.app(scope, receive, answer)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer that the gate gives by itself, if any."""
        asked = Headers(scope=scope)
        path: str = scope["path"]
        if path == "/health":
            state = "ready" if self.ready else "starting"
            return JSONResponse(
                {"ready": self.ready, "state": state, "version": self.version},
                200 if self.ready else 503,
                {"Cache-Control": "no-store"},
            )
        if len(scope["raw_path"]) + len(scope["query_string"]) > self.settings.target:
            return self._refuse("long address", 414, f"An address has at most {self.settings.target} characters.")
        if self.settings.hosts and host_of(asked.get("host", "")) not in self.settings.hosts:
            return self._refuse("host", 421, "This server does not answer to that name.")
        origin = asked.get("origin")
        if origin and urlsplit(origin).netloc != asked.get("host") and origin not in self.settings.origins:
            return self._refuse("origin", 403, "Pages of another site may not ask here.")
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            return self._refuse("method", 405, "Nothing can be sent here.", Allow="GET, HEAD")
        if path.startswith("/_stcore/") and path not in OPEN and not path.startswith("/_stcore/bidi-components/"):
            return self._refuse("address", 404, "There is nothing here.")
        if not self.ready:
            return waiting(*STARTING)
        if scope["type"] == "http" and self._is_page(path, asked):
            if not self.places.promise():
                self.measures.count("refused", "full")
                return waiting(*FULL)
            self.measures.count("pages")
        return None

    def _refuse(self, reason: str, status: int, text: str, **more: str) -> Response:
        self.measures.count("refused", reason)
        return PlainTextResponse(text, status, more)

    @staticmethod
    def _is_page(path: str, asked: Headers) -> bool:
        return "text/html" in asked.get("accept", "") and not path.startswith(FILES)

    async def _session(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self.places.take():
                self.measures.count("sessions_opened")
                stream = Stream(self.settings, self.turns, self.measures, receive, send)
                with stream, suppress(WebSocketDisconnected):  # the browser went while something was said to it
                    await self.app(scope, stream.receive, stream.send)
        except FullError:
            self.measures.count("refused", "full")
            await waiting(*FULL)(scope, receive, send)


def state(gate: Gate) -> dict[str, Any]:
    """What the log says of the gate when the server stops."""
    return {"sessions": gate.places.taken, "reruns": gate.measures.reruns}
