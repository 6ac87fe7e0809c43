"""The door of a page to its room: where one is opened or joined, and the bar that says what goes on in it.

The room itself is found by the browser, over a socket of its own, and the browser opens the pages that it leads
to; Python learns of a question that is asked again, and when the room is left.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from attention_lab import text as prose
from attention_lab.figure.browser_code import AWAIT_LIBRARY, CORE, GLOBALS
from attention_lab.figure.bundle import CONTROLS, bundle, in_order
from attention_lab.process import PROCESS
from attention_lab.state.shared_fields import ROOM
from attention_lab.text.languages import by_language, language
from attention_lab.widgets import app_shell, page_links
from attention_lab.widgets.page_layout import dialog
from attention_lab.widgets.session import ASKED_AGAIN, lead_to

from . import names
from .rooms import SHARING_KEY

BROWSER = Path(__file__).parent / "browser"
MODULES = in_order([BROWSER / "room.js"])
BAR = "classroom"  # in the session: what the bar in the browser wishes
OPENED = "room_opened"  # in the session: the room that this tab has asked for itself
ENTERED = "room_entered"  # in the session: how often a room was opened or joined
OVER = "room_over"  # in the session: the room that the browser is not in, and why
WENT = "room_went"  # in the session: the number of the newest link that the open page was led to
LEAVES = "room_leaves"  # in the session: the browser is to leave, which knows the way back to one's own page
JOIN = "join"  # the address of the page that asks for the two words

_room = st.components.v2.component(
    "classroom",
    js="\n".join(
        [
            GLOBALS,
            "const open = () => {",
            *(f"const {path.stem}_module = globals.modules.{path.stem};" for path in MODULES if path in CORE),
            bundle(*MODULES, without=CORE),
            "return room_module;",
            "};",
            f"const style = {json.dumps(CONTROLS + (BROWSER / 'room.css').read_text(encoding='utf-8'))};",
            "export default async component => {",
            AWAIT_LIBRARY,
            "  globals.room ??= open();",
            "  return globals.room.showRoom(component, style);",
            "};",
        ]
    ),
)


def _words() -> prose.Text:
    return prose.read("classroom")


@by_language()
def _of_bar() -> dict[str, str]:
    """The words of the bar, the titles of the pages that a class is led to, and what parts a CSV's columns."""
    pages = prose.every_page().items()
    titles = {f"titles/{name}": words["title"] for name, words in pages if "title" in words}
    return _words() | titles | {"record/separator": language().separator}


def offer(join: StreamlitPage) -> None:
    """Where a room is opened, joined and left: below what holds for all pages."""
    if not PROCESS.rooms_offered or "room" in st.session_state.get("hide", ()):
        return
    words = _words()
    with st.sidebar:
        if st.button(words["door/title"], icon=":material/groups:", key="room.door", help=words["door/help"]):
            _door()
        room = st.session_state.get(ROOM)
        if not room or room == st.session_state.get(OVER, ("", ""))[0]:
            st.page_link(join, icon=":material/login:")


@dialog(lambda: _words()["door/title"])
def _door() -> None:
    room = st.session_state.get(ROOM)
    of, over = st.session_state.get(OVER, ("", ""))
    if room and of != room:
        st.markdown(_words().filled("door/inside", room=room))
        if st.button(_words()["door/leave"], icon=":material/logout:"):
            st.session_state[LEAVES] = True
            st.rerun()
        return
    if room:
        st.error(_words().filled(f"door/{over}", room=room.replace("-", " ")), icon=":material/group_off:")
    st.markdown(_words()["door/open_told"])
    if st.button(_words()["door/open"], icon=":material/add_home:", type="primary"):
        name = names.draw()
        st.session_state[OPENED] = name
        _go_in(name)
    st.divider()
    st.markdown(_words()["door/join_told"])
    _two_words("room.join")


