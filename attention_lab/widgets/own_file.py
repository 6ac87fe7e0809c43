"""A file of the reader's own: where it is opened, what is shown of it, and how one is made."""

import json
from dataclasses import replace
from pathlib import Path

import streamlit as st

from attention_core import load_gallery
from attention_lab import streamlit_internals
from attention_lab.lessons import own_attention as lesson
from attention_lab.own_attention import page as view_page
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import format_whole

from . import page_layout
from .session import Page

HERE = Path(__file__).parent
NEWEST = "own_attention.newest"  # in the session: the file that was opened last, for a link that leads back to it
ASKED = (
    "own_attention.asked"  # in the session: how many files were opened. Streamlit forgets one with its widget.
)


def opener(page: Page) -> None:
    """Draw where a file is opened, and what is said of the one that is shown."""
    if (
        page.state.file.view is None
        and (newest := st.session_state.get(NEWEST))
        and newest.id == page.state.file.id
    ):
        page.put(**lesson.opened(page.state, newest))
        st.rerun()
    with st.container(key="own_file"):
        if most := st.get_option("server.maxUploadSize"):
            _upload(page, most)
        else:
            st.markdown(page.text["open/none"])
        page_layout.refusal(page, "file")
        _shown(page)


def _upload(page: Page, most: int) -> None:
    """Draw the field for a file. One that came is read at once, and its bytes are forgotten."""
    asked, text = st.session_state.setdefault(ASKED, 0), page.text
    words = {
        "choose": text["open/choose"],
        "drop": text.filled("open/drop", most=str(most)),
        "refused": text.filled("open/refused", most=str(most)),
    }
    said = " ".join(f"--{name}: {json.dumps(words[name], ensure_ascii=False)};" for name in words)
    st.html(f"<style>.st-key-own_file {{ {said} }}</style>")
    st.html(HERE / "own_file.css")
    given = st.file_uploader(text["open"], key=f"own_file.{asked}", label_visibility="collapsed")
    if given is None:
        return
    before = page.state.file
    data, limit = given.getvalue(), most * 1_000_000
    page.put_read("file", lambda: lesson.opened(page.state, lesson.open_file(given.name, data, limit)))
    streamlit_internals.forget_upload(given.file_id)
    st.session_state[ASKED] = asked + 1
    if page.state.file is not before:
        st.session_state[NEWEST] = page.state.file
        page.session.state = replace(page.state, undo_stack=(), redo_stack=())  # each step would hold its file
    st.rerun()


def _shown(page: Page) -> None:
    """Draw a line on the file that is shown, and how it is taken home."""
    file, text = page.state.file, page.text
    if file.view is None:
        return
    if file is lesson.example():
        st.caption(text.filled("open/example", model=load_gallery().record["model"]))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        first = file.view.patterns[0].known
        about = {
            "layers": format_whole(len(first["layers"])),
            "heads": format_whole(sum(first["heads"])),
            "tokens": format_whole(len(first["keys"])),
        }
        st.markdown(text.filled("open/shown", name=escape_markdown(file.name), **about), width="content")
        st.download_button(
            text["open/save"],
            lambda: view_page.page(file.view, page.state.pose()).encode(),
            f"{Path(file.name).stem}.html",
            "text/html",
            key=page.key("save"),
            on_click="ignore",
            help=text["open/save_help"],
        )
    st.caption(text["open/kept"], help=text["open/kept/help"])


def how_to_make(page: Page) -> None:
    """Draw the programs that make such a file."""
    text = page.text
    with st.expander(text["make"], expanded=page.state.file is lesson.example()):
        for name in ("code", "numpy"):
            st.markdown(text[f"make/{name}"])
            st.code(lesson.program(name), language="python")
        st.markdown(text["make/more"])
