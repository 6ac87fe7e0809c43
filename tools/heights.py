"""The heights that are held open while a page loads: `python -m tools.heights` renews widgets/heights.json.

`python -m tools.heights similarity values` renews those of some pages.
"""

import json
import sys

from playwright.sync_api import sync_playwright

from attention_lab.widgets.first_style import HERE
from tests.browser.harness import INIT_SCRIPT, AppServer, launch, settled
from tests.visit import EVERY

FILE = HERE / "heights.json"
# Of the window. Where a style changes at a width, both sides of it; a test looks at 390 and 1440.
WIDTHS = (320, 359, 360, 390, 500, 640, 641, 767, 768, 900, 1024, 1160, 1280, 1440, 1600, 1920)
ALWAYS = (320, 390, 1440, 1920)
CLOSE = 6  # px: what a straight line comes so near to need not be said
# Measured until nothing has changed for a while: what follows the window's width does so a few frames later.
MEASURE = """async name => {
    const selectors = { stage: `.st-key-${name}-stage`, head: '.st-key-head' };
    // what is held open already must not be measured
    document.documentElement.style.removeProperty('--first-head');
    const box = selector => document.querySelector(selector)?.getBoundingClientRect();
    const gap = () => parseFloat(getComputedStyle(document.querySelector(
        '[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"]')).rowGap);
    const lead = () => box(selectors.stage)
        ? box(selectors.stage).top - box('.st-key-promise').bottom - gap() : 0;
    const read = () => ({ ...Object.fromEntries(Object.entries(selectors).map(([what, selector]) =>
        [what, Math.round(box(selector)?.height ?? 0)])), lead: Math.max(0, Math.round(lead())) });
    for (let before = '', same = 0; same < 4; await new Promise(then => setTimeout(then, 90))) {
        const now = JSON.stringify(read());
        same = now === before ? same + 1 : 0;
        before = now;
    }
    return read();
}"""


def name_of(path) -> str:
    """A page's name, as its keys have it."""
    return path.stem.lstrip("0123456789_")


def measure(page, name: str) -> dict[str, list[tuple[int, int]]]:
    """Return the heights of a page that is open, by what they are of: pairs of width and height."""
    found = {}
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.documentElement.clientWidth === width", arg=width)
        for what, height in page.evaluate(MEASURE, name).items():
            found.setdefault(what, []).insert(0, (width, height))
    return {what: simplify(pairs) for what, pairs in found.items() if any(height > 1 for _, height in pairs)}


def simplify(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out what straight lines between the others come near to."""
    (first, low), (last, high) = pairs[0], pairs[-1]

    def off(pair):
        width, height = pair
        away = abs(height - low - (high - low) * (width - first) / (last - first))
        return away + 1000 * (width in ALWAYS)

    inside = pairs[1:-1]
    if not inside or off(worst := max(inside, key=off)) <= CLOSE:
        return [pairs[0], pairs[-1]]
    at = pairs.index(worst)
    return [*simplify(pairs[: at + 1])[:-1], *simplify(pairs[at:])]


def write(held: dict) -> None:
    """Write the heights down, a page a line."""
    order = [name_of(path) for path in EVERY]
    pages = (f'"{name}": {json.dumps(held[name])}' for name in sorted(held, key=order.index))
    FILE.write_text("{\n" + ",\n".join(pages) + "\n}\n", encoding="utf-8")


def renew(names: list[str]) -> None:
    """Measure pages, all or those named, and write down what was found."""
    held = json.loads(FILE.read_text(encoding="utf-8"))
    with sync_playwright() as playwright, launch(playwright) as browser, AppServer() as server:
        page = browser.new_page(reduced_motion="reduce")
        page.add_init_script(INIT_SCRIPT)
        for name in names or [name_of(path) for path in EVERY]:
            page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
            page.goto(f"{server.url}/{'' if name == 'home' else name}")
            settled(page, timeout=120)
            held[name] = measure(page, name)
            write(held)
            print(f"{name}: measured at {len(WIDTHS)} widths, written to {FILE.name}")


if __name__ == "__main__":
    renew(sys.argv[1:])
