"""Open a viewer's HTML in a browser that may be killed: `notebook_picture.py VIEWER FILE PEERS MEMORY`.

Prints the seconds to the first picture and, for ours with `hover` at the end, frames a second while hovering.
"""

import json
import resource
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.harness import launch

SCRIPT = Path(__file__).with_name("notebook.js").read_text(encoding="utf-8")
# What BertViz asks another host for, in npm's packages.
PACKAGES = {"require": "requirejs/require.js", "d3": "d3/dist/d3.min.js", "jquery": "jquery/dist/jquery.min.js"}
DRAWN = {
    "ours": ".head-cell canvas, .pattern-canvas canvas[role]",
    "BertViz": "svg :is(rect, line, path)",
    "CircuitsVis": "canvas, img[src]",
    "Inspectus": "canvas, svg :is(rect, path)",
    "attnview": ".destination",
}
HOVER = 3  # s


def main() -> None:
    viewer, file, peers, memory, *more = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory),) * 2)  # of the browser's processes, too
    with sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(0)  # who has started this program waits as long as it wants to
        page.on("crash", lambda: sys.exit("the page crashed"))
        page.add_init_script(f"{SCRIPT}\nnotebookBench.watch({DRAWN[viewer.split(',')[0]]!r});")
        for name, path in PACKAGES.items():
            package = Path(peers, "node_modules", path)
            page.route(f"**/{name}.min*", lambda route, _, package=package: route.fulfill(path=package))
        page.goto(Path(file).as_uri(), wait_until="commit")
        page.wait_for_function("notebookBench.drawn() !== null")
        frames = page.evaluate("seconds => notebookBench.hover(seconds)", HOVER) if more else None
        print(json.dumps([page.evaluate("notebookBench.drawn()") / 1000, frames]), flush=True)


if __name__ == "__main__":
    main()
