"""How many looks the first screen of each page has: `python -m tools.count_looks [PAGE …]`.

For every page of the running app: the sizes of its type, the colours of its letters and grounds, and its controls
by height, line and radius. docs/LOOK.md says how many there should be.
"""

import argparse
import json

from playwright.sync_api import sync_playwright

from attention_lab import course
from attention_lab.root import ROOT
from tests.browser.harness import INIT_SCRIPT, AppServer, launch

COUNT = """() => {
  const CONTROLS = 'button, select, summary, input, [data-baseweb=select] > div';
  const sizes = new Map(), inks = new Map(), grounds = new Map(), controls = new Map();
  const count = (kinds, kind) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const walk = root => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const style = getComputedStyle(element), box = element.getBoundingClientRect();
      if (!box.width || !box.height || style.visibility === 'hidden' || box.top > innerHeight) continue;
      if (/^(STYLE|SCRIPT|TITLE)$/i.test(element.tagName)) continue;
      if (style.backgroundColor !== 'rgba(0, 0, 0, 0)') count(grounds, style.backgroundColor);
      if (element.matches(CONTROLS)) {
        const { borderTopWidth: line, borderTopLeftRadius: round } = style;
        const kind = `${element.tagName.toLowerCase()}, ${Math.round(box.height)}px high`;
        count(controls, `${kind}, line ${line}, radius ${round}`);
      }
      if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
      if (/Material/.test(style.fontFamily)) continue;
      count(sizes, parseFloat(style.fontSize).toFixed(1));
      count(inks, element instanceof SVGElement ? style.fill : style.color);
    }
  };
  walk(document.body);
  const sorted = kinds => Object.fromEntries([...kinds].sort((a, b) => b[1] - a[1]));
  return { sizes: sorted(sizes), inks: sorted(inks), grounds: sorted(grounds), controls: sorted(controls) };
}"""


def main() -> None:
    """Print a line for every page, and with `--list` what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=[link.page for link in course.page_links(ROOT / "pages")])
    parser.add_argument("--list", action="store_true", help="show every look, not only how many there are")
    parser.add_argument("--size", default="1440x900")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    server = AppServer().start()
    try:
        with sync_playwright() as playwright, launch(playwright) as browser:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.add_init_script(INIT_SCRIPT)
            for name in options.pages:
                page.goto(f"{server.url}/{name}")
                page.wait_for_selector('[data-testid="stMainBlockContainer"] h1')
                page.wait_for_timeout(3000)
                found = page.evaluate(COUNT)
                print(name, *(f"{len(looks)} {kind}" for kind, looks in found.items()), sep="  ", flush=True)
                if options.list:
                    print(json.dumps(found, indent=1, ensure_ascii=False))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
