"""The figure as components of Streamlit's: its code sent once, its data at every run."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from attention_lab import faults
from attention_lab.figure.browser_code import AWAIT_LIBRARY, GLOBALS, OwnParts, Script
from attention_lab.figure.browser_code import library as library_script
from attention_lab.figure.browser_code import words as words_script
from attention_lab.figure.layout import Column
from attention_lab.figure.payload import plain_payload
from attention_lab.figure.words import turn_words
from attention_lab.lesson import View
from attention_lab.process import PROCESS
from attention_lab.state.state import OWN
from attention_lab.text import listed, ui_text
from attention_lab.text.escape_markdown import escape_markdown

from .session import Page

# The code is loaded as files that the browser keeps; the figure itself is a few lines, sent with the data. What
# only one lesson draws with is a file of its own. A page's script run without the app sends the code.
RUN = "export default () => {};"
LOAD = """
const root = globalThis.__streamlit?.BACKEND_BASE_URL ?? new URL('.', location.href).href;
const load = (tries = 0) => import(`${root}static/lab/FILE${tries ? `?${tries}` : ''}`).catch(async error => {
  if (tries > 4) throw error;
  await new Promise(later => setTimeout(later, 1000 * (tries + 1)));
  return load(tries + 1);
});
load();
"""


@lru_cache(64)
def _component(name: str, script: Script, *, served: bool) -> Any:
    code = LOAD.replace("FILE", script.file) if served else script.text
    return st.components.v2.component(name, js=f"{code}\n{RUN}")


def _bring(name: str, script: Script) -> None:
    _component(name, script, served=PROCESS.scripts_served)(key=name, height=0)


def _from_library(name: str, module: str, function: str) -> Any:
    """A component that only calls a function of the library's: Streamlit sends its code with each message."""
    call = f"globals.modules.{module}.{function}(component)"
    return st.components.v2.component(
        name,
        js=f"""
{GLOBALS}
export default async component => {{
  {AWAIT_LIBRARY}
  return {call};
}};
""",
    )


_stage = _from_library("stage", "message", "showFigure")
# The buttons to go back and on stand apart from the stage, which knows how far one can go.
_turns = _from_library("turns", "undo_redo", "showTurns")
_link = _from_library("link", "address", "showLink")  # of a page without a figure


def _keep_message() -> None:
    """The component's state is read when the page runs; Streamlit wants a callback to be there."""


LISTENERS = {"on_events_change": _keep_message, "on_fault_change": _keep_message}


def keep_link(page: Page) -> None:
    """Let the URL of a page without a figure hold what the page does."""
    data = {"link": urlencode(page.state.link), "as_opened": page.as_opened}
    _link(key=f"{page.name}.link", data=json.dumps(data), height=0)


def bring(own: OwnParts) -> None:
    """Bring a lesson's own parts to the browser; once a page, outside its fragment."""
    _bring(f"library_{own.name}", own.script)


def library(own: OwnParts | None = None) -> None:
    """Bring the figure's code to the browser, and a lesson's `own`; once a page, outside its fragment."""
    with st.container(gap=None):  # with an `own` it takes no more room than without
        _bring("library", library_script())
        words = words_script()
        _bring(words.name, words)
        if own is not None:
            bring(own)


def show(page: Page, view: View) -> None:
    """Draw the page's figure."""
    page.rerun_if_outdated(view)
    _say_placed(page)
    component = _stage(key=f"{page.name}.stage", data=view.message(page.known_frame), **LISTENERS)
    page.receive(component.events)
    if component.fault:
        faults.report(page.name, component.fault, hidden=PROCESS.faults_hidden)


def turns(page: Page) -> None:
    """Two buttons: one step back in what was made on the page, and one on."""
    data = json.dumps({"of": page.name, **turn_words()})
    _turns(key=f"{page.name}.turns", data=data, width="content", height="content")


def _say_placed(page: Page) -> None:
    """Say which words nobody has placed yet, and which could not come along from another page."""
    placed = page.state.placed_words
    if placed and page.state.vectors[[page.state.table.index(word) for word in placed]].any():
        st.caption(ui_text("words/placed", words=escape_markdown(listed(placed))))
    if page.session.left_behind and page.state.example != OWN:
        st.caption(ui_text("words/left_behind", words=escape_markdown(" ".join(page.session.left_behind))))


def still(
    page: Page,
    name: str,
    columns: Sequence[Column],
    *,
    title: str,
    constants: Mapping[str, Any] | None = None,
    provenance: str = "",
    own: OwnParts | None = None,
    width: str = "stretch",
) -> None:
    """A further figure of the page, without a hand: pictures drawn from what is `given`.

    It has the lesson's own parts, or those named, which must have been brought.
    """
    own = own or page.lesson.own_parts
    known = constants or {}
    payload = plain_payload(f"{page.name}.{name}", columns, title, known, provenance=provenance, own=own)
    _stage(key=f"{page.name}.{name}", data=payload, width=width, **LISTENERS)


def browser_only(
    page: Page,
    parts: Sequence[Mapping[str, Any]],
    *,
    name: str = "keep",
    width: str = "stretch",
    own: OwnParts | None = None,
) -> None:
    """What only the browser can do, such as saving the drawn picture."""
    still(
        page,
        name,
        [Column(parts, least=20 if width == "content" else 200)],
        title=ui_text("take_away"),
        own=own,
        width=width,
    )
