"""A file of the reader's own: where it is opened, what is shown of it, and how one is made."""

import json
from dataclasses import replace
from pathlib import Path

import streamlit as st

from attention_core import load_gallery
from attention_lab import streamlit_internals
from attention_lab.lessons import own_attention as lesson
from attention_lab.own_attention import page as view_page
from attention_lab.own_attention.head_measures import KINDS
from attention_lab.own_attention.packed_view import SPREAD
from attention_lab.state.state import State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.languages import speaking
from attention_lab.text.number_format import format_whole

from . import page_layout
from .session import Page

HERE = Path(__file__).parent
MEASURES = (*KINDS, SPREAD)
NEWEST = "own_attention.newest"  # in the session: the file that was opened last, for a link that leads back to it
OTHER = "own_attention.other"  # in the session: whether a link was open that another file was made into
ASKED = "own_attention.asked"  # in the session: how many files came; each field takes one


def opener(page: Page) -> None:
    """Draw where a file is opened, and what is said of the one that is shown."""
    file, newest = page.state.file, st.session_state.get(NEWEST)
    if file.view is None and newest and newest.id == file.id:
        page.put(**lesson.opened(page.state, newest))
        st.rerun()
    with st.container(key="own_file"):
        if most := st.get_option("server.maxUploadSize"):
            _upload(page, most)
        else:
            st.markdown(page.text["open/none"])
        page_layout.refusal(page, "file")
        _shown(page)
    page.stands_outside(lambda view: view.state.file, page.state.file)


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
    if (file := page.state.file) is not before:
        st.session_state[OTHER] = before.view is None and before.id != file.id
        st.session_state[NEWEST] = file
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
        stem, title = Path(file.name).stem, file.view.title
        name = escape_markdown(file.name if title == stem else f"{title} ({file.name})")
        st.markdown(text.filled("open/shown", name=name, **_sizes(file)), width="content")
        st.download_button(
            text["open/save"],
            lambda: _html(page.state),
            f"{stem}.html",
            "text/html",
            key=page.key("save"),
            on_click="ignore",
            help=text["open/save_help"],
        )
    st.caption(text["open/kept"], help=text["open/kept/help"])
    if st.session_state.get(OTHER):
        page_layout.remarks([text.plain("other_file")])


def _html(state: State) -> bytes:
    """The file's view at what is chosen now, in the page's language: it is asked for outside of a run."""
    with speaking(state.language):
        return view_page.page(state.file.view, state.pose()).encode()


def _sizes(file: lesson.OpenedFile) -> dict[str, str]:
    """How many layers and heads a file has, and how many tokens on each side."""
    known = file.view.patterns[0].known
    heads = sorted({*known["heads"]})
    each = "–".join(map(format_whole, [heads[0], *heads[1:][-1:]]))  # two numbers where layers differ
    tokens = [known["keys"]] if known["same"] else [known["queries"], known["keys"]]
    return {
        "size": f"{format_whole(len(known['layers']))} × {each}",
        "tokens": " + ".join(format_whole(len(names)) for names in tokens),
    }


def explained(page: Page) -> None:
    """Draw the programs that make such a file, and what the measures mean."""
    text = page.text
    with st.expander(text["make"], expanded=page.state.file is lesson.example()):
        for name in ("code", "numpy"):
            st.markdown(text[f"make/{name}"])
            st.code(lesson.program(name), language="python")
        st.markdown(text["make/more"])
    with st.expander(text["meaning"]):
        meanings = text.parts("meaning")
        named = [f"- **{text[f'measures/{name}']}**: {meanings[name]}" for name in MEASURES]
        st.markdown("\n".join([*named, "", meanings["named"]]))
