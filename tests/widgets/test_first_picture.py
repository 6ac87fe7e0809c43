"""The first picture in a page's HTML: what it holds, how often it is drawn, and when a page has none."""

import asyncio
import json
import logging
import re

import pytest

from attention_lab import streamlit_internals
from attention_lab.calculation import long_work
from attention_lab.course import address
from attention_lab.lesson import Lesson
from attention_lab.lessons.misleading import heads
from attention_lab.lessons.train_a_head import runs
from attention_lab.process import FIRST_PICTURE, PROCESS, Process
from attention_lab.server import index_page
from attention_lab.widgets import first_picture
from attention_lab.widgets.first_picture import Pictures
from tests import visit
from tests.visit import PAGES

INDEX = streamlit_internals.INDEX.read_text("utf-8")
PAYLOAD = re.compile(r'<script type="application/json" id="first-payload">(.*?)</script>', re.DOTALL)
SIMILARITY = {"path": "/similarity", "query_string": b""}


def pictures(*addresses):
    """Return the pictures of these paths and queries, asked for at once."""

    async def ask():
        several = Pictures()
        return await asyncio.gather(*(several.of(*each) for each in addresses))

    return asyncio.run(ask())


def picture(path, query=b""):
    return pictures((path, query))[0]


def from_middleware():
    return asyncio.run(index_page.IndexPage(None)._picture(SIMILARITY))


def payload(found):
    return json.loads(PAYLOAD.search(found.body)[1])


@pytest.fixture(autouse=True)
def unlimited_patience(monkeypatch):
    """Wait for a picture however slow the machine is."""
    monkeypatch.setattr(first_picture, "PATIENCE", 60)


def test_every_pages_picture_is_what_streamlit_will_show():
    offenders = []
    for path in PAGES:
        name, shown = address(path), visit.Visit(path)
        found = payload(picture("/" if name == "home" else f"/{name}"))
        if found != next(each for each in visit.payloads(shown.at) if each.get("page") == name):
            offenders.append(name)
    assert offenders == []


def test_an_unreadable_link_shows_the_page_as_it_is_at_first():
    queries = b"", b"word=nonsense&vectors=1_2", b"%ff=%fe", b"&&=&", b"words=" + b"x" * 3000
    first, *others = (payload(picture("/similarity", query)) for query in queries)
    assert [each for each in others if each != first] == []


def test_other_pages_have_none():
    assert pictures(("/nowhere", b""), ("/home", b""), ("/worksheets", b"")) == [None] * 3


def test_one_state_is_drawn_once_for_all_who_ask(monkeypatch):
    drawn = []
    monkeypatch.setattr(Lesson, "view", lambda *given, of=Lesson.view: drawn.append(given) or of(*given))
    found = pictures(*[("/similarity", query) for query in (b"word=phone", b"word=phone&nonsense=1")] * 4)
    assert len(drawn) == len({id(each) for each in found}) == 1
    assert found[0] is not None


def test_beyond_a_number_of_waiting_pages_a_page_has_none():
    found = pictures(*(("/similarity", b"vectors=0_3__2_2__%d_1" % k) for k in range(19)))
    assert found.count(None) == 19 - first_picture.MOST_WAITING


def test_no_picture_waits_for_long_work():
    assert picture("/train_a_head", b"seed=77&steps=150") is None
    with long_work.refused(), pytest.raises(long_work.TooLongError):
        long_work.release_turn()


def test_the_first_reader_has_a_picture_of_a_page_that_trains_a_head():
    both = ("/train_a_head", b"lang=de"), ("/misleading", b"lang=de")
    for cache in (runs.RUNS, heads._HEADS):
        cache.clear()
    with PROCESS.serving(turns=long_work.ONE_AT_A_TIME):
        assert pictures(*both) == [None, None], "in a class no picture waits for a turn"
    assert all(pictures(*both))


def test_a_picture_that_fails_is_logged_and_leaves_the_page_without(monkeypatch, caplog):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(first_picture, "_drawn", fail)
    with caplog.at_level(logging.ERROR):
        assert from_middleware() is None
    assert [record.msg for record in caplog.records] == ["a first picture failed"]


def test_it_can_be_switched_off(monkeypatch):
    with PROCESS.serving(first_picture=False):
        assert from_middleware() is None
    assert from_middleware() is not None
    monkeypatch.setenv(FIRST_PICTURE, "0")
    assert not Process().first_picture
