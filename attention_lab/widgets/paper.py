"""Sheets of paper: tasks with room for answers, checked while they are typed, and a key on a page of its own.

What is shown here is made to be printed: each sheet begins a page.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from attention_lab.export import qr
from attention_lab.figure import part
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.worksheets.sheet import LONGEST, Sheet

from . import figure_component, page_links
from .class_link import say_if_only_here, show_codes
from .page_layout import badge, new_for
from .session import Page

HERE = Path(__file__).parent


def print_button(page: Page) -> None:
    """A button that opens the browser's own print, and how what it prints looks."""
    st.html(HERE / "paper.css")
    figure_component.browser_only(
        page, [part("print_page", text=ui_text("take_away/print"))], name="print", width="content"
    )


def filled_in(page: Page, sheet: Sheet) -> None:
    """One sheet, with fields for the answers and a word on each."""
    with st.container(key="sheets"), _paper(page, sheet):
        right = 0
        for number, question in enumerate(sheet.questions, 1):
            task, entry = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
            task.markdown(f"{number}. {question.prompt}")
            with entry:
                key = f"{page.name}.answer.{question.key}"
                answer = st.text_input(
                    question.label, key=key, max_chars=LONGEST, autocomplete="off", label_visibility="collapsed"
                )
            with task:
                correct, verdict = question.check(answer or "")
                right += correct
                if verdict:
                    shown = verdict if correct else f":material/edit: {verdict}"
                    new_for(shown, f"verdict.{number}").markdown(shown)
        counts = {"right": str(right), "count": str(len(sheet.questions))}
        total = page.text.filled("done" if right == len(sheet.questions) else "so_far", **counts)
        new_for(total, "verdict").caption(total)


def to_be_printed(page: Page, sheets: Sequence[Sheet]) -> None:
    """Several sheets, each with numbers of its own and blanks to write on."""
    with st.container(key="for_a_class"):
        first, last = str(sheets[0].seed), str(sheets[-1].seed)
        st.caption(page.text.filled("for_a_class", first=first, last=last, count=str(len(sheets))))
    with st.container(key="sheets"):
        for sheet in sheets:
            with _paper(page, sheet):
                st.markdown("\n".join(f"{n}. {q.prompt}" for n, q in enumerate(sheet.questions, 1)))


@contextmanager
def _paper(page: Page, sheet: Sheet) -> Iterator[None]:
    """Draw the sheet's head and its data, then the tasks, then the goal: from top to bottom.

    What came above something that is seen already would push it down.
    """
    with st.container(border=True, key=f"sheet.{sheet.seed}"):
        left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
        with left.container(horizontal=True, vertical_alignment="center", gap="small"):
            page_links.picture(page.state.topic, f"picture.{sheet.seed}", width=96)
            st.markdown(f"## {sheet.head}")
        with right.container(key=f"name.{sheet.seed}"):  # a rule is drawn below it
            st.markdown(page.text["name"])
        st.markdown(sheet.data)
        with st.container():
            yield
        code, goal = st.columns([1, 4], gap="medium", vertical_alignment="center")
        with code:
            code_part = qr.code(sheet.goal_path, sheet.goal_label, shown=True)
            show_codes(page, f"goal.{sheet.seed}", code_part, title=sheet.goal_label)
        goal.markdown(f"{sheet.goal}\n\n{page.text['what_i_did']}")


def answer_key(page: Page, sheets: Sequence[Sheet]) -> None:
    """All answers of the sheets: a row for each sheet."""
    text = page.text
    rows = [[str(sheet.seed), *(escape_markdown(q.answer) for q in sheet.questions)] for sheet in sheets]
    head = [text["key_sheet"], *(str(n) for n in range(1, len(rows[0])))]
    lines = [head, ["---"] * len(head), *rows]
    with st.container(border=True, key="answer_key"):
        st.markdown(f"## {text.filled('key_head', topic=sheets[0].topic)}")
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
        st.caption(text["key_note"])


def notes() -> None:
    """Where the sheets' numbers come from, and where their links work."""
    with st.container(key="about_sheets"):
        badge("random")
        say_if_only_here()
