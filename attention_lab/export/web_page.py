"""A page as one file that works without a server and without a network, and the whole course as such files.

The browser computes every number of a figure from the recorded calculation, so that the library, the lesson's
own parts and the payload are all that the figure needs. To write a page, or the course into a new folder::

    python3 lab.py export "similarity?word=phone" page.html
    python3 lab.py export course/
"""

from __future__ import annotations

import gzip
import html
import json
import re
import tomllib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from attention_lab import course, faults
from attention_lab.figure.binary_arrays import ID_LETTERS
from attention_lab.figure.browser_code import OwnParts, Script, library, words
from attention_lab.lesson import Lesson, View
from attention_lab.root import ROOT, program
from attention_lab.state.state import LANGUAGE
from attention_lab.text import ui_text
from attention_lab.text.languages import ENGLISH, LANGUAGES, language, speaking, spoken

from . import standalone
from .html_text import inline, to_html

HERE = Path(__file__).parent
PAGE = """<!doctype html>
<html lang="{language}" dir="{direction}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="Attention Lab">
<title>{title}</title>
<style>
{style}
</style>
{menu}
<main>
<h1>{title}</h1>
<p class="promise">{promise}</p>
<p id="notice" role="status" hidden></p>
<div id="figure"><noscript><p>{described}</p></noscript></div>
<article>
{text}
</article>
{neighbours}
<footer>
{footer}
</footer>
</main>
<script type="application/json" id="payload">{payload}</script>
<script type="application/gzip+base64" id="standalone">{standalone}</script>
{code}
<script type="module">
{start}
start();
</script>
</html>
"""
PAGE_LINK = re.compile(r'"page_link": ?"\w+", ?')  # in a figure; a page that stands alone has none
PAGES = ROOT / "pages"
SCRIPTS = "scripts"  # the folder of the scripts that the pages of a course share
SETTINGS = ROOT / ".streamlit" / "config.toml"
NAMES = {
    "primaryColor": "--st-primary-color",
    "backgroundColor": "--st-background-color",
    "secondaryBackgroundColor": "--st-secondary-background-color",
    "textColor": "--st-text-color",
}


def web_page(
    view: View,
    title: str,
    pages: Sequence[course.PageLink] = (),
    back: str = "",
    languages: Sequence[str] = (),
    scripts: Sequence[str] = (),
) -> str:
    """Return one HTML file that shows a view in its language: it can be moved, offline, wherever it is opened.

    With the other `pages` of the course it has a menu, and links to the pages before and after it. `back` is the
    address of the page in a running app, if there is one. The menu links to the page in the `languages`, by their
    codes: English lies at the top of the folder, each other language in a folder of its own. `scripts` are the
    addresses of its code; without them, the code is in the file.
    """
    with speaking(view.state.language):
        lesson, text = view.state.lesson, view.state.text
        return PAGE.format(
            language=language().code,
            direction=language().direction,
            title=html.escape(title),
            style=f"{_theme()}\n{(HERE / 'web_page.css').read_text(encoding='utf-8')}",
            menu=_menu(pages, lesson.name, languages),
            promise=inline(text.get("promise", "")),
            described=inline(text.get("figure", "")),
            text=to_html(text.get("text", "")),
            neighbours=_neighbours(pages, lesson.name),
            footer=_footer(view, back),
            payload=_inside_script(_without_links(view.payload.decode(), pages)),
            standalone=_packed(_without_links(json.dumps(_standalone(view)), pages)),
            code=_code(lesson.own_parts, scripts),
            start=_start(),
        )


@cache
def _start() -> str:
    # Put in as text: a file that was opened from a disk may load no module by its address.
    return (HERE / "web_page.js").read_text(encoding="utf-8").replace("export ", "")


def _without_links(payload: str, pages: Sequence[course.PageLink]) -> str:
    """A payload without links to other pages, where there are none."""
    return payload if pages else PAGE_LINK.sub("", payload)


