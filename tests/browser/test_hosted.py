"""The hosted app in a real browser: every page works under the content policy, and asks nobody else.

`open_page` fails on console errors (a broken content policy is one) and on requests to other hosts.
"""

import html
import json
import time

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_lab
from tests.browser.hand import JAVASCRIPT as HAND
from tests.browser.hand import across, handle, live, rerun_by_drag
from tests.browser.harness import Tabs, click, settled
from tests.server.harness import Host
from tests.visit import LESSONS, title_of, words_of


@pytest.fixture(scope="module")
def host():
    with Host() as running:
        yield running


@pytest.fixture(scope="module")
def hosted_tabs(browser, host):
    tabs = Tabs(browser, host)
    yield tabs
    tabs.close()


@pytest.fixture
def open_hosted(open_page):
    """Like `open_page`, with a `wait_for_function` that asks from outside: Playwright's own evaluates text as
    code in the page, which the content policy forbids."""

    def opened(path, server, *, wait=True, **more):
        page = open_page(path, server=server, wait=False, **more)

        def wait_for_function(expression, *, arg=None, polling=30, timeout=30_000):
            end = time.monotonic() + timeout / 1000
            while not page.evaluate(expression, arg):
                assert time.monotonic() < end, f"never came true: {expression}"
                page.wait_for_timeout(polling)
            return page.evaluate_handle(expression, arg)

        page.wait_for_function = wait_for_function
        if wait:
            settled(page)
        return page

    return opened


# What the page's picture says: its letters, and word by word the badges in it, which tell where its numbers come
# from, and the lanes.
WORDED = ".badge, .arc-word > span, .lanes :is(.lane-name, .name, .number)"  # words that are no SVG
PICTURED = """() => labHand.all()
    .filter(e => e.closest('[data-pictured]') && e.checkVisibility({ opacityProperty: true }))
    .filter(e => e.matches(WORDED) || (e.matches('svg text') && !e.querySelector('title, tspan')))
    .flatMap(e => e.matches(WORDED) ? e.textContent.trim().split(/\\s+/) : [e.textContent])
    .filter(text => text.trim())""".replace("WORDED", f"'{WORDED}'")


def test_files_that_are_made_when_they_are_asked_for_arrive(open_hosted, host):
    page, words = open_hosted("similarity?lang=ar", host), words_of("ar", "controls")
    click(page.get_by_role("button", name=words["take_away"]))
    with page.expect_download() as file:
        page.get_by_role("button", name=words["web_page/download"], exact=True).click()
    assert file.value.suggested_filename == "similarity.html"
    assert '<html lang="ar" dir="rtl">' in file.value.path().read_text("utf-8")
    click(page.get_by_role("tab", name=words["take_away/numpy"]))
    with page.expect_download() as notebook:
        page.get_by_role("button", name=words["take_away/notebook"]).click()
    assert json.loads(notebook.value.path().read_text("utf-8"))["nbformat"] == 4


def test_every_page_works_under_the_content_policy(open_hosted, hosted_tabs):
    page = open_hosted("", hosted_tabs)
    for path in LESSONS:
        page.get_by_test_id("stSidebarNavLink").filter(has_text=title_of(path)).click()
        expect(page.get_by_role("heading", name=title_of(path), exact=True)).to_be_visible()
        settled(page)
        hand, numbers = handle(page), live(page)
        rerun_by_drag(page, hand, *across(hand))
        assert live(page) != numbers, path.stem


# Together they have every kind of figure: planes, bars, arcs, a floor plan, lanes, a training's curve.
EXPORTED = ["similarity", "softmax", "self_attention", "scale", "train_a_head", "misleading"]


@pytest.mark.parametrize("name", EXPORTED)
def test_a_picture_and_a_link_are_exported_under_the_content_policy(open_hosted, hosted_tabs, name):
    page = open_hosted(name, hosted_tabs)
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as svg:
        page.get_by_role("button", name="Picture as SVG").click()
    text = svg.value.path().read_text("utf-8")
    assert svg.value.suggested_filename == f"{name}.svg"
    assert text.startswith("<svg")
    said = page.evaluate(PICTURED.replace("labHand", HAND))
    assert len(said) > (1 if name == "scale" else 4)  # a square has few words
    for words in [page.title(), *said]:
        assert html.escape(words, quote=False) in text, words
    assert "var(--" not in text, "it must look the same without the page"
    with page.expect_download() as png:
        page.get_by_role("button", name="Picture as PNG").click()
    assert png.value.path().read_bytes().startswith(b"\x89PNG")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_readers_file_is_shown_and_the_server_keeps_none_of_its_bytes(open_hosted, host, hosted_tabs, tmp_path):
    weights = np.random.default_rng(0).dirichlet(np.ones(6), size=(2, 3, 6)).astype(np.float32)
    page = open_hosted("own_attention", hosted_tabs)
    before = host.metrics()["uploads_total"]
    page.locator("input[type=file]").set_input_files(attention_lab.save(tmp_path / "a.npz", weights))
    expect(page.locator(".st-key-own_file")).to_contain_text("layers × heads: 2 × 3")
    expect(page.locator(".head-cell")).to_have_count(6)
    settled(page)
    page.get_by_role("button", name="Layer 1, head 2").click()
    expect(page.locator(".head-account h2")).to_contain_text("Layer 1, head 2")
    assert host.metrics()["uploads_total"] == before + 1
    assert host.metrics()["uploaded_bytes"] == 0
    assert host.faults() == ""


BLOCKED = [
    "document.head.append(Object.assign(document.createElement('script'), {text: 'c=1'}))",
    "setTimeout('c=1')",
    "const e = new Image(); e.src = 'http://localhost/a.png'",
    "document.body.append(Object.assign(document.createElement('iframe'), {src: 'http://localhost/'}))",
    "fetch('http://localhost/').catch(() => {})",
]


def test_the_content_policy_blocks_what_is_not_the_apps_own(open_hosted, hosted_tabs):
    page = open_hosted("", hosted_tabs, allow=["Content Security Policy", "another host: http://localhost/"])
    for attempt in BLOCKED:
        with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
            page.evaluate(attempt)
    assert not page.evaluate("'c' in window")


def test_a_full_house_says_so_and_lets_in_as_soon_as_there_is_room(open_hosted):
    with Host(sessions=1) as small:
        first = open_hosted("", small)
        second = open_hosted("similarity?word=apple", small, allow=["503"], wait=False)
        expect(second.get_by_role("heading")).to_have_text("The server is full")
        first.close()
        expect(second.get_by_role("heading", name=title_of(LESSONS[1]), exact=True)).to_be_visible()
        assert second.url.endswith("/similarity?word=apple")
        settled(second)
        second.close()
