"""Streamlit's own files, compressed once and kept: nobody waits, and pays, for the same work twice.

Streamlit sends its scripts as they are, 2.9 MB for a first visit; compressed they are 0.6 MB. Only the files
that are there when the server starts are kept, each under its one name.
"""

from __future__ import annotations

import asyncio
import gzip
from functools import cache
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_lab import streamlit_internals

WORDY = {".js", ".css", ".svg", ".json"}
PIECE = 32_768  # bytes sent at a time: who takes them slowly holds no more of them in memory


def first() -> list[str]:
    """The addresses of the files that every first visit asks for and that are worth compressing."""
    return [path for path in streamlit_internals.first_files() if path in names()]


@cache
def names() -> frozenset[str]:
    """The addresses of all files that are worth compressing; the folder is read once a process."""
    folder = streamlit_internals.STATIC
    files = (path for path in folder.rglob("*") if path.suffix in WORDY)
    return frozenset(f"/{path.relative_to(folder).as_posix()}" for path in files)


class StaticFiles:
    """Answers for Streamlit's files from memory once it has them, and asks `app` for everything else."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`, with nothing kept yet."""
        self.app = app
        self.names = names()
        self._kept: dict[str, asyncio.Future[tuple[list[tuple[bytes, bytes]], bytes] | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        kept = await self._keep(scope["path"]) if self._wanted(scope) else None
        if kept is None:
            await self.app(scope, receive, send)
            return
        headers, body = kept
        await send({"type": "http.response.start", "status": 200, "headers": list(headers)})
        rest = memoryview(b"" if scope["method"] == "HEAD" else body)
        while len(rest) > PIECE:
            await send({"type": "http.response.body", "body": bytes(rest[:PIECE]), "more_body": True})
            rest = rest[PIECE:]
        await send({"type": "http.response.body", "body": bytes(rest)})

    async def warm_up(self) -> None:
        """Compress what every first visit asks for."""
        for path in first():
            await self._keep(path)

    def _wanted(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["path"] not in self.names:
            return False
        asked = Headers(scope=scope)
        return "gzip" in asked.get("accept-encoding", "") and "if-none-match" not in asked

    async def _keep(self, path: str) -> tuple[list[tuple[bytes, bytes]], bytes] | None:
        """A file's headers and its compressed text, made at the first time; None where there is no such file."""
        if path not in self._kept:
            self._kept[path] = asyncio.ensure_future(self._compressed(path))
        try:
            return await asyncio.shield(self._kept[path])
        except Exception:
            self._kept.pop(path, None)  # the next one tries again
            raise

    async def _compressed(self, path: str) -> tuple[list[tuple[bytes, bytes]], bytes] | None:
        """Ask for a file as nobody in particular would, and compress it."""
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
            return None  # Streamlit answers with its page where it has no such file
        body = await asyncio.to_thread(gzip.compress, b"".join(parts), 9, mtime=0)
        headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(body))
        headers["vary"] = "Accept-Encoding"
        headers["etag"] = f'{headers["etag"].rstrip(chr(34))}-gzip"'
        return headers.raw, body


async def _silence() -> Message:
    """Nothing more to say, and never going away."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")
