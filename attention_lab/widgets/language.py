"""The language of a session: from the link, from the browser, or chosen in the sidebar.

It lies in the session under the name of its field, as other settings that all pages share, and goes from there
into links. "" stands for English where neither link nor browser says another: links need not name it then.
"""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attention_lab.state.permalink import CLOSING
from attention_lab.state.state import LANGUAGE
from attention_lab.text import languages, ui_text
from attention_lab.text.languages import ENGLISH, LANGUAGES

from .session import LINK

CHOICE = "language"  # the key of the sidebar's widget


def of_link(texts: Mapping[str, Sequence[str]], wishes: str | None) -> str:
    """Return the language that a link asks for; where it says nothing, what the browser wishes for.

    A language that is not there is "", English; the page says so in a line.
    """
    if asked := texts.get(LANGUAGE):
        code = asked[0].rstrip(CLOSING)
        return code if len(asked) == 1 and code in LANGUAGES else ""
    return languages.guess(wishes)


def _of_session() -> str | None:
    """The language of the session whose script or callback runs in this thread."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    return st.session_state.get(LANGUAGE) or ENGLISH


languages.ask_sessions(_of_session)


def enter() -> None:
    """Speak the session's language from the first word of a run on. A link that is opened may bring another."""
    session = st.session_state
    link = session.get(LINK)
    texts = {LANGUAGE: st.query_params.get_all(LANGUAGE)} if link is None else link
    if LANGUAGE not in session or ("page_open" not in session and texts.get(LANGUAGE)):
        session[LANGUAGE] = of_link(texts, st.context.locale)
    languages.speak(session[LANGUAGE] or ENGLISH)


def choose() -> None:
    """Draw the choice of the language, each by its own name."""
    st.session_state[CHOICE] = st.session_state.get(LANGUAGE) or ENGLISH
    st.selectbox(
        ui_text("sidebar/language"),
        list(LANGUAGES),
        format_func=lambda code: LANGUAGES[code].name,
        key=CHOICE,
        on_change=_chosen,
        filter_mode=None,
    )


def _chosen() -> None:
    code = st.session_state.get(CHOICE)
    if code in LANGUAGES:  # a forged one chooses nothing
        needless = code == ENGLISH and not languages.guess(st.context.locale)
        st.session_state[LANGUAGE] = "" if needless else code
