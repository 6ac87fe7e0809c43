"""The browser's files: the figure's library, what single lessons draw with, Streamlit's style with other fonts.

A file is named after its content, so that a browser keeps it for good. It lies below `/static/`, as Streamlit's
own scripts do, and is treated like these by whatever stands before the app.
"""

from __future__ import annotations

import asyncio
import re
from importlib import import_module
from importlib.util import find_spec

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from attention_lab.figure.browser_code import WORDS, Script, library, words
from attention_lab.process import PROCESS
from attention_lab.text.languages import LANGUAGES, speaking
from attention_lab.widgets.first_picture import PRESENTATION

from .style_sheet import compressed, files

FOLDER = "/static/lab/"
FILE = re.compile(r"([a-z_]{1,40})\.[0-9a-f]{16}\.js")
FOR_GOOD = "public, max-age=31536000, immutable"
LESSONS = "attention_lab.lessons"


def find(file: str) -> Script | None:
    """Return the script of this name and content. Any replica knows it, whichever page it has shown so far."""
    named = FILE.fullmatch(file)
    script = _script(named[1]) if named else None
    return script if script and script.file == file else None


def _script(name: str) -> Script | None:
    if name == "library":
        return library()
    if name.startswith(WORDS):
        code = name.removeprefix(WORDS)
        if code not in LANGUAGES:
            return None
        with speaking(code):
            return words()
    if name == PRESENTATION.name:
        return PRESENTATION
    if name == "qr":
        return import_module("attention_lab.export.qr").QR.script
    if find_spec(f"{LESSONS}.{name}") is None:
        return None
    parts = import_module(f"{LESSONS}.{name}").LESSON.own_parts
    return parts.script if parts else None


class Scripts:
    """Middleware of Streamlit's app."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app
        PROCESS.scripts_served = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] == "http" and scope["path"].startswith(FOLDER):
            await (await asyncio.to_thread(answer, scope))(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def answer(scope: Scope) -> Response:
    """Return the file that is asked for."""
    if scope["method"] not in ("GET", "HEAD"):
        return PlainTextResponse("Method not allowed", 405, {"Allow": "GET, HEAD"})
    name = scope["path"].removeprefix(FOLDER)
    if name in files():
        body, kind = files()[name]
        headers = {"Cache-Control": FOR_GOOD, "Vary": "Accept-Encoding"}
        if kind == "text/css" and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            body, headers["Content-Encoding"] = compressed(name), "gzip"
        return Response(body, headers=headers, media_type=kind)
    script = find(name)
    if script is None:
        return PlainTextResponse("Not found", 404, {"Cache-Control": "no-store"})
    headers = {"Cache-Control": FOR_GOOD, "Vary": "Accept-Encoding", "ETag": f'"{script.fingerprint}"'}
    if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
        body, headers["Content-Encoding"] = script.compressed, "gzip"
    else:
        body = script.text.encode()
    return Response(body, headers=headers, media_type="text/javascript")
