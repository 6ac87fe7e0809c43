"""A page as one file that works without a server and without a network, and the whole course as such files.

The browser computes every number of a figure from the recorded calculation, so that the library, the lesson's
own parts and the payload are all that the figure needs. To write a page, or the course into a new folder::

    python3 lab.py export "similarity?word=phone" page.html
    python3 lab.py export course/
"""

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from attention_lab import course, faults, fonts
from attention_lab.figure import terms
from attention_lab.figure.words import turn_words
from attention_lab.html_file.html_text import inline, to_html
from attention_lab.html_file.shell import (
    code_of_figure,
    figure_place,
    figure_scripts,
    html_file,
    link_preview,
    packed,
    packed_script,
    save,
)
from attention_lab.lesson import View
from attention_lab.lessons import lesson_named
from attention_lab.root import ROOT, program
from attention_lab.state.state import LANGUAGE, State
from attention_lab.text import read, ui_text
from attention_lab.text.languages import ENGLISH, LANGUAGES, speaking, spoken

from . import questions, standalone
from .cards import STYLE as CARDS_STYLE
from .cards import cards

HERE = Path(__file__).parent
MAIN = """<p class="promise">{promise}</p>{missing}
<p id="notice" role="status" hidden></p>
<div class="tools">
<form id="settings"></form>
<label id="predict" title="{predict_help}" hidden><input type="checkbox" class="switch"> {predict}</label>
<button type="button" class="plain" id="reset" title="{reset_help}">{reset}</button>
<div id="turns"></div>
</div>
<div id="questions"></div>
{figure}
<article>
{text}
</article>{cards}
{neighbours}
<footer>
{footer}
</footer>"""
# A server sends the page with this head in the place of any page that there isn't, so that its links need a base.
NOT_FOUND = """<meta name="robots" content="noindex">
<base href="{base}">"""
TAB_ICON = '<link rel="icon" type="image/png" href="{up}favicon.png">'
ROBOTS = "User-agent: *\nDisallow:\n"  # nothing is disallowed
BASE = re.compile(r"(?:https?://[^/\s\"<>]+)?/(?:[^\s\"<>]*/)?")
PAGE_LINK = re.compile(r'"page_link": ?"\w+", ?')  # in a figure; a page that stands alone has none
PAGES = ROOT / "pages"
DATA = "attention_lab.files['{name}'] = '{letters}';\n"  # numbers, or a page with other settings, as a script
NO_SETTINGS: Mapping[str, Any] = {"settings": {}, "variants": [{"settings": {}, "file": ""}]}
GLOSSARY = "glossary"
SCRIPTS = "scripts"  # the folder of the scripts and fonts that the pages of a course share
STYLE = f"{(HERE / 'web_page.css').read_text(encoding='utf-8')}\n{CARDS_STYLE}"
ASSETS = HERE.parent / "assets"
PREVIEW, ICON = "preview.png", "favicon.png"  # what a link to the course looks like elsewhere, and in a tab


@dataclass(frozen=True)
class Site:
    """A folder of pages, in one or more languages: the first lies at the top, each other in a folder of its own.

    The `base` is the path or the address at which a server will have the folder.
    """

    languages: Sequence[str]
    base: str = "/"

    def __post_init__(self) -> None:
        if not BASE.fullmatch(self.base):
            raise faults.AuthoringError(
                f"{self.base!r} can't be a base. Write the folder's path on the server, such as /attention/, or "
                "its whole address."
            )

    @property
    def pages(self) -> Sequence[course.PageLink]:
        """The pages of the course, in the language that is spoken."""
        return course.page_links(PAGES, with_home=True)

    @property
    def up(self) -> str:
        """The way from a page in the language that is spoken to the top of the folder."""
        return "" if spoken() == self.languages[0] else "../"

    @property
    def scripts(self) -> str:
        """The way from a page in the language that is spoken to what the pages share."""
        return f"{self.up}{SCRIPTS}/"

    def folder_of(self, code: str) -> str:
        """The way from the top of the folder to the pages in a language."""
        return "" if code == self.languages[0] else f"{code}/"


