"""Streamlit's page with three additions: where the app is, the figure's library, and the app's first style.

The library is loaded at once, beside Streamlit's own scripts, and not only once the first run has asked for it.

The style reserves each figure's height. If it came with the first run of a page, everything would move by then.

Without the line the browser of a deep link first asks for the app below the page itself, at
`/PAGE/_stcore/health` and `/PAGE/_stcore/host-config`, and only after two 404s at the root. An answer there would
not help: the browser would take `/PAGE/` for the root of the app, and show its home page.
"""

from __future__ import annotations

import gzip
from functools import lru_cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_lab import streamlit_internals
from attention_lab.figure.browser_code import library
from attention_lab.widgets import first_style

from .scripts import FOLDER, Scripts

HEAD, BODY = b"<head>", b"<body>"
LINE = f"<script>{streamlit_internals.ROOT_SCRIPT}</script>".encode()
# The page is answered here, whole: the app is asked for it plain, and not whether it has changed.
NOT_PASSED_ON = (b"accept-encoding", b"if-none-match", b"if-modified-since")
VALIDATORS = ("etag", "last-modified")


class IndexPage:
    """Middleware of Streamlit's app."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        asked = Headers(scope=scope) if scope["type"] == "http" and scope["method"] == "GET" else Headers()
        if "text/html" not in asked.get("accept", ""):
            await self.app(scope, receive, send)
            return
        zipped = "gzip" in asked.get("accept-encoding", "")
        start: Message | None = None
        body = b""

        async def answer(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    page = completed(body, zipped)
                    _describe(MutableHeaders(scope=start), page, zipped)
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        plain = [each for each in scope["headers"] if each[0] not in NOT_PASSED_ON]
        await self.app(scope | {"headers": plain}, receive, answer)


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and "text/html" in Headers(raw=start["headers"]).get("content-type", "")


@lru_cache(4)
def completed(page: bytes, zipped: bool) -> bytes:
    """Add the line and the style to a page, and compress it where that is wanted."""
    # Behind the head the style wins over equal rules of Streamlit's.
    style = f"\n<style>{first_style.style()}</style>".encode()
    preload = f'<link rel="modulepreload" href=".{FOLDER}{library().file}">'.encode()
    page = page.replace(HEAD, HEAD + LINE + preload, 1).replace(BODY, BODY + style, 1)
    return gzip.compress(page, 9, mtime=0) if zipped else page


def _describe(headers: MutableHeaders, page: bytes, zipped: bool) -> None:
    for name in VALIDATORS:
        if name in headers:
            del headers[name]
    headers["content-length"] = str(len(page))
    headers["vary"] = "Accept-Encoding"
    if zipped:
        headers["content-encoding"] = "gzip"


MIDDLEWARE = [Middleware(Scripts), Middleware(IndexPage)]