def _two_words(key: str, **button: Any) -> None:
    """A field for a room's two words, and its button."""
    words = _words()
    with st.form(key, border=False):
        said = st.text_input(words["door/words"], placeholder=words["door/placeholder"], max_chars=40)
        pressed = st.form_submit_button(words["door/join"], icon=":material/login:", **button)
    if pressed:
        if name := names.read(said):
            _go_in(name)
        st.error(words["door/no_name"], icon=":material/edit:")


def join_page(pages: Sequence[StreamlitPage]) -> StreamlitPage:
    """The page at /join: the two words, and nothing else. The menu does not list it."""

    def ask() -> None:
        if name := st.session_state.get(ROOM) or names.read(st.query_params.get(ROOM, "")):
            st.session_state[ROOM] = name
            st.switch_page(pages[0])
        app_shell.hide_sidebar()
        with st.container(key="join"):
            st.html(f'<img src="{app_shell.logo()}" alt="Attention Lab">')
            with st.container(key="join_page", border=True):
                page_links.picture("self_attention", "join_picture")
                st.markdown(f"# {_words()['join/title']}\n{_words()['join/told']}")
                if PROCESS.rooms_offered:
                    _two_words("room.join_page", type="primary", width="stretch")
                else:
                    st.info(_words()["door/none"], icon=":material/group_off:")
            st.page_link(pages[0], label=_words()["join/alone"], icon=":material/arrow_back:")

    return st.Page(ask, title=_words()["join/title"], url_path=JOIN, visibility="hidden")


def _go_in(name: str) -> None:
    """Enter a room, and draw the page again."""
    _enter(name)
    st.rerun()


def _enter(name: str) -> None:
    """Take the name into the address of every page; the empty one takes it out."""
    st.session_state[ROOM] = name
    st.session_state[ENTERED] = st.session_state.get(ENTERED, 0) + 1
    for about_the_last in (OVER, LEAVES, WENT):
        st.session_state.pop(about_the_last, None)


def show() -> None:
    """The bar of the room that the address names; it stands outside the page, at the window's lower edge."""
    name = st.session_state.get(ROOM)
    if not name:
        return
    if not PROCESS.rooms_offered:
        st.info(_words()["door/none"], icon=":material/group_off:")
        return
    entered = st.session_state.get(ENTERED, 0)
    payload = {
        "opens": st.session_state.get(OPENED) == name,
        "went": st.session_state.get(WENT, 0),
        "leaves": st.session_state.get(LEAVES, False),
    }
    data = json.dumps({"room": name, "entered": entered, **payload, "words": _of_bar()})
    with st.container(gap=None):
        _room(key=BAR, data=data, height=0, on_go_change=_lead, on_leave_change=_leave, on_over_change=_end)


def _trigger_value(trigger: str) -> Any:
    """The value of one of the bar's triggers; None if the bar is gone by the time its message arrives."""
    return st.session_state[BAR][trigger] if BAR in st.session_state else None


# Callbacks run before the page is drawn. Read later, a trigger is lost when Streamlit starts the run again.
def _lead() -> None:
    """Open the page that is open by another link, and ask its question again where one is `asked`."""
    go = _trigger_value("go")
    if not isinstance(go, dict):
        return
    number, query, asked = go.get("number"), go.get("query"), go.get("asked")
    st.session_state[WENT] = number if isinstance(number, int) else 0
    if isinstance(asked, str) and SHARING_KEY.fullmatch(asked):
        st.session_state[ASKED_AGAIN] = asked
    if isinstance(query, str):
        lead_to(query)


def _leave() -> None:
    """Leave the room, where the browser has left it."""
    link = _trigger_value("leave")
    if isinstance(link, str):  # that of one's own page, where that is the one that is open
        lead_to(link, ROOM)
    _enter("")


def _end() -> None:
    """Note that the browser is not in the room, and why."""
    if why := _trigger_value("over"):
        st.session_state[OVER] = st.session_state.get(ROOM, ""), "unknown" if why == "unknown" else "over"
