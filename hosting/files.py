"""Streamlit's own files, compressed once and kept: nobody waits, and pays, for the same work twice.

Streamlit sends its scripts as they are, 2.9 MB for a first visit; compressed they are 0.6 MB.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .headers import INDEX

WORDY = re.compile(r"/static/.+\.(?:js|css|svg|json)$")


def first() -> list[str]:
    """The addresses of the files that every first visit asks for."""
    page = INDEX.read_text(encoding="utf-8")
    return [
        f"/{path}" for path in re.findall(r'(?:src|href)="\./(static/[^"]+)"', page) if WORDY.match(f"/{path}")
    ]


class Files:
    """Answers for Streamlit's files from memory once it has them, and asks `app` for everything else."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`, with nothing kept yet."""
        self.app = app
        self._kept: dict[str, tuple[list[tuple[bytes, bytes]], bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if not self._wanted(scope):
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        if path not in self._kept and not await self._keep(path):
            await self.app(scope, receive, send)
            return
        headers, body = self._kept[path]
        await send({"type": "http.response.start", "status": 200, "headers": list(headers)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def warm_up(self) -> None:
        """Compress what every first visit asks for."""
        for path in first():
            await self._keep(path)

    @staticmethod
    def _wanted(scope: Scope) -> bool:
        if scope["type"] != "http" or not WORDY.match(scope["path"]):
            return False
        asked = Headers(scope=scope)
        return (
            "gzip" in asked.get("accept-encoding", "") and "range" not in asked and "if-none-match" not in asked
        )

    async def _keep(self, path: str) -> bool:
        """Ask for a file as nobody in particular would, and keep it compressed if it is there."""
        plain: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "root_path": "",
            "query_string": b"",
            "headers": [],
            "client": None,
            "server": None,
            "state": {},
        }
        started: Message = {}
        parts: list[bytes] = []

        async def take(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            else:
                parts.append(message.get("body", b""))

        await self.app(plain, _silence, take)
        headers = MutableHeaders(raw=list(started["headers"]))
        if started["status"] != 200 or "text/html" in headers.get("content-type", ""):
            return False  # Streamlit answers with its page where it has no such file
        body = await asyncio.to_thread(gzip.compress, b"".join(parts), 9, mtime=0)
        headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(body))
        headers["vary"] = "Accept-Encoding"
        headers["etag"] = f'{headers["etag"].rstrip(chr(34))}-gzip"'
        self._kept[path] = headers.raw, body
        return True


async def _silence() -> Message:
    """Nothing more to say, and never going away."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")
