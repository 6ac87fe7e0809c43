"""What each page costs, as ratios to a floor measured in the same run: `python -m tools.bench.page`.

The floor (`floor/app.py`) is one slider and one chart with a constant spec, served with the same
settings. Floor and page take turns, so that a busy machine slows both. The table has:

- script run, once after a control and once after the hand: a real session's messages, recorded in
  Chromium and played to the server by a bare WebSocket client at a hand's pace, from sending the
  change to `script_finished`; no browser takes part in the time.
- change → picture: in Chromium, from the message with the change to the moment the last chart that
  depends on it has changed. Streamlit's own pause before it sends a slider (200 ms) is left out on
  both sides: it would only flatter the ratio.
- dragging: frames in which the stage was drawn anew, per second, while the handle that a mouse holds is moved at
  every frame.
- release → picture: from the mouse button's release to the last dependent chart.
"""

import argparse
import math
import os
import platform
import time
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

from playwright.sync_api import TimeoutError as NeverCame
from playwright.sync_api import sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from lab import ROOT
from tests.browser import hand
from tests.browser.harness import INIT_SCRIPT, AppServer, launch, settled

HERE = Path(__file__).parent
FLOOR = HERE / "floor" / "app.py"
SCRIPTS = [INIT_SCRIPT, (HERE / "page.js").read_text()]
BUDGETS = {"run": 2.0, "hand": 2.0, "picture": 1.5, "release": 2.0}
FRAMES = 58
DRAG_SECONDS = 2
PAUSE = 0.15  # s between two changes: in a burst that no hand makes, TCP holds answers back for 40 ms

# Controls of Streamlit's to look for in a page's main part, and how to move one there and back.
MAIN = '[data-testid="stMain"] '
CONTROLS = {
    "slider": (MAIN + '[data-testid="stSlider"] input', "keys"),
    "choice": (MAIN + '[data-testid="stButtonGroup"]', "buttons"),
    "radio": (MAIN + '[data-testid="stRadio"]', "labels"),
    "select": (MAIN + '[data-testid="stSelectbox"] input', "list"),
    "switch": (MAIN + '[data-testid="stCheckbox"] label', "click"),
    "handle": ("[data-stage] [data-handle]", "keys"),
}


def pages() -> dict[str, str]:
    """Names and addresses of the pages, by walking the folders as the menu does."""
    files = [path for path in sorted((ROOT / "pages").rglob("*.py")) if not path.name.startswith("_")]
    names = [path.stem.lstrip("0123456789_") for path in files]
    return {name: "" if name == "home" else name for name in names}


def percentile(times: list[float], share: float) -> float:
    """The value that `share` of the times do not exceed."""
    if not times:
        return math.nan
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


class Visit:
    """One page in one fresh context, with what its WebSocket sent."""

    def __init__(self, browser, url):
        self.context = browser.new_context(viewport={"width": 1440, "height": 900})
        for script in SCRIPTS:
            self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.page.on("websocket", lambda opened: opened.on("framesent", self.sent))
        self.url, self.messages, self.moves = url, [], None
        self.page.goto(url)

    def sent(self, payload):
        if isinstance(payload, bytes) and BackMsg.FromString(payload).WhichOneof("type") == "rerun_script":
            self.messages.append(payload)

    def find_control(self, kinds=tuple(CONTROLS)) -> str | None:
        """Take the first control whose move there and back changes a chart, or at least runs the script."""
        settled(self.page)
        fallback = None
        for name in kinds:
            selector, how = CONTROLS[name]
            for control in self.page.locator(selector).all()[:4]:
                if not control.is_visible():
                    continue
                self.moves = cycle(self.there_and_back(control, how))
                results = [self.change(patience=3) for _ in range(2)]
                if all(results):
                    if all(result["picture"] is not None for result in results):
                        return name
                    fallback = fallback or (f"{name}, no chart", self.moves)
        name, self.moves = fallback or (None, None)
        return name

    def there_and_back(self, control, how):
        if how == "keys":
            return [lambda: control.press("ArrowRight"), lambda: control.press("ArrowLeft")]
        if how == "list":
            return [
                lambda key=key: (control.press(key), control.press("Enter")) for key in ("ArrowDown", "ArrowUp")
            ]
        if how == "click":
            return [control.click]
        options = control.locator("button" if how == "buttons" else "label")
        return [options.nth(1).click, options.nth(0).click] if options.count() > 1 else [control.click]

    def change(self, patience=30) -> dict | None:
        """Make the next move and return its times, or None if nothing ran."""
        self.page.evaluate("bench.begin()")
        try:
            next(self.moves)()
            self.page.wait_for_function("bench.change() && bench.idle(120)", polling=20, timeout=patience * 1000)
        except NeverCame:
            return None
        return self.page.evaluate("bench.change()")

    def drag(self, seconds: float) -> dict:
        """Drag, a move at every frame, and return the rates of frames and of frames with a new picture."""
        settled(self.page)
        held = hand.handle(self.page)
        hand.take(self.page, held)
        held.evaluate("held => bench.frames(held)")
        self.page.wait_for_timeout(1000 * seconds)
        rates = self.page.evaluate("bench.result()")
        self.page.mouse.up()
        settled(self.page)
        return rates

    def release(self, step: float) -> dict | None:
        """Drag a little, let go, and return the times from there."""
        mouse, (x, y) = self.page.mouse, hand.take(self.page, hand.handle(self.page))
        for k in range(1, 5):
            mouse.move(x + step * k / 4, y + step * k / 8)
        mouse.up()
        try:
            self.page.wait_for_function("bench.release() && bench.idle(120)", polling=20, timeout=10_000)
        except NeverCame:
            return None
        return self.page.evaluate("bench.release()")

    def close(self):
        self.context.close()


