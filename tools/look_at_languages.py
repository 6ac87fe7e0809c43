"""Look at every page in every language: what is cut, lies on something else, or must be scrolled to sideways.

    python -m tools.look_at_languages                           # all pages, in all languages but English
    python -m tools.look_at_languages pt de --page softmax      # one page in two languages
    python -m tools.look_at_languages ar --pictures FOLDER      # and a picture of each

Each page is measured on a phone, on a laptop and in presentation mode. It prints a line for each finding.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from attention_lab import course
from attention_lab.root import ROOT
from attention_lab.text.languages import ENGLISH, LANGUAGES, speaking
from tests.browser.harness import INIT_SCRIPT, AppServer, launch, settled
from tests.browser.test_every_page import sideways
from tests.browser.test_layout import findings

SIZES = {"phone": (390, 844), "laptop": (1440, 900), "presentation": (1280, 720)}


def look(page: Page, url: str, name: str, code: str, size: str, pictures: Path | None) -> list[str]:
    """Open a page in a language at a size, and return what is found there."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    query = {"lang": code} | ({"present": "1"} if size == "presentation" else {})
    page.goto(f"{url}/{'' if name == 'home' else name}?{urlencode(query)}")
    settled(page)
    if pictures:
        page.screenshot(path=pictures / f"{code}_{size}_{name}.png")
    over = sideways(page)
    return findings(page) + ([f"sideways by {over}"] if over > 0 else [])


def main() -> int:
    """Start the app and look; the exit status is 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=[code for code in LANGUAGES if code != ENGLISH])
    parser.add_argument("--page", action="append", help="a page's address; all without it")
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with speaking(ENGLISH):
        every = [course.address(path) for paths in course.files(ROOT / "pages").values() for path in paths]
    found = False
    with sync_playwright() as playwright, launch(playwright) as browser, AppServer() as server:
        page = browser.new_page()
        page.add_init_script(INIT_SCRIPT)
        for size in options.size or SIZES:
            for code in options.languages:
                for name in options.page or every:
                    for what in look(page, server.url, name, code, size, options.pictures):
                        print(f"{size} {code} {name}: {what}", flush=True)
                        found = True
    return found


if __name__ == "__main__":
    raise SystemExit(main())
