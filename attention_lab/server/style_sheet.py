"""Streamlit's style sheet with other fonts: the few icons that are drawn, and letters that every system has.

The icons' font, cut by `tools/icons.py`, takes 16 KB instead of 375. The letters, as wide as those of Streamlit's
text font, save 170 KB upright and 138 KB italic.
"""

import re
from functools import cache
from hashlib import sha256

from attention_lab import streamlit_internals
from attention_lab.root import PACKAGE

ICONS = PACKAGE / "assets" / "icons" / "icons.woff2"
ICON_FONT = re.compile(r"url\(\.\./media/MaterialSymbols-[^)]+\)")
TEXT_FONT = re.compile(r"@font-face\{font-family:Source Sans;[^}]*\}")
PRELOADED = re.compile(r'\s*<link\s[^>]*?as="font"[^>]*>')
# For each weight, the size at which the system's letters are as wide as Streamlit's.
FACE = '@font-face{{font-family:"Source Sans";font-weight:{};font-style:{};size-adjust:{}%;src:{}}}'
SYSTEM = ("Arial", "Liberation Sans", "Helvetica", "Roboto")
FACES = ((400, "normal", 93.8, ""), (400, "italic", 93.8, " Italic"), (600, "normal", 90, " Bold"))


def _named(name: str, body: bytes) -> str:
    stem, dot, suffix = name.partition(".")
    return f"{stem}.{sha256(body).hexdigest()[:16]}{dot}{suffix}"


@cache
def _sheets() -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the names of the new sheets by the addresses of Streamlit's, and all files by their names."""
    font = ICONS.read_bytes()
    files, replaced = {_named("icons.woff2", font): font}, {}
    faces = "".join(
        FACE.format(weight, style, size, ",".join(f'local("{name}{cut}")' for name in SYSTEM))
        for weight, style, size, cut in FACES
    )
    for address in streamlit_internals.first_files():
        if address.endswith(".css"):
            text = (streamlit_internals.STATIC / address[1:]).read_text(encoding="utf-8")
            text = ICON_FONT.sub(f"url({_named('icons.woff2', font)})", text)
            body = (TEXT_FONT.sub("", text) + faces).encode()
            replaced[address] = _named("streamlit.css", body)
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