def web_page(
    view: View,
    title: str,
    back: str = "",
    site: Site | None = None,
    settings: Mapping[str, Any] = NO_SETTINGS,
) -> str:
    """Return one HTML file that shows a view in its language: it can be moved, offline, wherever it is opened.

    On a `site` it has a menu, links to the pages before and after it, the addresses of its code and its arrays,
    and the `settings` that can be chosen beside its figure (see `standalone.settings_table`); else the code and
    the arrays are in the file. `back` is the address of the page in a running app, if there is one.
    """
    with speaking(view.state.language):
        lesson, text = view.state.lesson, view.state.text
        main = MAIN.format(
            promise=inline(lesson.promise(view.state)),
            missing=f'\n<p class="note">{inline(missing)}</p>' if (missing := lesson.missing_models()) else "",
            predict=html.escape(ui_text("sidebar/predict")),
            predict_help=html.escape(ui_text("sidebar/predict_help")),
            reset=html.escape(ui_text("reset")),
            reset_help=html.escape(ui_text("reset/help")),
            figure=figure_place(text.get("figure", "")),
            text=_article(view.state),
            cards=cards(course.page_links(PAGES), _file) if site and lesson.name == "home" else "",
            neighbours=_neighbours(site.pages, lesson.name) if site else "",
            footer=_footer(view, back),
        )
        table = json.dumps(_standalone(view, site) | settings)
        scripts = figure_scripts(
            _for_site(view.payload.decode(), site),
            HERE / "web_page.js",
            lesson.own_parts,
            folder=site and site.scripts,
            more=packed_script("standalone", _for_site(table, site)),
        )
        head = _head(site, title, text.plain("promise")) if site else ""
        return _shell(title, main, head, site, lesson.name, scripts, text.get("headline", ""))


def _shell(
    title: str,
    main: str,
    head: str = "",
    site: Site | None = None,
    here: str = "",
    scripts: str = "",
    headline: str = "",
) -> str:
    """A page of the course, or one that stands alone."""
    return html_file(
        title,
        main,
        head=head,
        style=STYLE,
        menu=_menu(site, here) if site else "",
        scripts=scripts,
        headline=headline,
        folder=site and site.scripts,
    )


def _article(state: State) -> str:
    return "\n".join(to_html(state.text.get(section, "")) for section in state.lesson.paragraphs(state))


def _for_site(payload: str, site: Site | None) -> str:
    """A payload; without a site, it has no links to other pages."""
    return payload if site else PAGE_LINK.sub("", payload)


def _head(site: Site, title: str, promise: str) -> str:
    return link_preview(title, promise, site.base + PREVIEW) + TAB_ICON.format(up=site.up)


def _standalone(view: View, site: Site | None) -> dict[str, Any]:
    """What the page has in the place of Python."""
    return standalone.tables(view) | {
        "folder": site and site.scripts,
        "files": {} if site else dict(_arrays(view)),
        "notices": {
            "link": ui_text("web_page/link_refused", command="{command}", settings="{settings}"),
            "damaged": ui_text("left_out/notice", settings="{settings}"),
            "example": ui_text("web_page/other_example", command="{command}"),
            "goal": ui_text("web_page/other_goal", command="{command}"),
            "training": ui_text("web_page/other_training", command="{command}"),
            "missing": ui_text("web_page/file_missing", file="{file}"),
            "command": program("open"),
        },
        "questions": questions.texts(),
        "turns": {"of": view.state.name, **turn_words()},
    }


def _arrays(view: View) -> Iterator[tuple[str, str]]:
    """The arrays of a figure: their ids, and their numbers in letters."""
    for each in standalone.arrays(view).values():
        yield each.id, b64encode(each.data).decode()


def _variant(view: View, site: Site) -> str:
    """What a page has of its own with other settings."""
    data = {"payload": view.data, "article": _article(view.state)} | standalone.tables(view)
    return packed(_for_site(json.dumps(data), site))


def _glossary() -> str:
    text = read("glossary")
    of = {terms.displayed(text, term): text[term] for term in terms.in_order(text)}
    entries = [f"<dt>{html.escape(term)}</dt>\n<dd>{to_html(means)}</dd>" for term, means in of.items()]
    return "\n".join([to_html(text[terms.INTRODUCTION]), "<dl>", *entries, "</dl>"])


def _menu(site: Site, here: str) -> str:
    """Every page of the course as a link, by its part; the glossary; and this page in every language."""
    sections: dict[str, list[str]] = {}
    for page in site.pages:
        current = ' aria-current="page"' if page.page == here else ""
        title, file = html.escape(page.title), _file(page.page)
        link = f'<a href="{file}" data-page="{page.page}"{current}>{title}</a>'
        sections.setdefault(page.section, []).append(f"<li>{link}</li>")
    current = ' aria-current="page"' if here == GLOSSARY else ""
    link = f'<a href="{_file(GLOSSARY)}"{current}>{html.escape(ui_text("sidebar/glossary"))}</a>'
    next(iter(sections.values())).append(f"<li>{link}</li>")
    for code in site.languages if len(site.languages) > 1 else ():
        current = ' aria-current="true"' if code == spoken() else ""
        file = f"{site.up}{site.folder_of(code)}{_file(here or 'home')}"
        link = f'<a href="{file}" lang="{code}"{current}>{LANGUAGES[code].name}</a>'
        sections.setdefault(ui_text("sidebar/language"), []).append(f"<li>{link}</li>")
    parts = "".join(f"<h2>{html.escape(name)}</h2><ul>{''.join(of)}</ul>" for name, of in sections.items())
    return f'<nav aria-label="{html.escape(ui_text("web_page/menu"))}">{parts}</nav>'


