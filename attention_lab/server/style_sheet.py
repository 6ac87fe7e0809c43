"""Streamlit's style sheet with other fonts: the few icons that are drawn, and letters that every system has.

The icons' font, cut by `tools/icons.py`, takes 16 KB instead of 375. The letters, as wide as those of Streamlit's
text font, save 170 KB upright and 138 KB italic.
"""

from __future__ import annotations

import gzip
import re
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from attention_lab import streamlit_internals
from attention_lab.root import PACKAGE

ICONS = PACKAGE / "assets" / "icons" / "icons.woff2"
ICON_FONT = re.compile(r"url\(\.\./media/MaterialSymbols-[^)]+\)")
TEXT_FONT = re.compile(r"@font-face\{font-family:Source Sans;[^}]*\}")
PRELOADED = re.compile(r'\s*<link\s[^>]*?as="font"[^>]*>')
# Of the letters of each weight, how large they are to be as wide as Streamlit's.
FACE = '@font-face{{font-family:"Source Sans";font-weight:{};font-style:{};size-adjust:{}%;src:{}}}'
SYSTEM = ("Arial", "Liberation Sans", "Helvetica", "Roboto")
FACES = ((400, "normal", 93.8, ""), (400, "italic", 93.8, " Italic"), (600, "normal", 90, " Bold"))


@cache
def icon_font() -> tuple[str, bytes]:
    """The name, which follows from the content, and the content of the icons' font."""
    font = ICONS.read_bytes()
    return f"icons.{sha256(font).hexdigest()[:16]}.woff2", font


@lru_cache(8)
def style_sheet(path: Path) -> tuple[str, str]:
    """The name and the content of what stands for Streamlit's sheet."""
    text = ICON_FONT.sub(f"url({icon_font()[0]})", path.read_text(encoding="utf-8"))
    faces = [
        FACE.format(weight, style, size, ",".join(f'local("{name}{cut}")' for name in SYSTEM))
        for weight, style, size, cut in FACES
    ]
    text = "".join([TEXT_FONT.sub("", text), *faces])
    return f"streamlit.{sha256(text.encode()).hexdigest()[:16]}.css", text


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """The font and the sheets by name, each with its media type."""
    name, font = icon_font()
    sheets = dict(style_sheet(path) for path in _sheets().values())
    return {name: (font, "font/woff2")} | {name: (text.encode(), "text/css") for name, text in sheets.items()}


@lru_cache(8)
def compressed(name: str) -> bytes:
    """The file of this name as gzip, made once."""
    return gzip.compress(files()[name][0], 9, mtime=0)


def put_into(page: str, folder: str) -> str:
    """Streamlit's page with these sheets, which lie in a `folder`, and without the font that is not used.

    A link to Streamlit's own stays, disabled and so not loaded: where it finds none its scripts would add one.
    """
    for address, path in _sheets().items():
        old = re.compile(rf'<link [^>]*href="\.{re.escape(address)}">')
        own = f'<link rel="stylesheet" crossorigin href=".{folder}{style_sheet(path)[0]}">'
        page = old.sub(f'<link rel="stylesheet" disabled crossorigin href=".{address}">{own}', page)
    return PRELOADED.sub("", page)


def _sheets() -> dict[str, Path]:
    """The sheets that Streamlit's page asks for, by their addresses."""
    addresses = (address for address in streamlit_internals.first_files() if address.endswith(".css"))
    return {address: streamlit_internals.STATIC / address.lstrip("/") for address in addresses}