def _standalone(view: View) -> dict[str, Any]:
    """What the page has in the place of Python."""
    return {
        "link": standalone.link_table(view.state),
        "choices": standalone.choices(view),
        "arrays": {each.id: b64encode(each.data[ID_LETTERS:]).decode() for each in view.arrays.values()},
        "said": {
            "link": ui_text("web_page/link_refused", command="{command}", settings="{settings}"),
            "example": ui_text("web_page/other_example", command="{command}"),
            "command": program("open"),
        },
    }


def _packed(text: str) -> str:
    return b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _scripts(own_parts: OwnParts | None) -> list[Script]:
    """The scripts that draw a figure, in the order in which they run."""
    return [words(), library(), *([own_parts.script] if own_parts else [])]


def _code(own_parts: OwnParts | None, addresses: Sequence[str]) -> str:
    """The code of a figure: by its addresses, or packed into the page."""
    if addresses:
        return "\n".join(f'<script defer src="{html.escape(each)}"></script>' for each in addresses)
    text = "\n".join(f"{{\n{script.text}\n}}" for script in _scripts(own_parts))
    return f'<script type="application/gzip+base64" id="code">{_packed(text)}</script>'


def _menu(pages: Sequence[course.PageLink], here: str, languages: Sequence[str]) -> str:
    """Every page of the course as a link, by its part, and this page in every language."""
    if not pages:
        return ""
    sections: dict[str, list[str]] = {}
    for page in pages:
        current = ' aria-current="page"' if page.page == here else ""
        title, file = html.escape(page.title), _file(page.page)
        link = f'<a href="{file}" data-page="{page.page}"{current}>{title}</a>'
        sections.setdefault(page.section, []).append(f"<li>{link}</li>")
    top = "" if spoken() == ENGLISH else "../"
    for code in languages:
        current = ' aria-current="true"' if code == spoken() else ""
        file = f"{top}{'' if code == ENGLISH else f'{code}/'}{_file(here)}"
        link = f'<a href="{file}" lang="{code}"{current}>{LANGUAGES[code].name}</a>'
        sections.setdefault(ui_text("sidebar/language"), []).append(f"<li>{link}</li>")
    parts = "".join(f"<h2>{html.escape(name)}</h2><ul>{''.join(of)}</ul>" for name, of in sections.items())
    return f'<nav aria-label="{html.escape(ui_text("web_page/menu"))}">{parts}</nav>'


def _neighbours(pages: Sequence[course.PageLink], here: str) -> str:
    """Links to the pages before and after."""
    names = [page.page for page in pages]
    if here not in names:
        return ""
    place = names.index(here)
    links = "".join(
        f'<a rel="{rel}" href="{_file(page.page)}">{html.escape(page.title)}</a>'
        for rel, beside in (("prev", pages[max(place - 1, 0) : place]), ("next", pages[place + 1 : place + 2]))
        for page in beside
    )
    return f'<nav class="neighbours" aria-label="{html.escape(ui_text("web_page/neighbours"))}">{links}</nav>'


def _file(page: str) -> str:
    """The name of a page's file in a folder of the course."""
    return "index.html" if page == "home" else f"{page}.html"


def _footer(view: View, back: str) -> str:
    """Where the numbers come from, what needs the app, the way back to it, and the licence."""
    source = view.state.text.get("source", "")
    lines = [inline(ui_text("web_page/source", source=source))] if source else []
    lines += [inline(ui_text("web_page/alone"))]
    if urlsplit(back).scheme in ("http", "https"):
        query = urlencode(view.link)
        address = html.escape(f"{back}?{query}" if query else back)
        lines += [f'<a href="{address}">{html.escape(ui_text("web_page/back"))}</a>']
    lines += [inline(ui_text("web_page/licence"))]
    return "\n".join(f"<p>{line}</p>" for line in lines)


