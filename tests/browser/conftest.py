"""Fixtures for tests in a real Chromium: `server`, `browser` and `open_page`.

    def test_something(open_page):
        page = open_page("/similarity?ex=fruit", width=390, dark=True)
        with rerun(page):  # or: do something, then settled(page)
            page.get_by_label("Measure").press("ArrowRight")

`from tests.browser.harness import AppServer, axe, rerun, settled` has the rest.
"""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.harness import INIT_SCRIPT, AppServer, launch, settled

# On a deep link Streamlit looks for its own root by trying these addresses: no fault of the app's.
STREAMLIT_PROBES = r"404 \(Not Found\) \(http://127\.0\.0\.1:\d+/.+/_stcore/(health|host-config)\)$"


# Scope "package": Playwright's event loop must be gone when other tests follow in the same process.
@pytest.fixture(scope="package")
def browser():
    """One Chromium; every page gets a fresh context in it."""
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


@pytest.fixture
def open_page(request, browser):
    """Open pages of the app.

    At the end of the test it fails on what went wrong unseen: console errors, requests to other
    hosts, exceptions in the server.
    """
    contexts, problems, printed = [], [], {}

    def problem(text, allow):
        if not any(re.search(pattern, text) for pattern in (STREAMLIT_PROBES, *allow)):
            problems.append(text)

    def watch(page, allow):
        def leaving(url):
            parts = urlsplit(url)
            if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
                problem(f"asked another host: {url}", allow)

        def console(message):
            if message.type == "error":
                problem(f"console: {message.text} ({message.location['url']})", allow)

        page.on("console", console)
        page.on("pageerror", lambda error: problem(f"uncaught: {error}", allow))
        page.on("request", lambda asked: leaving(asked.url))
        page.on("websocket", lambda opened: leaving(opened.url))

    def opened(
        path="/",
        *,
        width=1440,
        height=900,
        dark=False,
        touch=False,
        reduced_motion=False,
        server=None,
        allow=(),
        wait=True,
    ):
        """Return the page in a fresh context, rendered to the end unless `wait` is false.

        `server` is another AppServer than the common one; `allow` holds patterns of console errors
        that the test provokes.
        """
        server = server or request.getfixturevalue("server")
        printed.setdefault(server, len(server.output()))
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            has_touch=touch,
            reduced_motion="reduce" if reduced_motion else "no-preference",
            accept_downloads=True,
        )
        contexts.append(context)
        context.add_init_script(INIT_SCRIPT)
        context.on("page", lambda page: watch(page, allow))
        page = context.new_page()
        page.goto(f"{server.url}/{path.lstrip('/')}")
        if wait:
            settled(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    for server, before in printed.items():
        if "Traceback" in (new := server.output()[before:]):
            problems.append(f"the server printed: {new}")
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
