"""The first picture of a page: title, sentence and figure stand in its HTML and can be moved at once.

Streamlit's own code, which takes a second or two, is put off until the figure is drawn: to fetch it beside the
figure's code more than doubles the time to the figure, and brings its controls little earlier. Streamlit's
component of the page then takes the figure over as it is (`figure/browser/first.js`). What cannot be drawn so, or
not soon enough, is a page as Streamlit has it.
"""

import asyncio
import html
import json
import re
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

from attention_lab import course
from attention_lab.calculation import long_work
from attention_lab.calculation.caches import BoundedCache
from attention_lab.figure.browser_code import Script, library, words
from attention_lab.html_file.html_text import inline, json_in_html
from attention_lab.html_file.shell import link_preview, theme_colours
from attention_lab.lesson import Lesson, View
from attention_lab.lessons import lesson_named
from attention_lab.process import PROCESS
from attention_lab.root import ROOT
from attention_lab.state.predictions import Question
from attention_lab.state.shared_fields import SIDEBAR
from attention_lab.state.state import LANGUAGE
from attention_lab.text import ui_text
from attention_lab.text.languages import by_language, speaking

from . import first_style, language

HERE = Path(__file__).parent
START = (HERE / "first_start.js").read_text(encoding="utf-8")
PRESENTATION = Script("presentation", (HERE / "presentation.js").read_text(encoding="utf-8"))
PRESENTATION_STYLE = (HERE / "presentation.css").read_text(encoding="utf-8")
# What brings Streamlit's code and makes it run: it waits in a template. Its style sheet does not: with fonts that
# come later all text would be laid out anew.
STREAMLIT = re.compile(r'\s*(?:<script type="module"[^>]*></script>|<link\s[^>]*?rel="modulepreload"[^>]*>)')
TITLE = re.compile(r"<title>.*?</title>")
PATIENCE = 2.0  # s that a page waits for its first picture
MOST_WAITING = 16  # pictures to be made, beyond which pages do without
EMBEDDING = ("embed", "embed_options")


@dataclass(frozen=True)
class Picture:
    """What a page's HTML has more than Streamlit's: the page's title and promise, what stands in its body."""

    title: str
    promise: str
    body: str

    def put_into(self, page: str, image: str = "") -> str:
        """Streamlit's page with the picture. What starts Streamlit waits in a template.

        Where a link to the page is shown elsewhere, the picture at the address `image` stands beside it.
        """
        page, *after = page.partition("</head>")
        page += link_preview(self.title, self.promise, image)
        waiting = "".join(STREAMLIT.findall(page))
        page = TITLE.sub(lambda _: f"<title>{html.escape(self.title)}</title>", STREAMLIT.sub("", page), 1)
        begins = f'<template id="streamlit">{waiting}</template>\n<script>{START}</script>\n</body>'
        return page + "".join(after).replace("</body>", self.body + begins, 1)


class Pictures:
    """The first pictures of all pages, made one at a time in a thread of their own; the newest are kept."""

    def __init__(self) -> None:
        self._kept = BoundedCache(64, 8_000_000, shared=(Lesson,))
        self._thread = ThreadPoolExecutor(1, "first-picture")
        self._waiting = 0

    async def of(self, path: str, query: bytes, wishes: str = "") -> Picture | None:
        """Return the picture of the page at this address; None where it has none, or none that is soon there.

        The browser `wishes` for languages.
        """
        name = path.strip("/") or "home"
        if name not in _pages() or (name == "home") != (path == "/") or self._waiting >= MOST_WAITING:
            return None
        self._waiting += 1
        made = asyncio.get_running_loop().run_in_executor(
            self._thread, self._picture, name, query.decode("latin-1"), wishes
        )
        made.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(made), PATIENCE)
        except TimeoutError:
            return None

    def _done(self, made: asyncio.Future[Picture | None]) -> None:
        self._waiting -= 1
        if not made.cancelled():
            made.exception()  # whoever asked has heard of it, or has gone on without

    def _picture(self, name: str, query: str, wishes: str) -> Picture | None:
        lesson = lesson_named(name)
        if lesson.draw is None:
            return None
        asked = parse_qs(query, keep_blank_values=True)
        embedding = tuple(asked.pop(each, [""])[-1].lower() for each in EMBEDDING)
        # What a page shows at first is computed for its first reader; what a link asks for, only if it is quick.
        # A server for a class computes every page before it opens: no picture may wait behind readers' turns.
        own = {each.name for each in lesson.fields if not each.shared}
        try:
            with long_work.refused() if PROCESS.turns or own & set(asked) else nullcontext():
                state, _ = lesson.parse(asked, {LANGUAGE: language.of_link(asked, wishes)})
                key = lesson, tuple(state.link.items()), embedding
                if (kept := self._kept.get(key, self)) is not self:
                    return kept
                with speaking(state.language):
                    picture = _drawn(lesson.view(state).with_goals_shown(), *embedding)
        except long_work.TooLongError:
            return None
        return self._kept.put(key, picture)


