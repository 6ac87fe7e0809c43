"""Predict first: a question, its answers, and the verdict on the one that was chosen."""

from typing import Any

import streamlit as st

from attention_lab.state.predictions import Question
from attention_lab.state.update import Predict
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown

from .page_layout import live_figure, new_for
from .session import Page


def ask_and_show(page: Page, *above: Any) -> bool:
    """Ask for predictions and draw the page's figure, below what `live_figure` is given to stand `above` it.

    Where a state has no figure, say why, and return False.
    """
    if fault := page.lesson.fault(page.state):
        st.error(fault, icon=":material/cloud_off:")
        return False
    ask(page)
    live_figure(page, *above)
    return True


def ask(page: Page) -> None:
    """Ask the questions in sight: the last may be open, those before it have their verdicts.

    They stand outside the page's fragment, since a hand seldom changes them.
    """
    with st.container(key="asked"):  # always one, so that Streamlit does not mount the figure below again
        for number, question in enumerate(page.asked()):
            answered = "" if question.verdict is None else question.verdict_text
            with new_for(answered, f"question.{number}"):
                if question.verdict is None:
                    _open(page, question)
                else:  # as it was when it was answered, whatever moves since
                    st.markdown(answered)


def _open(page: Page, question: Question) -> None:
    st.markdown(ui_text("guess/ask", question=escape_markdown(question.own) or question.text))
    with st.container(horizontal=True, vertical_alignment="center"):
        for place in question.options:
            _button(page, question, place, escape_markdown(question.answers[place]), f"guess.{place}")
        _button(page, question, None, ui_text("guess/reveal"), "reveal", type="tertiary")


def _button(page: Page, question: Question, answer: int | None, label: str, key: str, **more: str) -> None:
    event = Predict(question.about, question.judge(answer))
    st.button(label, key=f"{page.name}.{key}", on_click=page.apply, args=(event,), **more)
