"""Files served from memory, each read and compressed once: Streamlit's, and this app's scripts, style and font.

Streamlit sends its scripts uncompressed, 2.9 MB for a first visit; compressed they are 0.6 MB. Only files that
exist when the server starts are served, each under its exact name. A browser that does not accept gzip gets
Streamlit's files from Streamlit.

A file of this app is named after its content, so that a browser may store it for good. It lies below `/static/`,
as Streamlit's scripts do, so that whatever stands before the app treats both alike.
"""

import asyncio
import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import PurePosixPath

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from attention_lab import fonts, streamlit_internals
from attention_lab.export.clip import CLIP
from attention_lab.export.qr import QR
from attention_lab.export.web_page import ASSETS, PREVIEW
from attention_lab.figure.browser_code import WORDS, Script, library, parts_of_lessons, words
from attention_lab.own_attention.page import PARTS as OWN
from attention_lab.process import PROCESS
from attention_lab.text.languages import LANGUAGES, speaking
from attention_lab.widgets.first_picture import PRESENTATION

from . import style_sheet

FOLDER = "/static/lab/"
SCRIPT = re.compile(r"([a-z_]{1,40})\.[0-9a-f]{16}\.js")
TEXT = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
NOT_TEXT = {".woff2": "font/woff2", ".png": "image/png"}
FOR_GOOD = "public, max-age=31536000, immutable"
PIECE = 32_768  # bytes sent at a time: a slow reader holds no more of them in memory


@dataclass(frozen=True)
class File:
    """A response's body, compressed or not, and the headers that describe it."""

    body: bytes
    headers: dict[str, str]

    @classmethod
    def pack(cls, body: bytes, kind: str, caching: str, vary: str = "Accept-Encoding", *, zipped: bool) -> "File":
        """Describe a body of the media type `kind`, and compress it if it is to be sent `zipped`."""
        headers = {"content-type": kind, "cache-control": caching, "vary": vary}
        headers["etag"] = f'"{sha256(body).hexdigest()[:24]}{"-gzip" * zipped}"'
        if zipped:
            body, headers["content-encoding"] = gzip.compress(body, 9, mtime=0), "gzip"
        return cls(body, headers | {"content-length": str(len(body))})

    async def send(self, scope: Scope, send: Send, others: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Answer a request, with the `others` as more headers; 304 where the browser has this file already."""
        headers = MutableHeaders(raw=list(others))
        headers.update(self.headers)
        status, body = 200, memoryview(b"" if scope["method"] == "HEAD" else self.body)
        if self.headers["etag"] in Headers(scope=scope).get("if-none-match", ""):
            status, body = 304, body[:0]
            del headers["content-length"], headers["content-encoding"]
        await send({"type": "http.response.start", "status": status, "headers": headers.raw})
        for start in range(0, len(body) or 1, PIECE):
            piece, more = bytes(body[start : start + PIECE]), start + PIECE < len(body)
            await send({"type": "http.response.body", "body": piece, "more_body": more})


def accepts_gzip(scope: Scope) -> bool:
    """Whether the browser that asks can read compressed answers."""
    return "gzip" in Headers(scope=scope).get("accept-encoding", "")


@cache
def names() -> frozenset[str]:
    """The addresses of all of Streamlit's files that are worth compressing; the folder is read once a process."""
    folder = streamlit_internals.STATIC
    files = (path for path in folder.rglob("*") if path.suffix in TEXT)
    return frozenset(f"/{path.relative_to(folder).as_posix()}" for path in files)


def first() -> list[str]:
    """The addresses of the files that every first visit asks for and that are worth compressing."""
    return [path for path in streamlit_internals.first_files() if path in names()]


@cache
def preview() -> tuple[str, bytes]:
    """The picture that stands elsewhere beside a link to the app: its name and its content."""
    body = (ASSETS / PREVIEW).read_bytes()
    return style_sheet.named(PREVIEW, body), body


def _script(name: str) -> Script | None:
    """Return a script by its name. Every replica knows it, whichever pages it has shown so far."""
    if name == "library":
        return library()
    if name == PRESENTATION.name:
        return PRESENTATION
    if (code := name.removeprefix(WORDS)) in LANGUAGES:
        with speaking(code):
            return words()
    parts = {QR.name: QR, CLIP.name: CLIP, OWN.name: OWN, **parts_of_lessons()}.get(name)
    return parts.script if parts else None


def _own(name: str) -> bytes | None:
    """Return a file of this app, where both its name and its content are as asked for."""
    if not (named := SCRIPT.fullmatch(name)):
        return (style_sheet.files() | fonts.files() | dict([preview()])).get(name)
    script = _script(named[1])
    return script.text.encode() if script and script.file == name else None


def _read(path: str, zipped: bool) -> File:
    own = path.startswith(FOLDER)
    body = _own(path.removeprefix(FOLDER)) if own else (streamlit_internals.STATIC / path[1:]).read_bytes()
    if body is None:
        raise FileNotFoundError(path)
    suffix = PurePosixPath(path).suffix
    kind = (TEXT | NOT_TEXT)[suffix]
    return File.pack(body, kind, FOR_GOOD, zipped=zipped and suffix in TEXT)


_files: dict[tuple[str, bool], asyncio.Future[File]] = {}


async def load(path: str, zipped: bool = True) -> File:
    """Return the file of an address, read and compressed in a thread when it is asked for the first time.

    Raises FileNotFoundError where there is none.
    """
    if (key := (path, zipped)) not in _files:
        _files[key] = asyncio.ensure_future(asyncio.to_thread(_read, path, zipped))
    try:
        return await asyncio.shield(_files[key])
    except Exception:
        _files.pop(key, None)  # the next request tries again, and unknown names take no memory
        raise


async def warm_up() -> None:
    """Compress what every first visit asks for."""
    for path in first():
        await load(path)


class StaticFiles:
    """Middleware of Streamlit's app: answers for the files that it knows, and asks `app` for everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        PROCESS.scripts_served = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        path = scope["path"] if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else ""
        if path.startswith(FOLDER) or (path in names() and accepts_gzip(scope)):
            try:
                file = await load(path, accepts_gzip(scope))
            except FileNotFoundError:
                await PlainTextResponse("Not found", 404, {"Cache-Control": "no-store"})(scope, receive, send)
            else:
                await file.send(scope, send)
        else:
            await self.app(scope, receive, send)