@by_language()
def _pages() -> dict[str, str]:
    return {link.page: link.title for link in course.page_links(ROOT / "pages", with_home=True)}


def _drawn(view: View, embed: str, options: str) -> Picture:
    state, own = view.state, view.state.lesson.own_parts
    name, text = state.name, state.text
    title = text["title"] if name == "home" else _pages()[name]
    bare, present, hidden = embed == "true", state.values["present"], state.values["hide"]
    sideless = set(SIDEBAR) <= set(hidden)
    ways = {"bare": bare, "sideless": sideless, "present": present, "headlined": "headline" in text}
    theme = next((each.title() for each in ("dark", "light") if f"{each}_theme" in options), "")
    of = f'class="{" ".join(way for way, holds in ways.items() if holds)}" data-theme="{theme if bare else ""}"'
    payload = json_in_html(view.payload.decode())
    arrays = json.dumps({each.id: b64encode(each.data).decode() for each in view.arrays.values()})
    without = ui_text("first_picture/without_javascript", figure=state.lesson.title(state))
    # How large letters are for a projector is said before anything is drawn.
    scripts = [*([PRESENTATION] if present else []), library(), words(), *([own.script] if own else [])]
    sheets = {"embedded.css": bare, "without_sidebar.css": sideless}  # they hold once Streamlit is there, too
    of_link = ((HERE / sheet).read_text(encoding="utf-8") for sheet, holds in sheets.items() if holds)
    held = (first_style.held_open(f"#first .{what}", name, what) for what in ("head", "lead"))
    style = "".join([*of_link, _style(), *held])
    lines = [
        f"<style>{style}</style>",
        f'<style id="first-presentation">{PRESENTATION_STYLE}</style>' if present else "",
        f'<div id="first-side" {of}></div>',
        f'<div id="first" {of}><div class="block">',
        f'<div class="head"><h1>{html.escape(text.get("headline", title))}</h1></div>',
        f'<p class="promise">{_marked(state.lesson.promise(state))}</p>',
        f'<div class="lead">{"".join(_question(name, each) for each in view.questions)}</div>',
        f'<div class="figure"></div><noscript><p>{html.escape(without)}</p></noscript></div>',
        f'<p class="late" role="status" data-text="{html.escape(ui_text("first_picture/late"))}"></p></div>',
        f'<script type="application/json" id="first-payload">{payload}</script>',
        f'<script type="application/json" id="first-arrays">{arrays}</script>',
        *(f'<script type="module" src="./static/lab/{script.file}"></script>' for script in scripts),
    ]
    browser_title = course.window_title("" if name == "home" else title)
    return Picture(browser_title, text.plain("promise"), "\n".join(lines))


def _question(page: str, question: Question) -> str:
    """A question to be answered first, as it will stand above the figure.

    An answer that is chosen at once is given as soon as Streamlit's button of the same key is there.
    """
    if question.verdict is not None:
        return f'<div class="question"><p>{_marked(question.verdict_text)}</p></div>'
    own = html.escape(question.own) if question.own else _marked(question.text)
    asked = _marked(ui_text("guess/ask", question="{question}")).replace("{question}", own)
    answers = {f"guess-{place}": str(question.answers[place]) for place in question.options}
    answers["reveal"] = ui_text("guess/reveal")
    buttons = "".join(
        f'<button type="button" data-key="{page}-{key}">{html.escape(answer)}</button>'
        for key, answer in answers.items()
    )
    return f'<div class="question"><p>{asked}</p><div class="answers">{buttons}</div></div>'


def _marked(text: str) -> str:
    """A line of Markdown as HTML: its emphasis; of a link only its text."""
    return inline(re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text))


@cache
def _style() -> str:
    """How it looks, in the app's colours: light or dark as the system is, or as the reader has chosen."""
    light, dark = (f"{theme_colours(kind)}color-scheme:{kind};" for kind in ("light", "dark"))
    of = ":is(#first, #first-side)"
    return (
        f"{of}{{{light}}}@media(prefers-color-scheme:dark){{{of}:not([data-theme=Light]){{{dark}}}}}"
        f"{of}[data-theme=Dark]{{{dark}}}" + (HERE / "first_picture.css").read_text(encoding="utf-8")
    )
