"""Make the pictures of the README and the slides for teachers from the running app.

    python -m tools.pictures drag      # docs/drag.webp: one drag on Home
    python -m tools.pictures pages     # docs/pages/: each page's figure, and the README's table of them
    python -m tools.pictures view      # docs/view.png: the heads of SmolLM2, as attention_lab.show shows them
    python -m tools.pictures preview   # attention_lab/assets/preview.png: how other sites show a link
    python -m tools.pictures slides FILE.pdf [--address https://your.host] [--language es]

A slide shows a page as presentation mode does. A click on it opens the page, at the address given.
"""

from __future__ import annotations

import argparse
import io
import re
from base64 import b64encode
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import attention_lab
from attention_core.models import read_model
from attention_lab import course
from attention_lab.model_packages import MODELS
from attention_lab.root import ROOT
from tests.browser.harness import INIT_SCRIPT, AppServer, launch, settled

DOCS = ROOT / "docs"
ASSETS = ROOT / "attention_lab" / "assets"
DRAG = {"page": "", "handle": "phone", "by": (-150, -95), "steps": 26}  # px: towards the other fruit, and back
FRAME = 70  # ms
VIEWED = "The Eiffel Tower is in the city of Paris. Mary and John saw it. The Eiffel Tower is in the city of"
README = ROOT / "README.md"
TABLE = re.compile(r"(?<=\n\n)\| page \|.*?\n(?=\n)", re.DOTALL)
SMALL = (360, 203)  # px of a page's picture, which is shown half as wide
SLIDES = 12
SLIDE = """<a href="{link}"><img src="data:image/jpeg;base64,{picture}" alt="{title}"></a>"""
DECK = """<!doctype html><meta charset="utf-8"><title>Attention Lab</title><style>
@page {{ size: 1280px 720px; margin: 0 }}
body {{ margin: 0 }}
img {{ display: block; width: 1280px; height: 720px }}
a + a {{ break-before: page }}
</style>{slides}"""


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until it stands still."""
    page.goto(address)
    settled(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(600)
    return page


def drag(page: Page, url: str) -> None:
    """Film the handle on its way there and back, and write the film."""
    opened(page, f"{url}/{DRAG['page']}")
    handle = page.locator(f"[data-stage] [data-handle={DRAG['handle']}]").first
    box, title, figure = (
        each.first.bounding_box() for each in (handle, page.locator("h1"), page.locator(".by-choice"))
    )
    top, end = title["y"] - 12, figure["y"] + figure["height"] + 12
    clip = {"x": figure["x"] - 20, "y": top, "width": figure["width"] + 40, "height": end - top}
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    half = DRAG["steps"] // 2
    frames = []
    page.mouse.move(x, y)
    page.mouse.down()
    for step in [*range(half + 1), *range(half - 1, -1, -1)]:
        part = (1 - abs(1 - step / half) ** 2) if step else 0  # slower towards the end
        page.mouse.move(x + part * DRAG["by"][0], y + part * DRAG["by"][1])
        page.wait_for_timeout(60)
        shot = Image.open(io.BytesIO(page.screenshot(clip=clip)))
        frames.append(shot.convert("RGB").resize((840, round(840 * shot.height / shot.width)), Image.LANCZOS))
    page.mouse.up()
    first, *others = frames
    pauses = [FRAME * 12 if k in (0, half) else FRAME for k in range(len(frames))]
    first.save(
        DOCS / "drag.webp", save_all=True, append_images=others, duration=pauses, loop=0, quality=72, method=6
    )


def table() -> str:
    """Return the README's table: a line for each page, with its picture, its name and what it shows."""
    lines, part = ["| page | what it shows |", "|---|---|"], ""
    for link in course.page_links(ROOT / "pages", with_home=True):
        if link.section != part:
            part = link.section
            lines.append(f"| | **{part}** |")
        picture = f'<img src="docs/pages/{link.page}.png" width="{SMALL[0] // 2}" alt="{link.title}">'
        lines.append(f"| {picture} | **{link.title}**<br>{link.promise} |")
    return "\n".join(lines) + "\n"