def play(socket, message: bytes) -> tuple[float, int]:
    """Send one message; return the ms until the script has finished, and how many elements came."""
    elements = 0
    start = time.perf_counter()
    socket.send(message)
    while True:
        answer = ForwardMsg.FromString(socket.recv(timeout=60))
        kind = answer.WhichOneof("type")
        if kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return 1000 * (time.perf_counter() - start), elements
        elements += kind in ("delta", "ref_hash")


@contextmanager
def replay(server: AppServer, messages: list[bytes]):
    """A session without a browser; yields a function that plays the recorded changes in turn."""
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    protocols = ["streamlit", "PLACEHOLDER_AUTH_TOKEN"]
    with connect(address, subprotocols=protocols, max_size=None, compression=None) as socket:
        changes = cycle(messages[-2:])

        def change() -> float:
            taken, elements = play(socket, next(changes))
            if not elements:
                raise RuntimeError("a replayed change drew nothing: the recorded session cannot be replayed")
            return taken

        play(socket, messages[0])  # opens the page
        change(), change()
        yield change


def side_by_side(rounds: int, floor, page) -> tuple[list, list]:
    """Call the two in turn, with a pause before each."""
    found = [], []
    for _ in range(rounds):
        for call, times in zip((floor, page), found, strict=True):
            time.sleep(PAUSE)
            times.append(call())
    return found


def measure(browser, floor_server, server, address: str, kinds, rounds: int) -> dict:
    """All figures of one page: lists of times for the floor and for the page."""
    floor, page = Visit(browser, floor_server.url), Visit(browser, f"{server.url}/{address}")
    found = {"notes": []}
    try:
        floor.find_control()
        found["control"] = page.find_control(kinds)
        if found["control"]:
            changes = side_by_side(rounds, floor.change, page.change)
            found["picture"] = tuple([c["picture"] or c["run"] for c in side if c] for side in changes)
            if more := [c["runs"] for c in changes[1] if c and c["runs"] > 1]:
                found["notes"].append(f"{len(more)} of {rounds} changes ran the script {max(more)} times")
            with replay(floor_server, floor.messages) as lower, replay(server, page.messages) as upper:
                found["run"] = side_by_side(2 * rounds, lower, upper)
        if page.page.locator("[data-stage] [data-handle]").count():
            if page.find_control(("handle",)):
                with replay(floor_server, floor.messages) as lower, replay(server, page.messages) as upper:
                    found["hand"] = side_by_side(2 * rounds, lower, upper)
            found["drag"] = page.drag(DRAG_SECONDS)
            steps = cycle([24, -24])
            released = side_by_side(rounds, floor.change, lambda: page.release(next(steps)))
            if any(released[1]):
                found["release"] = tuple([c["picture"] or c["run"] for c in side if c] for side in released)
            if not any(c and c["picture"] for c in released[1]):
                found["notes"].append("no chart depends on the handle: release → end of the run, if any")
    finally:
        floor.close()
        page.close()
    return found


