"""The hosted app in a real browser: every page works under the content policy, and asks nobody else.

`open_page` fails on console errors (a broken content policy is one) and on requests to other hosts.
"""

import time

import pytest
from playwright.sync_api import expect

from tests.browser.hand import across, drag, handle, live
from tests.browser.harness import rerun, settled
from tests.course import LESSONS, NAMES, PAGES, title_of
from tests.hosting.harness import Host

every_lesson = pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
ADDRESSES = dict(zip(LESSONS, NAMES, strict=True))


@pytest.fixture(scope="module")
def host():
    with Host() as running:
        yield running


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


@every_lesson
def test_every_page_works_under_the_content_policy(open_hosted, host, path):
    page = open_hosted(ADDRESSES[path], host)
    expect(page.get_by_role("heading", name=title_of(path), exact=True)).to_be_visible()
    hand = handle(page)
    if ADDRESSES[path] not in {"masking", "position"}:  # taken hold of in their own ways
        numbers = live(page)
        with rerun(page):
            drag(page, hand, *across(hand))
        assert live(page) != numbers
    page.get_by_role("button", name="Take away").click()
    settled(page)
    with page.expect_download() as png:
        page.get_by_role("button", name="Picture as PNG").click()
    assert png.value.path().read_bytes().startswith(b"\x89PNG")
    for chart in page.get_by_test_id("stVegaLiteChart").all():
        chart.hover()
    page.get_by_role("button", name="Glossary").click()
    expect(page.get_by_role("dialog")).to_contain_text("dot product")
    settled(page)


BLOCKED = {
    "an inline script": "const e = document.createElement('script'); e.text = 'window.caught = 1'; document.body.append(e)",
    "text as code": "setTimeout('window.caught = 1')",
    "a picture from elsewhere": "const e = new Image(); e.src = 'http://localhost/a.png'",
    "a frame": "const e = document.createElement('iframe'); e.src = 'http://localhost/'; document.body.append(e)",
    "a request to elsewhere": "fetch('http://localhost/').catch(() => {})",
}


@pytest.mark.parametrize("what", BLOCKED)
def test_the_content_policy_blocks(open_hosted, host, what):
    page = open_hosted("", host, allow=["Content Security Policy", "another host: http://localhost/"])
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.evaluate(BLOCKED[what])
    page.wait_for_timeout(200)
    assert any("Content Security Policy" in text for text in said)
    assert not page.evaluate("'caught' in window")


def test_a_cold_deep_link_is_found_at_once(open_hosted):
    """Without the warm-up, the first deep link after a start is told "page not found"."""
    with Host() as cold:
        path, name = LESSONS[0], NAMES[0]
        page = open_hosted(name, cold)
        expect(page.get_by_role("heading", name=title_of(path), exact=True)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(PAGES))


def test_a_full_house_says_so_and_lets_in_as_soon_as_there_is_room(open_hosted):
    with Host(sessions=1, hold=0) as small:
        first = open_hosted("", small)
        second = open_hosted("similarity?word=apple", small, allow=["503"], wait=False)
        expect(second.get_by_role("heading")).to_have_text("Every seat is taken")
        first.close()
        expect(second.get_by_role("heading", name=title_of(LESSONS[1]), exact=True)).to_be_visible(timeout=30_000)
        assert second.url.endswith("/similarity?word=apple")
