"""Escape a reader's words for Markdown."""

import re
from string import punctuation

# Streamlit looks for icons, arrows and addresses once more in what Markdown has left as text, whatever was
# escaped there. They are found within one piece of text only, and nothing in small type (which shows as nothing)
# parts it.
SEAM = ":small[]"
PARTED = re.compile(r"(?<=:)|(?<=w)(?=ww)|(?=@)|(?<=[-<>~])(?=[-<>=]|$)", re.IGNORECASE)


def escape_markdown(words: str) -> str:
    """Return text that Markdown shows as it was typed."""
    pieces = ("".join(f"\\{c}" if c in punctuation else c for c in piece) for piece in PARTED.split(words))
    return SEAM.join(pieces)
