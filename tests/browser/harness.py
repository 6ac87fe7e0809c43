"""The app in a real browser: its server, Chromium, and the end of a script run."""

import contextlib
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Error as PlaywrightError

from lab import ROOT, find_chromium

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # What Chromium draws its own window with: started for each tab, it costs as much as one of our pages.
    "--disable-features=PreloadTopChromeWebUI,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a test never reaches another machine
]
INIT_SCRIPT = Path(__file__).with_name("harness.js").read_text()


PORTS = range(20_000, 32_000)  # below those that the system gives to connections of its own accord


def free_port() -> int:
    """Return a port that nobody listens on, and that no connection takes before a server does."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.choice(PORTS)))
            return probe.getsockname()[1]


class AppServer:
    """A Streamlit server of its own process on a loopback port; `restart` keeps the port."""

    def __init__(self, port: int | None = None, script: str | Path = "app.py", python: str = sys.executable):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        options = {
            "server.headless": "true",
            "server.address": "127.0.0.1",
            "server.port": self.port,
            "server.fileWatcherType": "none",
        }
        self.command = [python, "-m", "streamlit", "run", str(script)]
        self.command += [f"--{name}={value}" for name, value in options.items()]
        self.environment = None
        self.own_group = False  # of processes, as a terminal's Ctrl+C reaches it
        self.process = None
        self.log = None
        self.printed = ""  # by those that were stopped

    def start(self, timeout: float = 90) -> "AppServer":
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        try:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self.environment,
                stdout=self.log,
                stderr=subprocess.STDOUT,
                start_new_session=self.own_group,
            )
            end = time.monotonic() + timeout
            while not self.healthy():
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"the server did not come up:\n{self.output()}")
                time.sleep(0.05)
        except BaseException:
            self.stop()
            raise
        return self

    def healthy(self) -> bool:
        with (
            contextlib.suppress(OSError),
            urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer,
        ):
            return answer.read() == b"ok"
        return False

    def output(self) -> str:
        """Return what the server has printed, before its restarts as well."""
        if self.log is None:
            return self.printed
        descriptor = self.log.fileno()  # the server writes through the same file: its place in it is not moved
        return self.printed + os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:  # open connections hold it up
                self.process.kill()
                self.process.wait()
        if self.log is not None:
            self.printed = self.output()
            self.log.close()
        self.process = self.log = None

    def restart(self) -> "AppServer":
        self.stop()
        return self.start()

    def __enter__(self) -> "AppServer":
        return self.start()

    def __exit__(self, *_) -> None:
        self.stop()


def launch(playwright):
    """Start the Chromium that is there, without a window."""
    path = find_chromium()
    if not path:
        raise RuntimeError("no Chromium was found: `python3 lab.py test` says how to get one")
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


BLANK = "about:blank"
WIDE = 768  # px: from here on Streamlit opens its sidebar at the start
# Whether what stands in a tab can give way to another page: it rests, and nobody has turned the sidebar.
GIVES_WAY = """wide => Boolean(window.labRuns?.settled()) &&
    document.querySelector('[data-testid=stSidebar]')?.dataset.collapsed === String(!wide)"""


STAYS = re.compile(r"[?&](embed|room)=")  # of a page that holds on to what it is: a frame, a seat in a class


class Tabs:
    """Tabs at one server, each as new as a browser's that has never been there.

    Whoever has finished with one leaves it to the next: to fetch, compile and start Streamlit's scripts once
    more costs more than most tests do.
    """

    def __init__(self, browser, server: AppServer):
        self.browser, self.server = browser, server
        self.free = {True: [], False: []}  # by whether fingers can touch it

    @contextlib.contextmanager
    def tab(self, touch: bool = False):
        """Lend a tab that shares cookies, storage and permissions with no other."""
        page = self.free[touch].pop() if self.free[touch] else self._new(touch)
        try:
            yield page
        finally:
            if self._clean(page):
                self.free[touch].append(page)
            else:
                page.context.close()

    def open(self, page, path: str) -> None:
        """Open a path of the app in a tab."""
        self.go(page, path, self.make_way(page, path))

    def make_way(self, page, path: str) -> bool:
        """Take away the page that stands in a tab. Return whether its scripts stay loaded for the path."""
        # In a window that has just been widened, the sidebar is on its way back.
        if stays := "embed=" not in path and self._gives_way(page, within=1):
            page.evaluate("labRuns.leave()")
        else:
            self.leave(page)
        return stays

    def go(self, page, path: str, loaded: bool) -> None:
        """Open a path of the app in a tab for which way was made."""
        if loaded:
            page.evaluate("path => labRuns.go(path)", f"/{path}")
        else:
            page.goto(f"{self.server.url}/{path}")

    def close(self) -> None:
        """Close the tabs that nobody has."""
        for page in self.free[True] + self.free[False]:
            page.context.close()

    def _new(self, touch: bool):
        context = self.browser.new_context(has_touch=touch, accept_downloads=True)
        context.add_init_script(INIT_SCRIPT)
        return context.new_page()

    def _gives_way(self, page, within: float) -> bool:
        """Return whether the page in a tab can give way to another, in some seconds."""
        if not page.url.startswith(self.server.url) or STAYS.search(page.url):
            return False
        wide = page.viewport_size["width"] >= WIDE
        with contextlib.suppress(PlaywrightError):  # it does not come to rest, or its policy forbids to look
            page.wait_for_function(GIVES_WAY, arg=wide, polling=30, timeout=within * 1000)
            return True
        return False

    def leave(self, page) -> None:
        """Forget what is remembered in a tab; nothing stands in it then."""
        if page.url != BLANK:
            page.goto(f"{self.server.url}/_stcore/health")  # the page is gone, its storage still in reach
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
            page.goto(BLANK)

    def _clean(self, page) -> bool:
        """Take away all that a visitor leaves in a tab; return whether that could be done."""
        if page.is_closed() or len(page.context.pages) > 1 or not self.server.healthy():
            return False
        page.mouse.up()
        page.mouse.move(-1, -1)
        if not self._gives_way(page, within=1):
            self.leave(page)
        page.context.clear_cookies()
        page.context.clear_permissions()
        session = page.context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        return True


def settled(page, timeout: float = 30) -> None:
    """Wait until no script runs or is about to, and everything it sent is drawn.

    A press of a key or a slider is sent to the server only after a pause of up to 250 ms; this
    waits that out. Where nothing was touched it returns at once.
    """
    page.wait_for_function("window.labRuns?.settled()", polling=30, timeout=timeout * 1000)


def click(target) -> None:
    """Click something, and wait until all is drawn that comes of it."""
    target.click()
    settled(target.page)


def menu_link(page, name: str):
    """The menu's link to a page."""
    return page.locator(f'[data-testid="stSidebarNavLink"][href$="/{name}"]')


