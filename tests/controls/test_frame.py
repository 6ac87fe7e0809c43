"""The frame around every page."""

from controls.stage.terms import INTRODUCTION
from prose import read
from tests.visit import PAGES, Visit


def test_the_glossary_begins_with_its_one_way_to_speak():
    visit, entries = Visit(PAGES[0], inside=True), read("glossary")
    next(button for button in visit.at.button if button.label == "Glossary").click()
    shown = visit.run().text
    assert entries[INTRODUCTION] in shown
    assert INTRODUCTION not in shown
    assert all(f"**{term}**" in shown for term in entries if term != INTRODUCTION)