def pages(page: Page, url: str) -> None:
    """Write a picture of each page's figure, below its goals, and the table of them."""
    page.set_viewport_size({"width": 1280, "height": 1100})
    for link in course.page_links(ROOT / "pages", with_home=True):
        opened(page, f"{url}/{'' if link.page == 'home' else link.page}")
        if (show := page.get_by_role("button", name="Show answer")).count():
            show.click()
            settled(page)
        box, goals = (page.locator(of).first.bounding_box() for of in ("[data-stage]", ".goals"))
        wide = box["width"]
        top = box["y"] if goals["y"] > box["y"] else goals["y"] + goals["height"] + 8  # on Home, goals come last
        clip = {"x": box["x"], "y": top, "width": wide, "height": wide * SMALL[1] / SMALL[0]}
        shot = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
        file = DOCS / "pages" / f"{link.page}.png"
        file.parent.mkdir(exist_ok=True)
        shot.resize(SMALL, Image.LANCZOS).quantize(64).save(file, optimize=True)
    README.write_text(TABLE.sub(lambda _: table(), README.read_text("utf-8")), encoding="utf-8")


def view(page: Page, _: str) -> None:
    """Write a picture of a view: the text's second mention of a name, and a head that finds the first."""
    run = read_model(MODELS["smollm2"].path).run(VIEWED)
    with TemporaryDirectory() as folder:
        page.goto(
            attention_lab.show(run, title="SmolLM2-135M-Instruct").save(Path(folder) / "view.html").as_uri()
        )
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.get_by_role("button", name="Layer 18, head 6").click()
        page.mouse.move(0, 0)
        page.wait_for_timeout(600)
        shot = Image.open(io.BytesIO(page.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": 800})))
    shot.convert("RGB").resize((840, 525), Image.LANCZOS).quantize(128).save(DOCS / "view.png", optimize=True)


def preview(page: Page, url: str) -> None:
    """Write the picture of a link to the course: Home's title and figure."""
    page.set_viewport_size({"width": 1200, "height": 714})  # below the picture lie the goals
    opened(page, f"{url}/?embed=true")
    shot = Image.open(io.BytesIO(page.screenshot(clip={"x": 7, "y": 0, "width": 1186, "height": 622.65})))
    shot = shot.convert("RGB").resize((1200, 630), Image.LANCZOS)
    shot.quantize(256, Image.Quantize.MAXCOVERAGE).save(ASSETS / "preview.png", optimize=True)


def slides(page: Page, url: str, file: Path, address: str, language: str) -> None:
    """Write the deck: the first twelve pages of the course, as presentation mode shows them."""
    page.set_viewport_size({"width": 1280, "height": 720})
    made = []
    for link in course.page_links(ROOT / "pages", with_home=True)[:SLIDES]:
        name = "" if link.page == "home" else link.page
        query = {"lang": language} if language != "en" else {}
        opened(page, f"{url}/{name}?{urlencode(query | {'present': '1'})}")
        picture = b64encode(page.screenshot(type="jpeg", quality=88)).decode()
        to = f"{address.rstrip('/')}/{name}" + (f"?{urlencode(query)}" if query else "")
        made.append(SLIDE.format(link=escape(to), picture=picture, title=escape(link.title)))
    page.set_content(DECK.format(slides="".join(made)))
    page.pdf(path=file, prefer_css_page_size=True, print_background=True)


def main() -> None:
    """Start the app, and make what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("drag", "pages", "view", "preview", "slides"))
    parser.add_argument("file", nargs="?", type=Path, default=DOCS / "slides.pdf")
    parser.add_argument("--address", default="http://localhost:8501")
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    with sync_playwright() as playwright, launch(playwright) as browser, AppServer() as server:
        page = browser.new_page(viewport={"width": 1280, "height": 760}, device_scale_factor=1.5)
        page.add_init_script(INIT_SCRIPT)
        if options.what == "slides":
            slides(page, server.url, options.file, options.address, options.language)
        else:
            {"drag": drag, "pages": pages, "view": view, "preview": preview}[options.what](page, server.url)


if __name__ == "__main__":
    main()
