"""What surrounds every page: menu, sidebar, links to the previous and next page, glossary."""

import gc
import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from attention_lab import text as prose
from attention_lab.course import address, files, title
from attention_lab.figure import terms
from attention_lab.figure.terms import INTRODUCTION
from attention_lab.state.shared_fields import ROOM, SIDEBAR
from attention_lab.state.state import LANGUAGE
from attention_lab.text import languages, ui_text
from attention_lab.text.typed_text import clean_line

from . import language
from .first_picture import PRESENTATION
from .page_layout import dialog
from .session import begin_again

HERE = Path(__file__).parent
ASSETS = HERE.parent / "assets"


@cache
def freeze_heap() -> None:
    """Once a process: what start-up made stays for good, so the collector need never look at it again."""
    gc.collect()
    gc.freeze()


def menu(folder: Path) -> dict[str, list[StreamlitPage]]:
    """Streamlit's pages by section."""
    first = next(iter(files(folder).values()))[0]
    return {
        section: [
            st.Page(
                path,
                title=title(path),
                url_path="" if path == first else address(path),
                default=path == first,
            )
            for path in paths
        ]
        for section, paths in files(folder).items()
    }


def enter_page(page: StreamlitPage) -> None:
    """A page that one comes back to is opened anew: Streamlit has forgotten its widgets and its address."""
    if st.session_state.get("page") != page.url_path:
        st.session_state["page"] = page.url_path
        st.session_state.pop("page_open", None)
        before = languages.spoken()
        language.enter()
        if languages.spoken() != before:  # the link brings another, and the menu is drawn
            st.rerun()


@cache
def icon() -> str:
    """The picture in the browser's tab, in full: of a file Streamlit would keep account for every session."""
    return f"data:image/png;base64,{b64encode((ASSETS / 'favicon.png').read_bytes()).decode()}"


@cache
def logo() -> str:
    """The course's name and mark as a picture, in full."""
    return f"data:image/svg+xml;base64,{b64encode((ASSETS / 'logo.svg').read_bytes()).decode()}"


def apply_style() -> None:
    """How every page looks, beyond the theme and `first_style`: its name above the menu, printed, embedded."""
    st.logo(str(ASSETS / "logo.svg"), size="large", icon_image=str(ASSETS / "mark.svg"))
    st.html(HERE / "print.css")
    if st.context.is_embedded:
        st.html(HERE / "embedded.css")
    spoken = languages.language()
    words = {name: ui_text(f"sidebar/{name}") for name in ("skip", "home", "close", "open", "name", "pages")}
    words["choose"] = prose.read("own_attention")["open/choose"]
    told = {"lang": spoken.code, "dir": spoken.direction, "done": ui_text("page_links/done")}
    _menu(key="menu", data=json.dumps(told | words), height=0)


def hide_sidebar() -> None:
    """Take the sidebar away, and the button that opens it."""
    st.html(HERE / "without_sidebar.css")


def sidebar() -> None:
    """What holds for all pages: orientation, predict first, presentation, glossary, reset.

    Without what the page's link hides.
    """
    hidden = st.session_state.get("hide", ())
    if "menu" in hidden:
        st.html(HERE / "without_menu.css")
    if set(SIDEBAR) <= set(hidden):
        hide_sidebar()
    with st.sidebar:
        language.choose()
        if "orientation" not in hidden:
            st.segmented_control(
                ui_text("sidebar/orientation"),
                ["rows", "columns"],
                key="orientation",
                required=True,
                format_func=lambda way: ui_text(f"sidebar/{way}"),
                help=ui_text("sidebar/orientation_help"),
            )
        for name in ("predict", "present"):
            if name not in hidden:
                st.toggle(ui_text(f"sidebar/{name}"), key=name, help=ui_text(f"sidebar/{name}_help"))
        with st.container(horizontal=True):
            if "glossary" not in hidden and st.button(ui_text("sidebar/glossary"), icon=":material/menu_book:"):
                glossary()
            if "reset_all" not in hidden:
                st.button(
                    ui_text("sidebar/reset_all"),
                    icon=":material/restart_alt:",
                    key="reset_all",  # menu.js forgets then which pages are done
                    on_click=_reset_all,
                    help=ui_text("sidebar/reset_all_help"),
                )


