"""The course's fonts: small, there before the figure, and everywhere the same."""

import re
import tomllib

import pytest

from attention_lab import fonts
from attention_lab.export.web_page import web_page
from attention_lab.lessons.similarity import LESSON
from attention_lab.root import ROOT
from attention_lab.server.index_page import completed
from attention_lab.text.languages import LANGUAGES

MOST_BYTES = 40_000


@pytest.mark.parametrize("code", LANGUAGES)
def test_two_small_files_are_fetched_before_the_figure(code):
    page = completed(b"<head></head><body>", False, code).body.decode()
    asked = re.findall(r'<link rel="preload" as="font" [^>]*href="\./static/lab/([^"]+)"', page)
    assert asked == fonts.first(code)
    assert sum(len(fonts.files()[name]) for name in asked) <= MOST_BYTES


def test_streamlit_writes_in_the_courses_font():
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    assert theme["font"] == fonts.SANS


def test_a_letter_is_in_one_file_and_no_font_that_comes_late_moves_text():
    assert not set(fonts.ENGLISH) & set(fonts.LATIN)
    rules = re.findall(r"@font-face\{[^}]*url\([^}]*\}", fonts.faces("en", str))
    assert len(rules) == 4
    assert all("font-display:optional" in rule for rule in rules)


@pytest.mark.parametrize(("code", "letters"), [("en", "sz"), ("de", "äß"), ("es", "ñ¿")])
def test_every_language_has_its_letters(code, letters):
    ranges = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", "".join(fonts.faces(code, str)))
    for letter in letters:
        assert any(int(low, 16) <= ord(letter) <= int(high or low, 16) for low, high in ranges)


def test_an_exported_page_has_its_fonts_in_it():
    state, _ = LESSON.parse({})
    page = web_page(LESSON.view(state), "Similarity")
    assert page.count("url(data:font/woff2;base64,") == 2
    assert "lab-serif" in page
