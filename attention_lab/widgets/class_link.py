"""The form in which a link for a class is made, and QR codes of links."""

import re
from functools import partial
from urllib.parse import urlencode, urlsplit

import streamlit as st

from attention_lab.course import goal_settings
from attention_lab.export import qr, scorm
from attention_lab.export.class_link import settings
from attention_lab.figure import Column, Part
from attention_lab.state.permalink import LONGEST, RefusedError, check_line
from attention_lab.state.shared_fields import HIDABLE, LONGEST_QUESTION
from attention_lab.text import listed, read, ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.languages import language, spoken

from . import figure_component
from .session import Page

ONLY_HERE = re.compile(r"localhost|.*\.localhost|127\.[\d.]+|::1|0\.0\.0\.0")  # as in join_code.js


def show_codes(page: Page, name: str, *parts: Part, title: str) -> None:
    """Draw codes and links on the page, as a stage of this name."""
    figure_component.still(page, name, [Column(parts, least=160)], title=title, own=qr.QR)


def address() -> str:
    """Return the page's address without its settings; empty where nobody has opened it."""
    return (st.context.url or "").partition("?")[0]


def say_if_only_here() -> None:
    """Say that links work on this computer only, where no other finds its address, and what to do."""
    if ONLY_HERE.fullmatch(urlsplit(address()).hostname or ""):
        told, command, then = read("classroom")["panel/only_here"].split("\n")
        st.caption(f"{escape_markdown(told)} `{command}`  \n{escape_markdown(then)}")


def _key(page: Page, name: str) -> str:
    return f"{page.name}.link.{name}"


@st.fragment
def form(page: Page) -> None:
    """The choices, the link that follows from them, and its code."""
    st.caption(ui_text("class_link/what"))
    made = _chosen(page)
    if len(urlencode(made)) > LONGEST:
        st.error(ui_text("class_link/too_long", most=LONGEST), icon=":material/edit:")
    else:
        say_if_only_here()
        figure_component.bring(qr.QR)
        label = ui_text("class_link/label")
        show_codes(page, "link", qr.link(qr.address(page.name, made), label), title=label)
        _package(page, made)


def _chosen(page: Page) -> dict[str, str]:
    """The choices; returns what a link holds that is made of them."""
    key = partial(_key, page)
    goals = {told["goal"]: (sentence, told) for sentence, told in goal_settings(page.name, page.text)}
    here = page.state.values["goal"]
    goals[here] = goals[here][0], {"goal": here}  # the page as it stands has the example that it belongs to
    if key("goal") not in st.session_state or st.session_state.get(key("goal_of_page")) != here:
        st.session_state[key("goal")] = st.session_state[key("goal_of_page")] = here  # it follows the page
    goal = st.selectbox(
        ui_text("class_link/goal"),
        [*goals],
        format_func=lambda name: _plain(goals[name][0]),
        key=key("goal"),
    )
    guess = st.toggle(ui_text("sidebar/predict"), key=key("guess"), help=ui_text("sidebar/predict_help"))
    question = ""
    if guess:
        question = st.text_input(
            ui_text("class_link/question"),
            max_chars=LONGEST_QUESTION,
            placeholder=ui_text("class_link/question/own"),
            help=ui_text("class_link/question/help"),
            key=key("question"),
        )
        below = st.empty()
    present = st.toggle(ui_text("sidebar/present"), key=key("present"), help=ui_text("sidebar/present_help"))
    hidden = st.multiselect(
        ui_text("class_link/hide"),
        HIDABLE,
        format_func=lambda name: ui_text(f"tools/{name}"),
        placeholder=ui_text("class_link/hide/none"),
        help=ui_text("class_link/hide/help"),
        key=key("hide"),
    )
    try:
        question = check_line(question, LONGEST_QUESTION)
    except RefusedError as reason:
        st.error(escape_markdown(str(reason)), icon=":material/edit:")
        question = ""
    made = settings(
        page.state,
        goal=goals[goal][1],
        guess=guess,
        question=question,
        present=present,
        hidden=tuple(name for name in HIDABLE if name in hidden),
    )
    if question.strip() and (asked := page.lesson.view(page.lesson.parse(made)[0], spoken()).questions):
        answers = listed(escape_markdown(asked[0].answers[place]) for place in asked[0].options)
        below.caption(ui_text("class_link/question/answers", answers=answers))
    return made


def _package(page: Page, made: dict[str, str]) -> None:
    """A button that hands over the link as a package for a learning platform."""
    if here := address():
        link = f"{here}?{urlencode(made | {'embed': 'true'})}"
        packed = page.text["title"], link, ui_text("class_link/new_tab"), language().code, language().direction
        st.download_button(
            ui_text("class_link/scorm"),
            lambda: scorm.package(*packed),
            f"{page.name}.scorm.zip",
            "application/zip",
            key=_key(page, "scorm"),
            on_click="ignore",
            help=ui_text("class_link/scorm/help"),
        )


def _plain(sentence: str) -> str:
    """A goal's sentence in a list, which shows no Markdown."""
    return re.sub(r"[*_`$]", "", sentence)
