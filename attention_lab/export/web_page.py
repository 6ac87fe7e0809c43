"""A page's figure as one file that works without a server and without a network.

The browser computes every number of a figure from the recorded calculation, so that the library, the lesson's
own parts and the payload are all it needs. To write such a file::

    python3 lab.py export "similarity?word=phone" page.html
"""

from __future__ import annotations

import html
import json
import sys
import tomllib
from argparse import ArgumentParser
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from attention_lab import course, faults
from attention_lab.figure.browser_code import library
from attention_lab.figure.carried import ID_LETTERS
from attention_lab.lesson import View
from attention_lab.root import ROOT

PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
{style}
body {{ font: 1rem system-ui, sans-serif; max-width: 80rem; margin: 1.5rem auto; padding: 0 1rem;
  color: var(--st-text-color); background: var(--st-background-color); }}
</style>
<h1>{title}</h1>
<p>{question}</p>
<div id="figure"></div>
<script type="application/json" id="payload">{payload}</script>
<script type="application/json" id="arrays">{arrays}</script>
<script type="module">
{code}
{start}
</script>
</html>
"""
# The figure lives in a shadow root, as it does on a page of the app, so that its style reaches nothing else.
START = f"""
const text = id => document.getElementById(id).textContent;
const bytes = letters => Uint8Array.from(atob(letters), letter => letter.charCodeAt(0));
shelf.carried = new Map(Object.entries(JSON.parse(text('arrays'))).map(
  ([id, letters]) => [id, bytes(letters).slice({ID_LETTERS}).buffer]
));
const payload = text('payload'),
  {{ own }} = JSON.parse(payload),
  root = document.getElementById('figure').attachShadow({{ mode: 'open' }}),
  parentElement = root.appendChild(document.createElement('div')),
  alone = {{ data: payload, parentElement, setStateValue() {{}}, setTriggerValue() {{}} }};
while (!(own in shelf.styles)) await new Promise(wake => shelf.waiting.push(wake));
shelf.modules.stage.show_stage(alone, shelf.styles[''] + (own && shelf.styles[own]), shelf.undrawn);
"""
PAGES = ROOT / "pages"
SETTINGS = ROOT / ".streamlit" / "config.toml"
NAMES = {
    "primaryColor": "--st-primary-color",
    "backgroundColor": "--st-background-color",
    "secondaryBackgroundColor": "--st-secondary-background-color",
    "textColor": "--st-text-color",
}


def web_page(view: View, title: str, language: str = "en") -> str:
    """Return one HTML file that shows a view's figure: it can be moved, offline, wherever it is opened."""
    lesson, text = view.state.lesson, view.state.text
    own = f"{{\n{lesson.own_parts.script.text}\n}}" if lesson.own_parts else ""
    arrays = {each.id: b64encode(each.data).decode() for each in view.arrays.values()}
    return PAGE.format(
        language=language,
        title=html.escape(title),
        question=html.escape(text.plain("question")) if "question" in text else "",
        style=_theme(),
        payload=_inside_script(view.payload.decode()),
        arrays=json.dumps(arrays),
        code=_inside_script(f"{library().text}\n{own}"),
        start=START,
    )


def _inside_script(text: str) -> str:
    """Text that cannot end the script element in which it stands."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def _theme() -> str:
    """The app's colours, light and dark, under the names by which Streamlit gives them to a component."""
    theme = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["theme"]
    light, dark = (
        "".join(f"{name}: {theme[kind][setting]}; " for setting, name in NAMES.items())
        for kind in ("light", "dark")
    )
    rest = "--st-font: system-ui, sans-serif; --st-button-radius: .6rem; --st-base-radius: .6rem; "
    rest += "--root-font: math; --st-border-color: color-mix(in srgb, var(--st-text-color) 20%, transparent); "
    rest += "--st-border-color-light: color-mix(in srgb, var(--st-text-color) 10%, transparent);"
    both = f":root {{ color-scheme: light dark; {light}{rest} }}"
    return f"{both}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}"


def write(link: str, target: Path) -> list[str]:
    """Write the file of the page that a link leads to, and return a sentence on each part that was not used."""
    parts = urlsplit(link)
    name = parts.path.strip("/") or "home"
    titles = {page.page: page.title for page in course.page_links(PAGES, with_home=True)}
    if name not in titles:
        raise faults.unknown(name, titles, "a page of the course")
    lesson = import_module(f"attention_lab.lessons.{name}").LESSON
    state, notices = lesson.parse(parse_qs(parts.query, keep_blank_values=True))
    target.write_text(web_page(lesson.view(state), titles[name]), encoding="utf-8")
    return notices


def main() -> int:
    """Write the file that the command line asks for."""
    parser = ArgumentParser(prog="lab.py export", description="Write a page's figure as one file for a browser.")
    parser.add_argument("link", help="a page, perhaps with settings: similarity, or similarity?word=phone")
    parser.add_argument("file", type=Path, help="where to write it, such as page.html")
    asked = parser.parse_args()
    try:
        notices = write(asked.link, asked.file)
    except (faults.Fault, OSError) as why:
        print(why, file=sys.stderr)
        return 2
    print(*notices, sep="\n", end="\n" if notices else "", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