def _inside_script(text: str) -> str:
    """Text that cannot end the script element in which it stands."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def theme_colours(kind: str) -> str:
    """Return the app's colours, ``light`` or ``dark``, under the names of Streamlit's components."""
    theme = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["theme"][kind]
    return "".join(f"{name}: {theme[setting]}; " for setting, name in NAMES.items())


def _theme() -> str:
    """The app's colours as a style sheet, light or dark as the system is."""
    light, dark = map(theme_colours, ("light", "dark"))
    rest = "--st-font: system-ui, sans-serif; --st-button-radius: .6rem; --st-base-radius: .6rem; "
    rest += "--root-font: math; --st-border-color: color-mix(in srgb, var(--st-text-color) 20%, transparent); "
    rest += "--st-border-color-light: color-mix(in srgb, var(--st-text-color) 10%, transparent);"
    both = f":root {{ color-scheme: light dark; {light}{rest} }}"
    return f"{both}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}"


def lesson_named(name: str) -> Lesson:
    """Return the lesson of a page."""
    return import_module(f"attention_lab.lessons.{name}").LESSON


def pages_by_name() -> dict[str, course.PageLink]:
    """Return the link of every page by its name, which is its address, too."""
    return {page.page: page for page in course.page_links(PAGES, with_home=True)}


def write(link: str, target: Path, code: str | None = None, force: bool = False) -> list[str]:
    """Write the file of the page that a link leads to, and return a sentence on each part that was not used.

    It is in the link's language, else in that of the `code`. Raises `FileExistsError` for a file that is there
    already: it is overwritten by `force` alone.
    """
    parts = urlsplit(link)
    name = parts.path.strip("/") or "home"
    pages = pages_by_name()
    if name not in pages:
        raise faults.unknown(name, pages, "a page of the course")
    lesson = lesson_named(name)
    known = {LANGUAGE: code} if code else None
    state, notices = lesson.parse(parse_qs(parts.query, keep_blank_values=True), known)
    with speaking(state.language):
        title = pages[name].title
    if target.is_dir():
        raise FileExistsError(f"{target} is a folder. Name a file in it, such as {target / name}.html.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.parent}. Make it, or choose another one.")
    if target.exists() and not force:
        raise FileExistsError(f"{target} already exists. Choose another name, or overwrite it with --force.")
    _save(web_page(lesson.view(state), title), target)
    return notices


def _save(text: str, file: Path) -> None:
    """Write the whole file or nothing, whatever was there before."""
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def write_course(folder: Path, languages: Sequence[str] = (ENGLISH,), force: bool = False) -> list[Path]:
    """Write every page of the course into a folder, and return the files.

    The first of the `languages` lies at the top, each other in a folder of its own. Raises `FileExistsError` for
    a folder that holds anything: files in it are overwritten by `force` alone.
    """
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file. Choose a new folder.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise FileExistsError(
            f"{folder} is not empty. Choose a new folder, or overwrite the pages in it with --force."
        )
    files = []
    for code in languages:
        inside = folder if code == languages[0] else folder / code
        inside.mkdir(parents=True, exist_ok=True)
        with speaking(code):
            files += _write_pages(folder, inside, code, languages if len(languages) > 1 else ())
    return files


def _write_pages(top: Path, folder: Path, code: str, languages: Sequence[str]) -> Iterator[Path]:
    """Write every page in one language into a folder, and the scripts that it needs at the `top`."""
    pages = course.page_links(PAGES, with_home=True)
    up = "" if folder == top else "../"
    for page in pages:
        lesson = lesson_named(page.page)
        view = lesson.view(lesson.parse({})[0], language=code)
        scripts = _scripts(lesson.own_parts)
        addresses = [f"{up}{SCRIPTS}/{script.file}" for script in scripts]
        file = folder / _file(page.page)
        _save(web_page(view, page.title, pages, languages=languages, scripts=addresses), file)
        for script in scripts:
            _save_once(script, top / SCRIPTS)
        yield file


def _save_once(script: Script, folder: Path) -> None:
    """Write a script that several pages need, unless it is there: its name says what is in it.

    A file that was opened from a disk may load a script, and no module.
    """
    folder.mkdir(exist_ok=True)
    if not (file := folder / script.file).exists():
        _save(f"(() => {{\n'use strict';\n{script.text}\n}})();\n", file)
