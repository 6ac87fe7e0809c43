"""The pre-test and post-test on a page: questions, a file to hand in, and the scoring key for the teacher.

Answers and the code stay in the session. What was right is said to nobody but the teacher.
"""

from collections.abc import Sequence

import streamlit as st

from attention_lab.export import qr
from attention_lab.quiz import TEST_ITEMS, as_csv, key_as_csv, new_code, read_code
from attention_lab.quiz.pre_post import TestItem
from attention_lab.text.escape_markdown import escape_markdown

from . import page_links
from .class_link import show_codes
from .session import Page

CODE, ANSWERS = "test_code", "test_answers"  # in the session
LONGEST = 12  # characters of a code as it is typed


def questions(page: Page) -> None:
    """The questions with their options, and below them the code and the file."""
    text, when = page.text, page.state.when
    answers = st.session_state.setdefault(ANSWERS, {}).setdefault(when, {})
    with st.container(key="sheets"), st.container(border=True, key=f"sheet.{when}"):
        st.markdown(f"## {text[f'when/{when}']}")
        with st.container(key="on_paper"):
            st.markdown(text["head_code"])
        st.markdown(text["for_students"])
        for item in TEST_ITEMS:
            if chosen := st.session_state.get(_key(page, item)):
                answers[item.name] = chosen
        with st.container(key="progress", gap=None):
            counts = {"count": str(len(answers)), "all": str(len(TEST_ITEMS))}
            st.progress(len(answers) / len(TEST_ITEMS), text.filled("so_far", **counts))
        for number, item in enumerate(TEST_ITEMS, 1):
            with st.container(key=f"question.{item.name}", gap=None):
                _question(page, number, item, answers.get(item.name))
                page_links.picture(f"test/{item.name}", f"picture.{item.name}")
        with st.container(key="hand_in"):
            _hand_in(page, answers)


def _key(page: Page, item: TestItem) -> str:
    return f"test.{page.state.when}.{item.name}"


def _question(page: Page, number: int, item: TestItem, before: str | None) -> None:
    text = page.text
    texts = [text[f"{item.name}/option/{option}"] for option in item.options]
    labels = {
        option: f"**{letter}** {told}" for option, letter, told in zip(item.options, "ABCD", texts, strict=True)
    }
    st.radio(
        f"**{number}.** {text[f'{item.name}/question']}",
        item.options,
        index=item.options.index(before) if before in item.options else None,
        format_func=labels.get,
        key=_key(page, item),
    )


def _hand_in(page: Page, answers: dict[str, str]) -> None:
    text = page.text
    code = st.session_state.setdefault(CODE, new_code())
    typed = st.text_input(
        text["code"],
        code,
        max_chars=LONGEST,
        help=text["code/help"],
        key="test.code",
        autocomplete="off",
        width=220,
    )
    read = read_code(typed or "")
    if read is None:
        st.error(escape_markdown(text.filled("code_wrong", code=typed or "")), icon=":material/edit:")
    else:
        st.session_state[CODE] = read
    st.caption(text["name_nothing"])
    st.download_button(
        text["save"],
        as_csv(TEST_ITEMS, answers, read or "", page.state.when),
        f"attention_lab_{page.state.when}_{read}.csv",
        "text/csv",
        icon=":material/download:",
        disabled=read is None,
        key="test.save",
        on_click="ignore",
    )


def scoring_key(page: Page, lines: Sequence[str], students_path: str) -> None:
    """The right answers, the misconceptions behind the others, the key as a file and the link for students."""
    text = page.text
    with st.container(border=True, key="answer_key"):
        st.markdown(f"## {text['key_head']}")
        st.markdown("\n".join(lines))
        st.caption(text["key_note"])
        st.download_button(
            text["key_save"],
            key_as_csv(TEST_ITEMS),
            "attention_lab_key.csv",
            "text/csv",
            icon=":material/download:",
            key="test.save_key",
            on_click="ignore",
        )
        st.markdown(f"**{text['share']}**")
        label = text["share/label"]
        show_codes(page, "students", qr.link(students_path, label), title=label)
