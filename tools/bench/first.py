"""How long until the first figure can be moved: `python -m tools.bench.first`.

Fresh browsers open a page of the app, with its first picture and without, the same page of an exported course
from Python's `http.server`, and what others offer, in turn in one run: bare Streamlit (`floor/app.py`: a slider
and a chart) and, with `--gradio`, Gradio (a slider and a number), for which a virtual environment is made once.
The time is from the address to the moment at which a mouse is pressed on a handle and the drag that begins
there works: the handle moves, and the numbers beside it with it. A drag is tried again and again until one
works; where the first handle is a button, a press. For each also what had come until the figure was drawn, and
when Streamlit's own controls can be seen.

Once as it is on this machine, once over 80 ms and 10 Mbit/s. The second visit is by the same browser, which has
kept the files.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
import venv
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from attention_lab.export.web_page import write_course
from attention_lab.process import FIRST_PICTURE
from tests.browser.harness import AppServer, free_port, launch
from tests.server.harness import Host
from tools.bench.page import FLOOR, machine

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
NETWORKS = {"plain": None, "80 ms, 10 Mbit/s": {"latency": 80, "throughput": 10_000_000 / 8}}
PATIENCE = 60  # s
ENVIRONMENT = Path(tempfile.gettempdir()) / "attention_lab_gradio"
GRADIO = """
import gradio
with gradio.Blocks() as app:
    slider, number = gradio.Slider(0, 10, 5), gradio.Number(5)
    slider.change(lambda x: x, slider, number)
app.launch(server_name="127.0.0.1", server_port=int(__import__("sys").argv[1]), quiet=True)
"""
HEAD = ["page", "network", "first visit, ms", "÷ Gradio", "÷ bare Streamlit", "second visit, ms"]
HEAD += ["÷ bare Streamlit", "requests", "KB", "controls, ms", "without first picture: figure, controls"]
STREAMLIT, GRADIO_NAME, WITHOUT = "bare Streamlit", "Gradio", ", without first picture"
EXPORTED = ", exported"
HANDLE = '[data-handle], input[type="range"]'
SLIDER = '[data-testid="stSlider"] [role="group"] > div > div:has(input), input[type="range"]'
FAR = {HANDLE: (48, -24), SLIDER: (-240, 0)}  # pixels


class OtherServer(AppServer):
    """A server that isn't Streamlit's."""

    def healthy(self) -> bool:
        """Return whether it answers."""
        return subprocess.run(["curl", "-sf", "-o", os.devnull, self.url], check=False).returncode == 0


class Course(OtherServer):
    """A server of the files of an exported course."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        write_course(folder)
        self.command = [sys.executable, "-m", "http.server", str(self.port), "--bind=127.0.0.1"]
        self.command += ["--protocol=HTTP/1.1", f"--directory={folder}"]


class Gradio(OtherServer):
    """Gradio's own server with a slider and a number that follows it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(free_port())
        python = folder / "bin" / "python"
        if not python.exists():
            venv.create(folder, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "gradio"], check=True)
        self.command = [str(python), "-c", GRADIO, str(self.port)]
        self.environment = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False"}


@dataclass
class Seen:
    """One visit: all times in ms from the address."""

    moved: float  # when the press began from which the drag worked
    requests: int  # that were answered until the figure was drawn
    bytes: int
    controls: float | None  # when Streamlit's own controls were there


def drag_works(page, selector: str) -> float | None:
    """Try to drag the first handle, or press it; return when that began, or None where nothing followed it."""
    try:
        found = page.evaluate("selector => bench_first.handle(selector)", selector)
        if found is None:
            return None
        at, far = found["middle"], (0, 0) if found["pressed"] else FAR[selector]
        before = page.evaluate("selector => bench_first.said(selector)", selector)
        page.mouse.move(*at)
        began = page.evaluate("performance.now()")
        page.mouse.down()
        for part in (0.2, 1):
            page.mouse.move(*(here + part * way for here, way in zip(at, far, strict=True)))
        if found["pressed"]:
            page.mouse.up()
        page.evaluate("new Promise(requestAnimationFrame)")
        page.evaluate("new Promise(requestAnimationFrame)")
        after = page.evaluate("selector => bench_first.said(selector)", selector)
    except PlaywrightError:  # the page was on its way
        return None
    finally:
        page.mouse.up()
    return began if after != before else None


def visit(context, url: str, selector: str, network: dict | None) -> Seen:
    """Open a page in a context and drag until that works."""
    page = context.new_page()
    if network:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        limits = {"downloadThroughput": network["throughput"], "uploadThroughput": network["throughput"]}
        session.send(
            "Network.emulateNetworkConditions", {"offline": False, "latency": network["latency"], **limits}
        )
    page.goto(url, wait_until="commit")
    end = time.monotonic() + PATIENCE
    while (moved := drag_works(page, selector)) is None:
        if time.monotonic() > end:
            raise TimeoutError(f"nothing could be moved on {url}")
    sent = page.evaluate("latest => bench_first.sent(latest)", moved)
    controls = None
    of_app = selector == HANDLE and not url.endswith(".html")
    while controls is None and time.monotonic() < end and of_app:
        controls = page.evaluate("bench_first.controls()")
        time.sleep(0.02)
    page.wait_for_load_state("networkidle")
    page.close()
    return Seen(moved, sent["requests"], sent["bytes"], controls)


def first_and_second(browser, url: str, selector: str, network: dict | None) -> tuple[Seen, Seen]:
    """Two visits by one fresh browser."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    context.add_init_script(SCRIPT)
    try:
        return tuple(visit(context, url, selector, network) for _ in range(2))
    finally:
        context.close()


