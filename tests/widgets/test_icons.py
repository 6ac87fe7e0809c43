"""The icons' font holds every icon that can be drawn: another would be shown as its name."""

from attention_lab import streamlit_internals
from tools.icons import LIST, named

NOT_IN_FONT = {"star_filled"}  # Streamlit draws it otherwise
NAMED_BY_A_WORD = {"arrow_back", "arrow_forward", "casino"}


def test_every_icon_is_in_the_font():
    known = set(LIST.read_text(encoding="utf-8").split())
    assert (named() | NAMED_BY_A_WORD) - known <= NOT_IN_FONT, "run python -m tools.icons"


def test_streamlit_still_has_the_font_that_is_replaced():
    css = "".join(path.read_text() for path in (streamlit_internals.STATIC / "static" / "css").glob("*.css"))
    assert "font-family:Material Symbols Rounded" in css
