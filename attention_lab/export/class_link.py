"""A link for a class, made of choices: a goal, a guess first, a question, what is shown; with its QR code.

It holds the page as it stands, and what is chosen here on top. The page itself stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from attention_lab.state.page_state import LONGEST_QUESTION, QUESTION, ROW, SIDEBAR, PageState
from attention_lab.state.permalink import LONGEST
from attention_lab.text import say
from attention_lab.widgets import page_links
from attention_lab.widgets.page_layout import as_text

from . import qr

NOT_TAKEN = ("room", "goal", "predict", "present", "hide", QUESTION.name)  # what is chosen here, or is a room's


def settings(
    page: PageState,
    *,
    goal: Mapping[str, str] | None = None,
    guess: bool = False,
    question: str = "",
    present: bool = False,
    hidden: tuple[str, ...] = (),
) -> dict[str, str]:
    """What the link holds. Where a goal brings an example of its own, the page as it stands does not go along."""
    stands = {name: text for name, text in page.memory.address.items() if name not in NOT_TAKEN}
    begins_anew = goal and goal.keys() - {"goal"}
    return (
        ({} if begins_anew else stands)
        | dict(goal or {})
        | ({"predict": "1"} if guess else {})
        | ({QUESTION.name: QUESTION.write(" ".join(question.split()))} if guess and question.strip() else {})
        | ({"present": "1"} if present else {})
        | ({"hide": ".".join(hidden)} if hidden else {})
    )


@st.fragment
def form(page: PageState) -> None:
    """The choices, the link that follows from them, and its code."""

    def key(name: str) -> str:
        return f"{page.name}.link.{name}"

    st.caption(say("class_link/what"))
    goals = {told["goal"]: (sentence, told) for sentence, told in page_links.goal_settings(page.name, page.text)}
    goal = st.selectbox(
        say("class_link/goal"),
        ["", *goals],
        format_func=lambda name: _plain(goals[name][0]) if name else say("class_link/no_goal"),
        key=key("goal"),
    )
    guess = st.toggle(say("sidebar/predict"), key=key("guess"), help=say("sidebar/predict_help"))
    question = ""
    if guess:
        question = st.text_input(
            say("class_link/question"),
            max_chars=LONGEST_QUESTION,
            placeholder=say("class_link/question/own"),
            help=say("class_link/question/help"),
            key=key("question"),
        )
    present = st.toggle(say("sidebar/present"), key=key("present"), help=say("sidebar/present_help"))
    hidden = st.multiselect(
        say("class_link/hide"),
        [*ROW, *SIDEBAR],
        format_func=lambda name: say(f"tools/{name}"),
        placeholder=say("class_link/hide/none"),
        help=say("class_link/hide/help"),
        key=key("hide"),
    )
    if not question.isprintable():
        st.error(as_text(say("refused/unreadable_text")), icon=":material/edit:")
        question = ""
    made = settings(
        page,
        goal=goals[goal][1] if goal else None,
        guess=guess,
        question=question,
        present=present,
        hidden=tuple(name for name in (*ROW, *SIDEBAR) if name in hidden),
    )
    if len(urlencode(made)) > LONGEST:
        st.error(say("class_link/too_long", most=LONGEST), icon=":material/edit:")
        return
    qr.QR.bring()
    label = say("class_link/label")
    qr.show(page, "link", qr.link(qr.address(page.name, made), label), title=label)


def _plain(sentence: str) -> str:
    """A goal's sentence in a list, which shows no Markdown."""
    return re.sub(r"[*_`$]", "", sentence)
