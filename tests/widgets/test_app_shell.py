"""What surrounds every page."""

import re

import pytest

from attention_lab import course, faults
from attention_lab.figure.terms import INTRODUCTION
from attention_lab.text import read, symbols
from lab import ROOT
from tests.visit import PAGES, Visit


def glossary(sought=""):
    """The glossary's text, with what is typed into its search."""
    visit = Visit(PAGES[0], inside=True)
    visit.at.session_state["sought"] = sought
    next(button for button in visit.at.button if button.label == "Glossary").click()
    return visit.run().text


def test_the_glossary_begins_with_its_introduction():
    shown, entries = glossary(), read("glossary")
    assert entries[INTRODUCTION] in shown
    assert INTRODUCTION not in shown
    assert all(f"**{symbols(term)}**" in shown for term in entries if term != INTRODUCTION)


def test_the_glossary_is_searched_by_names_before_mentions():
    for sought, first in (("Temperature", "temperature"), ("w_o", symbols("W_O")), ("<script>", None)):
        shown = glossary(sought)
        terms = re.findall(r"^\*\*(.+)\*\* — ", shown, re.MULTILINE)
        assert (terms or [None])[0] == first, sought
        assert ("No entry found" in shown) == (first is None)


def test_the_menu_takes_its_names_from_the_texts_and_a_missing_name_is_a_fault(tmp_path):
    assert list(course.files(ROOT / "pages"))[1] == "Part 1 · Meaning as geometry"
    assert [course.title(path) for path in PAGES[:2]] == ["Home", "Embeddings and context"]
    part = tmp_path / "9_more"
    part.mkdir()
    (part / "__init__.py").touch()
    with pytest.raises(faults.UnknownNameError, match=r"9_more.*text/en/parts\.md"):
        course.files(tmp_path)
    with pytest.raises(faults.UnknownNameError, match=r"title.*text/en/no_such_page\.md"):
        course.title(part / "1_no_such_page.py")
