"""Home.

How does a word take in the words around it?
"""

import streamlit as st

import attention_lab.lessons.home as lesson
from attention_lab.widgets import export, figure, page_layout, page_links, predict


@page_layout.fragment
def under_the_hand() -> None:
    """The whole path, following the words that the hand moves."""
    page.sync_inputs()
    view = page.view()
    predict.ask(page, view)
    figure.show(page, view)


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, page.text["title"])
st.markdown(page.text["what"])
under_the_hand()
with page_layout.tools():
    export.menu(page)
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