def dragged(browser, server, address: str) -> dict:
    """Only the frames while a handle is dragged."""
    page = Visit(browser, f"{server.url}/{address}")
    settled(page.page)
    found = {"notes": [], "control": None}
    if page.page.locator("[data-stage] [data-handle]").count():
        found["drag"] = page.drag(DRAG_SECONDS)
    page.close()
    return found


def ratio(found: dict, what: str) -> float:
    """Return what the budget limits: p50 of runs, p95 of pictures."""
    floor, page = found[what]
    share = 0.5 if what in ("run", "hand") else 0.95
    return percentile(page, share) / percentile(floor, share)


def cell(found: dict, what: str) -> str:
    """One figure: the ratio, then p50 / p95 of the page against the floor's."""
    if what not in found:
        return "–"
    floor, page = (
        " / ".join(f"{percentile(times, share):.0f}" for share in (0.5, 0.95)) for times in found[what]
    )
    over = "" if ratio(found, what) <= BUDGETS[what] else " over"
    return f"**{ratio(found, what):.2f}**{over} ({page} : {floor})"


def dragging(found: dict) -> str:
    """Frames with a new picture, of those the screen had, and the longest wait for one."""
    if "drag" not in found:
        return "–"
    drag = found["drag"]
    under = "" if drag["drawn"] >= FRAMES else " under"
    return f"**{drag['drawn']:.1f}**{under} of {drag['shown']:.1f} ({drag['longest']:.0f})"


def report(results: dict[str, dict]) -> str:
    """A table whose head states the budgets, with notes under it."""
    titles = {
        "run": "script run, control",
        "hand": "script run, hand",
        "picture": "change → picture",
        "release": "release → picture",
    }
    head = ["page", "control", *(f"{title} (≤ {BUDGETS[what]:g})" for what, title in titles.items())]
    rows = [[*head, f"frames/s dragging (≥ {FRAMES})"], ["---"] * (len(head) + 1)]
    rows += [
        [name, found["control"] or "–", *(cell(found, what) for what in titles), dragging(found)]
        for name, found in results.items()
    ]
    notes = [f"- {name}: {note}" for name, found in results.items() for note in found["notes"]]
    key = (
        "**Ratio** (the page's p50 / p95 : the floor's, in ms). Ratios are of p50 for script run, "
        "of p95 for the two pictures. Dragging: frames with a new picture of frames shown (the "
        "longest frame, in ms)."
    )
    return "\n".join(
        ["| " + " | ".join(row) + " |" for row in rows] + ["", key, *([""] if notes else []), *notes]
    )


def machine(browser) -> str:
    """One line that says where the figures come from."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = named[0].split(":", 1)[1].strip() if named else model
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} × {model}, {platform.system()}, Python {platform.python_version()}, "
        f"Chromium {browser.version}{load}"
    )


def main() -> None:
    known = pages()
    parser = argparse.ArgumentParser(prog="python -m tools.bench.page", description=__doc__.splitlines()[0])
    parser.add_argument("--pages", help=f"some of: {', '.join(known)}; scale?present=1 has settings")
    parser.add_argument("--rounds", type=int, default=40, help="changes measured on each side (default 40)")
    parser.add_argument(
        "--control", choices=CONTROLS, help="move this kind (default: the first that changes a chart)"
    )
    parser.add_argument("--drag", action="store_true", help="only drag, and count frames")
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that it works")
    given = parser.parse_args()
    chosen = given.pages.split(",") if given.pages else list(known)
    parts = {name: name.partition("?") for name in chosen}
    addresses = {name: known.get(page, "") + mark + query for name, (page, mark, query) in parts.items()}
    if unknown := {page for page, *_ in parts.values()} - set(known):
        parser.error(f"no such page: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    kinds = [given.control] if given.control else list(CONTROLS)
    rounds = 6 if given.quick else given.rounds

    with sync_playwright() as playwright, launch(playwright) as browser:
        with AppServer(script=FLOOR) as floor_server, AppServer() as server:
            for warm in (floor_server, server):
                visit = Visit(browser, warm.url)
                settled(visit.page)
                visit.close()
            print(machine(browser), flush=True)
            results = {}
            for name in chosen:
                results[name] = (
                    dragged(browser, server, addresses[name])
                    if given.drag
                    else measure(browser, floor_server, server, addresses[name], kinds, rounds)
                )
                print(report({name: results[name]}).splitlines()[2], flush=True)  # a long run can be left
        print(f"\n{report(results)}")


if __name__ == "__main__":
    main()