def arrived(page, url) -> None:
    """Wait until a page with that URL is drawn."""
    page.wait_for_url(url)
    settled(page)


def reload(page) -> None:
    """Load a page again, and wait until it is drawn."""
    page.reload()
    settled(page)


@contextlib.contextmanager
def rerun(page, timeout: float = 30, *, wait: bool = True):
    """`with rerun(page): ...` waits until what is done inside has made the script run, and `wait` to its end."""
    before = page.evaluate("labRuns.asked.length")
    yield
    page.wait_for_function(
        "before => labRuns.asked.length > before", arg=before, polling=30, timeout=timeout * 1000
    )
    if wait:
        settled(page, timeout)


def rerun_by_click(target) -> None:
    """Click something, and wait until the script that runs for it has ended."""
    with rerun(target.page):
        target.click()


def open_change(page, editor: str = "") -> None:
    """Open *Change* where it is closed, at one of its editors."""
    button, tab = page.get_by_role("button", name="Change", exact=True), page.get_by_role("tab", name=editor)
    if button.get_attribute("aria-expanded") != "true":
        rerun_by_click(button)
    if editor and tab.count() and tab.get_attribute("aria-selected") != "true":
        rerun_by_click(tab)


def rerun_by_key(target, key: str) -> None:
    """Press a key on a page or an element, and wait likewise."""
    with rerun(getattr(target, "page", target)):
        getattr(target, "keyboard", target).press(key)


@contextlib.contextmanager
def in_a_row(page):
    """What is pressed inside comes without a pause, for the page, however slow the machine is."""
    page.evaluate("labRuns.hold()")
    yield
    page.evaluate("labRuns.release()")


def axe(page, *, include: str | None = None, only: str | None = None) -> list[str]:
    """Return what axe-core finds, of all rules or only one, on the whole page or in a part of it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    context = {"include": [[include or "html"]]}
    rules = {"runOnly": [only]} if only else {"rules": {"target-size": {"enabled": True}}}
    found = page.evaluate("asked => axe.run(...asked)", [context, {"resultTypes": ["violations"]} | rules])
    return [
        f"{finding['impact']} {finding['id']}: {finding['help']} at {node['target']}"
        for finding in found["violations"]
        for node in finding["nodes"]
    ]


TAB_STOP = Path(__file__).with_name("tab_order.js").read_text(encoding="utf-8")
MOST_STOPS = 400
FROM_THE_TOP = """() => {
    const top = document.createElement('span');
    top.tabIndex = -1;
    document.body.prepend(top);
    top.focus();
    top.remove();
}"""


def tab_stops(page) -> list[dict]:
    """Return what the tab key reaches, in turn, from the top of the page to its end."""
    page.evaluate(FROM_THE_TOP)
    page.mouse.move(-1, -1)
    stops = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(TAB_STOP)
        if stop is None or (stops and stop == stops[0]):
            return stops
        stops.append(stop)
    raise AssertionError(f"no end after {MOST_STOPS} stops")


UNFOLD = """() => {
    const all = root =>
        [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    for (const fold of all(document).filter(e => e.matches('details:not([open]) > summary'))) fold.click();
}"""


UNFOLDED = """() => !document.getAnimations().some(a =>
    a.playState === 'running' && a.effect.target?.closest('[data-testid=stExpander]'))"""


def unfold(page) -> None:
    """Open all that is folded, and what is folded in it, and wait until it has grown to its height."""
    for _ in range(2):
        page.evaluate(UNFOLD)
        settled(page)
        page.wait_for_function(UNFOLDED, polling=30)
