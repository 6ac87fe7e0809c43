"""The frame around every page."""

from controls.frame import ONE_WAY
from prose import read
from tests.visit import PAGES, Visit


def test_the_glossary_begins_with_its_one_way_to_speak():
    visit, entries = Visit(PAGES[0], inside=True), read("glossary")
    next(button for button in visit.at.button if button.label == "Glossary").click()
    shown = visit.run().text
    assert entries[ONE_WAY] in shown
    assert ONE_WAY not in shown
    assert all(f"**{term}**" in shown for term in entries if term != ONE_WAY)
