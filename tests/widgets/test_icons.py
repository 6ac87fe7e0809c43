"""The icons' font holds every icon that can be drawn: another would be shown as its name."""

from attention_lab import streamlit_internals
from tools.icons import LIST, named

IN_NO_FONT = {"star_filled"}  # Streamlit draws it otherwise


def test_every_icon_is_in_the_font():
    known = set(LIST.read_text(encoding="utf-8").split())
    assert named() - known <= IN_NO_FONT, "python -m tools.icons cuts it anew"


def test_icons_that_are_named_only_by_a_word_are_in_it():
    known = set(LIST.read_text(encoding="utf-8").split())
    assert {"arrow_back", "arrow_forward", "casino", "tune"} <= known


def test_streamlit_has_still_the_font_that_it_stands_for():
    css = "".join(path.read_text() for path in (streamlit_internals.STATIC / "static" / "css").glob("*.css"))
    assert "font-family:Material Symbols Rounded" in css
