"""The reader's last drag as a moving picture: made in the browser, by code that comes with the menu."""

from pathlib import Path

from attention_lab import figure
from attention_lab.figure import Part
from attention_lab.figure.browser_code import OwnParts
from attention_lab.text import ui_text

CLIP = OwnParts("clip", Path(__file__).parent)
WORDS = ("save", "working", "nothing", "unable")


def button(page: str) -> Part:
    """A button that saves the last drag on the page's figure; it says why where it cannot."""
    return figure.part("save_clip", page=page, **{name: ui_text(f"take_away/clip/{name}") for name in WORDS})
