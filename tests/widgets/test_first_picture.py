"""The first picture in a page's HTML: what it holds, how often it is made, and when a page does without."""

import asyncio
import json
import logging
import re

import pytest

from attention_lab import streamlit_internals
from attention_lab.calculation import long_work
from attention_lab.course import address
from attention_lab.lesson import Lesson
from attention_lab.lessons.similarity import LESSON
from attention_lab.process import FIRST_PICTURE, PROCESS, Process
from attention_lab.server import index_page
from attention_lab.server.style_sheet import put_into
from attention_lab.state.state import field_of
from attention_lab.widgets import first_picture
from attention_lab.widgets.first_picture import Pictures
from tests import visit
from tests.visit import PAGES

INDEX = streamlit_internals.INDEX.read_text("utf-8")
PAYLOAD = re.compile(r'<script type="application/json" id="first-payload">(.*?)</script>', re.DOTALL)


def picture(path, query=b"", of=None):
    return asyncio.run((of or Pictures()).of(path, query))


def payload(found):
    return json.loads(PAYLOAD.search(found.body)[1])


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However slow the machine is."""
    monkeypatch.setattr(first_picture, "PATIENCE", 60)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_has_one_and_it_is_what_streamlit_will_show(path):
    visit.Visit(path)  # a trained model has been asked once
    name = address(path)
    found, shown = payload(picture("/" if name == "home" else f"/{name}")), visit.Visit(path)
    sent = map(json.loads, visit.payloads(shown.at))
    assert found == next(each for each in sent if each.get("page") == name)


@pytest.mark.parametrize("query", [b"word=nonsense&vectors=1_2", b"%ff=%fe", b"&&=&", b"words=" + b"x" * 3000])
def test_a_link_that_cannot_be_read_shows_the_page_as_it_is_at_first(query):
    assert payload(picture("/similarity", query)) == payload(picture("/similarity"))


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/nowhere", b""),
        ("/home", b""),
        ("/worksheets", b""),
        ("/similarity", b"present=1"),
    ],
)
def test_pages_that_have_none(path, query):
    assert picture(path, query) is None


def test_one_state_is_drawn_once_for_all_who_ask(monkeypatch):
    drawn = []
    monkeypatch.setattr(Lesson, "view", lambda *given, of=Lesson.view: drawn.append(given) or of(*given))

    async def many(queries):
        pictures = Pictures()
        return await asyncio.gather(*(pictures.of("/similarity", query) for query in queries))

    found = asyncio.run(many([b"word=phone", b"word=phone&nonsense=1", b"word=phone"] * 4))
    assert len(drawn) == len({id(each) for each in found}) == 1
    assert found[0] is not None


def test_beyond_a_number_of_waiting_pages_one_does_without():
    async def many():
        pictures = Pictures()
        asked = (pictures.of("/similarity", b"vectors=0_3__2_2__%d_1" % k) for k in range(-9, 10))
        return await asyncio.gather(*asked)

    assert sum(each is None for each in asyncio.run(many())) == 19 - first_picture.MOST_WAITING


def test_nobody_waits_for_work_that_takes_long():
    assert picture("/train_a_head", b"seed=77&steps=150") is None
    with long_work.refused(), pytest.raises(long_work.TooLongError):
        long_work.aside()


def test_no_word_ends_the_script_in_which_it_stands():
    words = field_of(LESSON.fields, "words").write(("</script>", "<!--<script>", "plain"))
    found = picture("/similarity", f"example=own&words={words}".encode())
    assert payload(found)["constants"]["words"] == ["</script>", "<!--<script>", "plain"]
    assert "<" not in PAYLOAD.search(found.body)[1]


def test_streamlits_code_waits_in_a_template():
    page = picture("/similarity").put_into(put_into(INDEX, "/static/lab/"))
    head, _, rest = page.partition("</head>")
    assert "<title>Similarity · Attention Lab</title>" in head
    assert not re.search(r"static/(js|css|media)/", head)
    waiting = re.search(r'<template id="streamlit">(.*?)</template>', rest, re.DOTALL)[1]
    fetched = re.findall(r'<link rel="modulepreload" crossorigin fetchpriority="low" href="\.([^"]+)">', rest)
    for file in streamlit_internals.first_files():
        assert file in (waiting if file.endswith(".css") else fetched) or "/media/" in file
    assert re.findall(r"<script", waiting) == ["<script"], "what makes it run"


def test_a_picture_that_fails_leaves_the_page_as_it_is_and_a_line_in_the_log(monkeypatch, caplog):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(first_picture, "_drawn", fail)
    middleware = index_page.IndexPage(None)
    with caplog.at_level(logging.ERROR):
        found = asyncio.run(middleware._picture({"path": "/similarity", "query_string": b""}))
    assert found is None
    assert [record.msg for record in caplog.records] == ["a first picture failed"]


def test_it_can_be_switched_off(monkeypatch):
    scope = {"path": "/similarity", "query_string": b""}
    middleware = index_page.IndexPage(None)
    with PROCESS.serving(first_picture=False):
        assert asyncio.run(middleware._picture(scope)) is None
    assert asyncio.run(middleware._picture(scope)) is not None
    monkeypatch.setenv(FIRST_PICTURE, "0")
    assert not Process().first_picture
