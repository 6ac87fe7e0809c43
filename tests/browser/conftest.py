"""Fixtures for tests in a real Chromium: `server`, `browser` and `open_page`.

    def test_something(open_page):
        page = open_page("/similarity?ex=fruit", width=390, dark=True)
        with rerun(page):  # or: do something, then settled(page)
            page.get_by_label("Measure").press("ArrowRight")

`from tests.browser.harness import AppServer, axe, rerun, settled` has the rest.
"""

import contextlib
import re
from functools import cache, partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from attention_lab.export.web_page import write
from tests.browser.harness import INIT_SCRIPT, AppServer, Tabs, launch, settled

expect.set_options(timeout=30_000)  # ms; the default of 5 s is too short on a busy machine


# Scope "package": Playwright's event loop must be gone when other tests follow in the same process.
@pytest.fixture(scope="package")
def browser():
    """One Chromium."""
    with sync_playwright() as playwright, launch(playwright) as chromium:
        yield chromium


@pytest.fixture(scope="package")
def server(browser):
    """The app, on a port of its own.

    It has had one visitor: to the very first, a deep link may show Streamlit's "page not found".
    """
    with AppServer() as running:
        page = browser.new_page()
        page.add_init_script(INIT_SCRIPT)
        page.goto(running.url)
        settled(page)
        page.close()
        yield running


@pytest.fixture(scope="package")
def tabs(browser, server):
    """Tabs at the common server."""
    return Tabs(browser, server)


@pytest.fixture(scope="package")
def page_file(tmp_path_factory):
    """Write the page of a link to a file: once for all tests."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def written(link):
        file = folder / f"{len(list(folder.iterdir()))}.html"
        assert write(link, file) == []
        return file

    return written


@pytest.fixture(scope="package")
def offline_tab(browser):
    """Return the tab without a network that one test after another uses."""
    with browser.new_context(offline=True) as context:
        tabs = []

        def tab():
            if not tabs or tabs[-1].is_closed():
                tabs.append(context.new_page())
            return tabs[-1]

        yield tab


def show(page, width, height, dark, reduced_motion):
    """Give a page its window's size and the reader's preferences."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if reduced_motion else "no-preference",
    )


def listen(page, listeners, until):
    """Add listeners to a page, until an exit stack is closed."""
    for event, listener in listeners.items():
        page.on(event, listener)
        until.callback(page.remove_listener, event, listener)


@pytest.fixture
def open_file(browser, page_file, offline_tab):
    """Open pages as files, without a server or a network; at the end of the test fail on any error of a page.

    A test's first page comes in the tab of the test before; it is loaded again, so that it is as it was written.
    """
    closing, errors, pages = contextlib.ExitStack(), [], []

    def watch(page):
        listeners = {
            "pageerror": lambda error: errors.append(str(error)),
            "console": lambda message: errors.append(message.text) if message.type == "error" else None,
            "request": lambda asked: errors.append(asked.url) if not asked.url.startswith("file:") else None,
        }
        listen(page, listeners, closing)

    def opened(
        link,
        file=None,
        query="",
        *,
        width=1280,
        height=900,
        dark=False,
        touch=False,
        clock=False,
        reduced_motion=None,
    ):
        """Return the page of a link, or of a file that there is, opened by `query`: ?word=phone, or #word=phone.

        With `clock`, its time stands still. Pictures jump where there is no clock, unless `reduced_motion` says
        otherwise.
        """
        if reduced_motion is None:
            reduced_motion = not clock
        if touch or clock:  # they belong to all tabs of a context
            page = closing.enter_context(browser.new_context(offline=True, has_touch=touch)).new_page()
        elif pages:
            page = offline_tab().context.new_page()
            closing.callback(page.close)
        else:
            page = offline_tab()
        pages.append(page)
        watch(page)
        show(page, width, height, dark, reduced_motion)
        if clock:
            page.clock.install(time=0)
        page.goto((file or page_file(link)).as_uri() + query)
        page.locator("[data-stage] [data-pictured]").first.wait_for()
        page.evaluate("document.fonts.ready.then(() => 0)")  # figures are drawn with their fonts
        if clock:
            page.clock.pause_at(3_600_000)
        return page

    with closing:
        yield opened
        for page in pages:
            if not page.is_closed():
                page.evaluate("0")  # what it has said until now has arrived then
    assert errors == []


@pytest.fixture
def open_page(request, browser):
    """Open pages of the app.

    At the end of the test it fails on what went wrong unseen: console errors, requests to other
    hosts, exceptions in the server.
    """
    given_back, problems, printed = contextlib.ExitStack(), [], {}

    def problem(text, allow):
        if not any(re.search(pattern, text) for pattern in allow):
            problems.append(text)

    def watch(page, allow):
        """Note what goes wrong on a page; return how to stop."""

        def leaving(url):
            parts = urlsplit(url)
            if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
                problem(f"asked another host: {url}", allow)

        def console(message):
            if message.type == "error":
                problem(f"console: {message.text} ({message.location['url']})", allow)

        listeners = {
            "console": console,
            "pageerror": lambda error: problem(f"uncaught: {error}", allow),
            "request": lambda asked: leaving(asked.url),
            "websocket": lambda opened: leaving(opened.url),
        }
        listen(page, listeners, given_back)

    def opened(
        path="/",
        *,
        width=1440,
        height=900,
        dark=False,
        touch=False,
        reduced_motion=True,
        server=None,
        allow=(),
        wait=True,
        alone=False,
    ):
        """Return the page as in a browser that has never been here, rendered to the end unless `wait` is false.

        Pictures jump unless `reduced_motion` is false: most tests ask what is there, and not how it came there.
        `server` is another AppServer than the common one, or tabs at one that several tests share;
        `allow` holds patterns of console errors that the test provokes. Where a test puts something on the page
        beside Streamlit's, the tab is `alone` its own: nobody else gets what stands there.
        """
        tabs = server or request.getfixturevalue("tabs")
        if isinstance(tabs, AppServer):
            tabs = Tabs(browser, server)
            given_back.callback(tabs.close)
        page = given_back.enter_context(tabs.tab(touch))
        show(page, width, height, dark, reduced_motion)
        path = path.lstrip("/")
        loaded = tabs.make_way(page, path)  # what the page before says as it goes is not of this test
        printed.setdefault(tabs.server, len(tabs.server.output()))
        watch(page, allow)
        popup = partial(watch, allow=allow)
        page.context.on("page", popup)
        given_back.callback(page.context.remove_listener, "page", popup)
        tabs.go(page, path, loaded)
        if alone:
            given_back.callback(tabs.leave, page)
        given_back.callback(hear_out, page)
        if wait:
            settled(page)
        return page

    def hear_out(page):
        """Let what the page has said until now arrive."""
        if not page.is_closed():
            page.evaluate("0")

    with given_back:
        yield opened
    for server, before in printed.items():
        if "Traceback" in (new := server.output()[before:]):
            problems.append(f"the server printed: {new}")
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
