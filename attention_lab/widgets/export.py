"""What can be taken home: the table behind a picture, the picture, the calculation as a program, the link."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from attention_lab.export import LIBRARIES, clip, csv, notebook, program
from attention_lab.export.web_page import web_page
from attention_lab.lesson import Program
from attention_lab.state.state import GOAL
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.languages import ENGLISH, speaking, spoken
from attention_lab.text.number_format import format_number

from . import class_link, figure_component
from .page_layout import reset, tool
from .session import Page

TABS = ("take_away/picture", "take_away/class", "take_away/table", *(f"take_away/{name}" for name in LIBRARIES))


def group(page: Page) -> None:
    """What is always at hand, at the end of a page's head, where it has a figure: undo, redo, reset, export."""
    if page.lesson.fault(page.state):
        return
    with st.container(horizontal=True, width="content", gap=None, key="steps"):
        reset(page)
        menu(page)


@tool("take_away")
def menu(page: Page) -> None:
    """One menu for all of it; it is filled only once it is opened, and tables and programs once they are."""
    drawer = st.popover(
        ui_text("take_away"), icon=":material/share:", on_change="rerun", key=page.key("take_away")
    )
    if not drawer.open:
        return
    picture, for_class, table, *_ = TABS
    tabs = [picture, *([for_class] if GOAL in page.state.values else [])]
    hidden = page.session.results_hidden
    if not hidden:  # a long program is thousands of elements on the page
        tabs += TABS[2:] if page.lesson.exported(page.state) else [table]
    more = {} if hidden else {"on_change": "rerun", "key": page.key("take_away.tab")}
    with drawer:
        boxes = dict(zip(tabs, st.tabs([*map(ui_text, tabs)], **more), strict=True))
    with boxes[picture]:
        if hidden:
            st.markdown(ui_text("take_away/guess_first"))
        _browser_part(page)
        if not hidden and page.lesson.draw is not None and page.lesson.exported(page.state):
            _web_page(page)
    if for_class in boxes:  # open or not: what is chosen there would be forgotten
        with boxes[for_class]:
            class_link.form(page)
    if hidden:
        return
    if boxes[table].open:
        with boxes[table]:
            _tables(page, page.lesson.tables(page.state))
    for library in LIBRARIES:
        if (box := boxes.get(f"take_away/{library}")) and box.open:
            with box:
                _program(page, library, page.lesson.program(page.state))


def _tables(page: Page, tables: Mapping[str, pd.DataFrame]) -> None:
    """Tables in the reader's language; as files with English headings, as machines read them."""
    files = tables
    if spoken() != ENGLISH:
        with speaking(ENGLISH):
            files = page.lesson.tables(page.state)
    for (shown, table), (title, written) in zip(tables.items(), files.items(), strict=False):
        st.caption(shown)
        st.table(_shown(table))
        file = f"{page.name} {title}.csv".replace(" ", "_")
        _download(ui_text("take_away/csv"), csv(written), file, "text/csv", page.key(f"csv.{title}"))


def _web_page(page: Page) -> None:
    """A button that hands over the page as it stands, written only once it is clicked."""
    title, back = page.text["title"], class_link.address()
    _download(
        ui_text("web_page/download"),
        lambda: web_page(page.view(), title, back=back).encode(),
        f"{page.name}.html",
        "text/html",
        page.key("web_page"),
        ui_text("web_page/help"),
    )


def _program(page: Page, library: str, constants: Mapping[str, Any]) -> None:
    name, files = (constants.name, constants.files) if isinstance(constants, Program) else (page.name, {})
    text = program(library, name, constants)
    st.code(text, language="python")
    link = f"{class_link.address()}?{urlencode(page.state.link)}"
    introduction = f"# {page.text['title']}\n\n{ui_text('take_away/introduction', link=link)}"
    with st.container(horizontal=True):
        _download(
            ui_text("take_away/download"),
            text.encode(),
            f"{name}_{library}.py",
            "text/x-python",
            page.key(library),
        )
        _download(
            ui_text("take_away/notebook"),
            lambda: notebook(library, name, constants, introduction).encode(),
            f"{name}_{library}.ipynb",
            "application/x-ipynb+json",
            page.key(f"{library}.notebook"),
        )
    for read, path in files.items():
        label, key = ui_text("take_away/file", name=read), page.key(f"{library}.{read}")
        _download(label, _contents(path), read, "application/octet-stream", key)


@lru_cache(128)
def _contents(path: Path) -> bytes:
    """What a shipped file holds, read once: a menu is made at every run of its page."""
    return path.read_bytes()


def _download(
    label: str, data: bytes | Callable[[], bytes], file: str, kind: str, key: str, about: str | None = None
) -> None:
    """A button that hands over a file and runs nothing.

    A run of the whole page begins by letting go of its files. Were a click to start one, two other readers' runs
    that end meanwhile would take the file away before the browser has asked for it.
    """
    st.download_button(label, data, file, kind, key=key, on_click="ignore", help=about)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """A table as the page shows it: numbers as everywhere, and words as the text they are."""
    return table.map(lambda x: format_number(x) if isinstance(x, float) else escape_markdown(str(x))).rename(
        index=lambda x: escape_markdown(str(x)), columns=lambda x: escape_markdown(str(x))
    )


def _browser_part(page: Page) -> None:
    figure_component.bring(clip.CLIP)
    figure_component.browser_only(
        page,
        [
            {
                "kind": "copy_link",
                "text": ui_text("take_away/copy"),
                "done": ui_text("take_away/copied"),
                "label": ui_text("take_away/address"),
            },
            *([clip.button(page.name)] if page.lesson.program is not None else []),
            {
                "kind": "save_picture",
                "page": page.name,
                "svg": ui_text("take_away/svg"),
                "png": ui_text("take_away/png"),
            },
            {"kind": "print_page", "text": ui_text("take_away/print")},
        ],
        own=clip.CLIP,
    )
