"""Home.

How does a word take in the words around it?
"""

import streamlit as st

import attention_lab.lessons.home as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, page_links, predict


@page_layout.fragment
def under_the_hand() -> None:
    """The whole path, following the words that the hand moves."""
    page.sync_inputs()
    now = lesson.calculate(page)
    hidden = predict.ask(page, lesson.GUESS, now)
    figure.show(
        page,
        lesson.on_stage(page, now),
        now,
        title=page.text["figure"],
        results_hidden=hidden,
        page_links=lesson.SCRIPTS,
    )


page = open_page(lesson)
page_layout.head(page, page.text["title"])
st.markdown(page.text["what"])
under_the_hand()
with page_layout.tools():
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
page_links.cards(lesson.PAGE_LINKS)
words, teaching = st.columns(2, gap="large")
with words:
    st.markdown(page.text["text"])
with teaching:
    page_links.route(page.text, lesson.PAGE_LINKS, lesson.FOR_A_CLASS)
    st.markdown(page.text["hosting"])
    page_layout.class_notes(page)
    page_links.links(page, lesson.PAGE_LINKS)
