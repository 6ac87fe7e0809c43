"""Streamlit's style sheet with other fonts: of icons, the few that are drawn; of letters, none.

The icons' font, cut by `tools/icons.py`, takes 16 KB instead of 375. Letters are the course's
(`attention_lab/fonts.py`), in code the system's: Streamlit's take 170 KB, 138 KB in italics, 90 KB in code.
"""

import re
from functools import cache
from hashlib import sha256

from attention_lab import streamlit_internals
from attention_lab.root import PACKAGE

ICONS = PACKAGE / "assets" / "icons" / "icons.woff2"
ICON_FONT = re.compile(r"url\(\.\./media/MaterialSymbols-[^)]+\)")
TEXT_FONTS = re.compile(r"@font-face\{font-family:Source [^}]*\}")
PRELOADED = re.compile(r'\s*<link\s[^>]*?as="font"[^>]*>')


def named(name: str, body: bytes) -> str:
    """Return a file's name with letters that stand for its content."""
    stem, dot, suffix = name.partition(".")
    return f"{stem}.{sha256(body).hexdigest()[:16]}{dot}{suffix}"


@cache
def _sheets() -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the names of the new sheets by the addresses of Streamlit's, and all files by their names."""
    font = ICONS.read_bytes()
    files, replaced = {named("icons.woff2", font): font}, {}
    for address in streamlit_internals.first_files():
        if address.endswith(".css"):
            text = (streamlit_internals.STATIC / address[1:]).read_text(encoding="utf-8")
            text = ICON_FONT.sub(f"url({named('icons.woff2', font)})", text)
            body = TEXT_FONTS.sub("", text).encode()
            replaced[address] = named("streamlit.css", body)
            files[replaced[address]] = body
    return replaced, files


def files() -> dict[str, bytes]:
    """Return the icons' font and the style sheets by their names, which follow from their content."""
    return _sheets()[1]


def put_into(page: str, folder: str) -> str:
    """Return Streamlit's page with these sheets, which lie in a `folder`, and without the unused font.

    A link to Streamlit's own sheet stays, disabled and so not loaded: Streamlit's scripts add it where it lacks.
    """
    for address, name in _sheets()[0].items():
        old = re.compile(rf'<link [^>]*href="\.{re.escape(address)}">')
        own = f'<link rel="stylesheet" crossorigin href=".{folder}{name}">'
        page = old.sub(f'<link rel="stylesheet" disabled crossorigin href=".{address}">{own}', page)
    return PRELOADED.sub("", page)
