"""Streamlit's page with additions: where the app is, the figure's library, the first style, the first picture.

The library is loaded at once, beside Streamlit's own scripts, and not only once the first run has asked for it.

The style reserves each figure's height. If it came with the first run of a page, everything would move by then.

Without the line the browser of a deep link first asks for the app below the page itself, at
`/PAGE/_stcore/health` and `/PAGE/_stcore/host-config`, and only after two 404s at the root. An answer there would
not help: the browser would take `/PAGE/` for the root of the app, and show its home page.

A phone writes `/Similarity` and a chat links `/similarity.`: such an address leads to the page that is meant.
"""

import logging
import re
from string import punctuation
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_lab import course, fonts, streamlit_internals
from attention_lab.calculation.caches import bounded
from attention_lab.classroom.door import JOIN
from attention_lab.figure.browser_code import library
from attention_lab.process import PROCESS
from attention_lab.root import ROOT
from attention_lab.text.languages import ENGLISH, LANGUAGES
from attention_lab.text.typed_text import usual_signs
from attention_lab.widgets import first_style, language
from attention_lab.widgets.first_picture import Picture, Pictures

from . import log, style_sheet
from .static_files import FOLDER, File, StaticFiles, accepts_gzip, preview

HTML, HEAD, HEAD_END, BODY = b'<html lang="en">', b"<head>", b"</head>", b"<body>"
FONT = '<link rel="preload" as="font" type="font/woff2" crossorigin href=".{}">'
LINE = f"<script>{streamlit_internals.ROOT_SCRIPT}</script>".encode()
# The page is answered here, whole: the app is asked for it plain, and not whether it has changed.
NOT_PASSED_ON = (b"accept-encoding", b"if-none-match", b"if-modified-since")
HOST = re.compile(r"[\w.\-\[\]:]{1,255}")
DESCRIBED = (b"last-modified", b"content-length")  # Streamlit's file, not this page


class IndexPage:
    """Middleware of Streamlit's app."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.pictures = Pictures()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        asked = Headers(scope=scope) if scope["type"] == "http" and scope["method"] == "GET" else Headers()
        if "text/html" not in asked.get("accept", ""):
            await self.app(scope, receive, send)
            return
        if meant := _meant(scope["path"]):
            query = scope["query_string"].decode("latin-1")
            await RedirectResponse(f"{meant}?{query}" if query else meant)(scope, receive, send)
            return
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
                    picture = await self._picture(scope, asked.get("accept-language", ""))
                    page = completed(body, accepts_gzip(scope), asked_language(scope), picture, asked_site(scope))
                    await page.send(scope, send, [each for each in start["headers"] if each[0] not in DESCRIBED])

        plain = [each for each in scope["headers"] if each[0] not in NOT_PASSED_ON]
        await self.app(scope | {"headers": plain}, receive, answer)

    async def _picture(self, scope: Scope, wishes: str = "") -> Picture | None:
        """The first picture of the page that is asked for. Where it fails, the page is as without it."""
        if not PROCESS.first_picture:
            return None
        try:
            return await self.pictures.of(scope["path"], scope["query_string"], wishes)
        except Exception as error:
            log.note("a first picture failed", logging.ERROR, error)
            return None


def _meant(path: str) -> str:
    """Return the page whose address this is but for capitals and signs behind it; empty for any other path."""
    name = usual_signs(path[1:]).lower().rstrip(punctuation + " ")
    if f"/{name}" == path or path.endswith("/"):
        return ""
    links = course.every_link(ROOT / "pages")
    return name if name in {JOIN, *(link.page for link in links)} else ""


def asked_language(scope: Scope) -> str:
    """Return the language in which a page is asked for: its link's, or the browser's."""
    try:
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    except ValueError:
        query = {}
    return language.of_link(query, Headers(scope=scope).get("accept-language")) or ENGLISH


def asked_site(scope: Scope) -> str:
    """Return the server's address as its reader has it, "https://lab.example"; empty where it is not said."""
    asked = Headers(scope=scope)
    scheme = asked.get("x-forwarded-proto", scope.get("scheme", "")).partition(",")[0].strip()
    said = scheme in ("http", "https") and HOST.fullmatch(host := asked.get("host", ""))
    return f"{scheme}://{host}" if said else ""


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and "text/html" in Headers(raw=start["headers"]).get("content-type", "")


@bounded(64, 8_000_000)
def completed(
    page: bytes, zipped: bool, code: str = ENGLISH, picture: Picture | None = None, site: str = ""
) -> File:
    """Add to a page what it lacks, and compress it where that is wanted. The `code` is that of its language.

    The `site` is the server's address. Without it, a link to the page has no picture elsewhere.
    """
    # Behind the head the style wins over equal rules of Streamlit's.
    faces = fonts.faces(code, lambda name: f".{FOLDER}{name}")
    style = f"\n<style>{faces}{first_style.style()}</style>".encode()
    preload = f'<link rel="modulepreload" href=".{FOLDER}{library().file}">'.encode()
    links = "".join(FONT.format(FOLDER + name) for name in fonts.first(code)).encode()
    page = style_sheet.put_into(page.decode(), FOLDER).encode()
    page = page.replace(HEAD, HEAD + LINE + preload, 1).replace(HEAD_END, links + HEAD_END, 1)
    page = page.replace(BODY, BODY + style, 1)
    page = page.replace(HTML, f'<html lang="{code}" dir="{LANGUAGES[code].direction}">'.encode(), 1)
    if picture:
        image = f"{site}{FOLDER}{preview()[0]}" if site else ""
        page = picture.put_into(page.decode(), image).encode()
    # "no-cache": the browser may store the page, and asks every time whether it has changed.
    vary = "Accept-Encoding, Accept-Language"
    return File.pack(page, "text/html; charset=utf-8", "no-cache", vary, zipped=zipped)


MIDDLEWARE = [Middleware(StaticFiles), Middleware(IndexPage)]