def row(name: str, network: str, found: dict[str, list[tuple[Seen, Seen]]]) -> str:
    """One line of the table: medians."""

    def middle(of: str, what: str, second: bool = False) -> float:
        values = [getattr(visits[second], what) for visits in found.get(of, [])]
        return median([value for value in values if value is not None] or [math.nan])

    def ratio(to: str, second: bool = False) -> str:
        return written(middle(name, "moved", second) / middle(to, "moved", second), ".2f")

    first, second = middle(name, "moved"), middle(name, "moved", second=True)
    before = [written(middle(name + WITHOUT, what)) for what in ("moved", "controls")]
    cells = [
        name,
        network,
        f"**{first:.0f}**" if name + WITHOUT in found else f"{first:.0f}",
        ratio(GRADIO_NAME),
        ratio(STREAMLIT),
        f"{second:.0f}",
        ratio(STREAMLIT, second=True),
        f"{middle(name, 'requests'):.0f}",
        f"{middle(name, 'bytes') / 1000:.0f}",
        written(middle(name, "controls")),
        ", ".join(before) if name + WITHOUT in found else "–",
    ]
    return f"| {' | '.join(cells)} |"


def written(number: float, how: str = ".0f") -> str:
    """The number, or a dash where there is none."""
    return "–" if math.isnan(number) else format(number, how)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.first", description=__doc__.splitlines()[0])
    usual = "home,similarity,self_attention,trained_model"
    parser.add_argument("--pages", default=usual, help=f"of the app; home is the first page (default {usual})")
    parser.add_argument("--rounds", type=int, default=7, help="fresh browsers for each line (default 7)")
    parser.add_argument(
        "--gradio", nargs="?", const=ENVIRONMENT, type=Path, help=f"beside Gradio (default {ENVIRONMENT})"
    )
    given = parser.parse_args()
    with ExitStack() as running:
        start = running.enter_context
        floor, app, without = AppServer(script=FLOOR), Host(warm_up=1), Host(warm_up=1)
        course = Course(Path(start(tempfile.TemporaryDirectory())))
        without.environment[FIRST_PICTURE] = "0"
        without.command.append("--first-picture=0")
        for server in (floor, app, without, course):
            start(server)
        addresses = {}
        for page in given.pages.split(","):
            path = "" if page == "home" else page
            addresses[page] = (f"{app.url}/{path}", HANDLE)
            addresses[page + WITHOUT] = (f"{without.url}/{path}", HANDLE)
            addresses[page + EXPORTED] = (f"{course.url}/{path or 'index'}.html", HANDLE)
        addresses[STREAMLIT] = (floor.url, SLIDER)
        if given.gradio:
            addresses[GRADIO_NAME] = (start(Gradio(given.gradio)).url, SLIDER)
        browser = start(launch(start(sync_playwright())))
        print(machine(browser), flush=True)
        print(f"| {' | '.join(HEAD)} |\n| --- | --- |{' --: |' * (len(HEAD) - 2)}", flush=True)
        for network, limits in NETWORKS.items():
            found = {name: [] for name in addresses}
            for turn in range(given.rounds + 1):
                for name, (url, selector) in addresses.items():
                    seen = first_and_second(browser, url, selector, limits)
                    if turn:  # the first one warms the server up
                        found[name].append(seen)
            for name in found:
                if not name.endswith(WITHOUT):
                    print(row(name, network, found), flush=True)


if __name__ == "__main__":
    main()