def _neighbours(pages: Sequence[course.PageLink], here: str) -> str:
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
    return "index.html" if page == "home" else f"{page}.html"


def _footer(view: View, back: str) -> str:
    """Where the numbers come from, what needs the app, the way back to it, and the licence."""
    source = view.state.text.get("source", "")
    lines = [inline(ui_text("web_page/source", source=source))] if source else []
    lines += [inline(ui_text("web_page/alone", command=f"`{program('open')}`"))]
    if urlsplit(back).scheme in ("http", "https"):
        query = urlencode(view.link)
        address = html.escape(f"{back}?{query}" if query else back)
        lines += [f'<a href="{address}">{html.escape(ui_text("web_page/back"))}</a>']
    lines += [inline(ui_text("web_page/licence"))]
    return "\n".join(f"<p>{line}</p>" for line in lines)


def pages_by_name() -> dict[str, course.PageLink]:
    """Return the link of every page by its name, which is its address, too."""
    return {page.page: page for page in course.page_links(PAGES, with_home=True)}


def write(link: str, target: Path, code: str | None = None, force: bool = False) -> list[str]:
    """Write the file of the page that a link leads to, and return a sentence on each part that was not used.

    Where the page has no figure, the last sentence says why.

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
    save(web_page(lesson.view(state), title), target)
    return [*notices, fault] if (fault := lesson.fault(state)) else notices


def write_course(
    folder: Path, languages: Sequence[str] = (ENGLISH,), force: bool = False, base: str = "/"
) -> dict[Path, Set[str]]:
    """Write every page of the course into a folder. Return their files, each with the model files that it lacks.

    The first of the `languages` lies at the top, each other in a folder of its own. The `base` is the path or the
    address at which a server will have the folder. Raises `FileExistsError` for a folder that holds anything:
    files in it are overwritten by `force` alone.
    """
    site = Site(languages, base if base.endswith("/") else f"{base}/")
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file. Choose a new folder.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise FileExistsError(
            f"{folder} is not empty. Choose a new folder, or overwrite the pages in it with --force."
        )
    write_language = partial(_write_language, folder, site)
    if len(languages) > 1:  # a process each: they take long, and share nothing
        try:
            with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
                written = [*pool.map(write_language, languages)]
        except BrokenProcessPool:
            raise ChildProcessError(
                "A process that wrote a language was ended, perhaps because memory ran out. Write one language "
                "at a time with --language."
            ) from None
    else:
        written = [write_language(languages[0])]
    with speaking(languages[0]):
        text = f"<p>{html.escape(ui_text('web_page/not_found_text'))}</p>"
        head = NOT_FOUND.format(base=html.escape(urlsplit(site.base).path))
        save(_shell(ui_text("web_page/not_found"), text, head, site), folder / "404.html")
    save(ROBOTS, folder / "robots.txt")
    for picture in (PREVIEW, ICON):
        (folder / picture).write_bytes((ASSETS / picture).read_bytes())
    for name, body in fonts.files().items():
        (folder / SCRIPTS / name).write_bytes(body)
    return dict(chain(*written))


def _write_language(top: Path, site: Site, code: str) -> list[tuple[Path, Set[str]]]:
    (top / site.folder_of(code)).mkdir(parents=True, exist_ok=True)
    with speaking(code):
        return [*_write_pages(top, site)]


def _write_pages(top: Path, site: Site) -> Iterator[tuple[Path, Set[str]]]:
    """Write every page in the language that is spoken, and the scripts that it needs at the `top`.

    Iterate over their files, each with the model files without which it has no figure, or not all of them.
    """
    folder = top / site.folder_of(spoken())
    save(_shell(ui_text("sidebar/glossary"), _glossary(), "", site, GLOSSARY), folder / _file(GLOSSARY))
    for page in site.pages:
        lesson = lesson_named(page.page)
        variants = standalone.variants(lesson)
        first, *others = (variant.view for variant in variants)
        texts = [_variant(view, site) for view in others]
        names = [f"{page.page}_{spoken()}.{sha256(text.encode()).hexdigest()[:16]}" for text in texts]
        settings = standalone.settings_table(variants, ["", *names])
        file = folder / _file(page.page)
        save(web_page(first, first.state.text.plain("title"), site=site, settings=settings), file)
        for script in code_of_figure(lesson.own_parts):
            # A file that was opened from a disk may load a script, and no module.
            _save_once(f"(() => {{\n'use strict';\n{script.text}\n}})();\n", top / SCRIPTS / script.file)
        arrays = chain.from_iterable(map(_arrays, (first, *others)))
        for name, letters in chain(arrays, zip(names, texts, strict=True)):
            _save_once(DATA.format(name=name, letters=letters), top / SCRIPTS / f"{name}.js")
        yield file, {lesson.missing_file(variant.view.state) for variant in variants} - {""}


def _save_once(text: str, file: Path) -> None:
    """Write a script that several pages may need, unless it is there: its name says what is in it."""
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        save(text, file)