def foot() -> None:
    """The sidebar's foot: light or dark, print, who made the app and under which licences."""
    with st.sidebar:
        with st.container(horizontal=True):  # menu.js does what the buttons say
            theme, theme_help = ui_text("sidebar/theme"), ui_text("sidebar/theme_help")
            st.button(theme, icon=":material/contrast:", key="theme", help=theme_help, type="tertiary")
            st.button(ui_text("take_away/print"), icon=":material/print:", key="print", type="tertiary")
        with st.expander(ui_text("sidebar/about")):
            st.caption(ui_text("sidebar/about_text"))


def _reset_all() -> None:
    kept = {name: st.session_state.get(name) for name in (ROOM, LANGUAGE)}  # a class's room is nobody's own
    begin_again({name: [value] for name, value in kept.items() if value})


@dialog(lambda: ui_text("sidebar/glossary"), width="large")
def glossary() -> None:
    """One way to speak, and how the articles' words map to it."""
    text = prose.read("glossary")
    st.markdown(text[INTRODUCTION])
    label, placeholder = ui_text("glossary/look_for"), ui_text("glossary/placeholder")
    sought = clean_line(st.text_input(label, placeholder=placeholder, key="sought")).casefold()
    entries = {terms.displayed(text, term): text[term] for term in terms.in_order(text)}
    found = {term: told for term, told in entries.items() if sought in f"{term} {told}".casefold()}
    if not found:
        st.caption(ui_text("glossary/nothing", terms=prose.listed(entries)))
    for term in sorted(found, key=lambda term: sought not in term.casefold()):  # its name before its mention
        st.markdown(f"**{prose.symbols(term)}** — {found[term]}")


_menu = st.components.v2.component("menu", js=(HERE / "menu.js").read_text(encoding="utf-8"))
_projector = st.components.v2.component("projector", js=PRESENTATION.text)


def presentation(current: StreamlitPage, pages: Sequence[StreamlitPage]) -> None:
    """The page for a projector, where the reader or the address wants it: pages before and after, a way back."""
    if not st.session_state.get("present"):
        return
    st.html(HERE / "presentation.css")
    with st.container(horizontal=True, horizontal_alignment="right", gap="small", key="projector"):
        for name, page, icon in zip(
            ("before", "after"), neighbours(current, pages), ("arrow_back", "arrow_forward"), strict=True
        ):
            if page is not None:
                with st.container(key=name, width="content"):
                    st.page_link(
                        page, icon=f":material/{icon}:", help=ui_text(f"sidebar/{name}", page=page.title)
                    )
        st.button(
            ui_text("sidebar/leave"),
            icon=":material/close_fullscreen:",
            on_click=lambda: st.session_state.update(present=False),
            type="tertiary",
        )
        _projector(key="projector.fitted", height=0)


def neighbours(
    current: StreamlitPage, pages: Sequence[StreamlitPage]
) -> tuple[StreamlitPage | None, StreamlitPage | None]:
    """The pages before and after this one, None where there is none."""
    place = next(i for i, page in enumerate(pages) if page.url_path == current.url_path)
    around = (None, *pages, None)
    return around[place], around[place + 2]


def previous_next(current: StreamlitPage, pages: Sequence[StreamlitPage]) -> None:
    """Links to the pages before and after this one."""
    with st.container(key="neighbours"):
        columns, icons = st.columns(2), ("arrow_back", "arrow_forward")
    for column, page, icon in zip(columns, neighbours(current, pages), icons, strict=True):
        if page is not None:
            column.page_link(page, icon=f":material/{icon}:")
