"""The hosted app in a real browser: every page works under the content policy, and asks nobody else.

`open_page` fails on console errors (a broken content policy is one) and on requests to other hosts.
"""

import time

import pytest
from playwright.sync_api import expect

from tests.browser.hand import across, drag, handle, live, place
from tests.browser.harness import Tabs, rerun, settled
from tests.hosting.harness import Host, replicas
from tests.visit import EVERY, LESSONS, NAMES, title_of

every_lesson = pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
ADDRESSES = dict(zip(LESSONS, NAMES, strict=True))
# What the browser says of a server that is away for a moment.
AWAY = ("WebSocket", "Failed to load resource", "disconnected from server", "server endpoint", "not responding")


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


@every_lesson
def test_every_page_works_under_the_content_policy(open_hosted, hosted_tabs, path):
    page = open_hosted(ADDRESSES[path], hosted_tabs)
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


BLOCKED = {
    "an inline script": "document.head.append(Object.assign(document.createElement('script'), {text: 'c=1'}))",
    "text as code": "setTimeout('c=1')",
    "a picture from elsewhere": "const e = new Image(); e.src = 'http://localhost/a.png'",
    "a frame": "document.body.append(Object.assign(document.createElement('iframe'), {src: 'http://localhost/'}))",
    "a request to elsewhere": "fetch('http://localhost/').catch(() => {})",
}


@pytest.mark.parametrize("what", BLOCKED)
def test_the_content_policy_blocks(open_hosted, hosted_tabs, what):
    page = open_hosted("", hosted_tabs, allow=["Content Security Policy", "another host: http://localhost/"])
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.evaluate(BLOCKED[what])
    page.wait_for_timeout(200)
    assert any("Content Security Policy" in text for text in said)
    assert not page.evaluate("'c' in window")


def test_a_cold_deep_link_is_found_at_once(open_hosted):
    """Without the warm-up, the first deep link after a start is told "page not found"."""
    with Host(warm_up=2) as cold:
        path, name = LESSONS[0], NAMES[0]
        page = open_hosted(name, cold)
        expect(page.get_by_role("heading", name=title_of(path), exact=True)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(EVERY))
        page.close()


def test_a_full_house_says_so_and_lets_in_as_soon_as_there_is_room(open_hosted):
    with Host(sessions=1) as small:
        first = open_hosted("", small)
        second = open_hosted("similarity?word=apple", small, allow=["503"], wait=False)
        expect(second.get_by_role("heading")).to_have_text("Every seat is taken")
        first.close()
        expect(second.get_by_role("heading", name=title_of(LESSONS[1]), exact=True)).to_be_visible(timeout=30_000)
        assert second.url.endswith("/similarity?word=apple")
        settled(second)
        second.close()


def test_a_replica_dies_and_the_page_goes_on_at_another(open_hosted, tmp_path):
    with replicas(tmp_path, 2) as nginx:
        page = open_hosted("similarity", nginx, allow=AWAY)
        hand = handle(page)
        with rerun(page):
            drag(page, hand, *across(hand))
        made = place(hand), live(page), page.url
        holder = next(host for host in nginx.hosts if host.metrics()["sessions"])
        holder.process.kill()
        holder.process.wait()
        expect(page.locator("[data-test-connection-state=CONNECTED]")).to_have_count(0)
        expect(page.locator("[data-test-connection-state=CONNECTED]")).to_have_count(1)  # within 5 s
        settled(page)
        assert (place(hand), live(page), page.url) == made
        with rerun(page):
            drag(page, hand, *across(hand))
        assert place(hand) != made[0]
        assert [host.metrics()["sessions"] for host in nginx.hosts if host is not holder] == [1]
        page.close()
