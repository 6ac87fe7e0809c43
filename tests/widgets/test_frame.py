"""The frame around every page."""

import ast
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from attention_lab import course
from attention_lab.figure.terms import INTRODUCTION
from attention_lab.text import read
from tests.visit import PAGES, Visit


def test_the_glossary_begins_with_its_one_way_to_speak():
    visit, entries = Visit(PAGES[0], inside=True), read("glossary")
    next(button for button in visit.at.button if button.label == "Glossary").click()
    shown = visit.run().text
    assert entries[INTRODUCTION] in shown
    assert INTRODUCTION not in shown
    assert all(f"**{term}**" in shown for term in entries if term != INTRODUCTION)


def test_files_are_parsed_by_one_thread_at_a_time(monkeypatch):
    """In CPython 3.11 two that parse at once may get a SystemError: the first readers of a class."""
    parse, at_once, most = ast.parse, Counter(), []

    def parsed(text):
        at_once["now"] += 1
        most.append(at_once["now"])
        time.sleep(0.02)
        at_once["now"] -= 1
        return parse(text)

    monkeypatch.setattr(course.ast, "parse", parsed)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(course.title.__wrapped__, PAGES[:4]))
    assert found[0] == "Home"
    assert max(most) == 1
