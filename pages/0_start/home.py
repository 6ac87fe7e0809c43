"""The page at /, from top to bottom."""

import streamlit as st

import attention_lab.lessons.home as lesson
from attention_lab.widgets import export, page_layout, page_links, predict

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    export.group(page)
predict.ask_and_show(page)
with st.container(key="about"):
    st.markdown(page.text["text"])
page_links.cards(page, lesson.stations.CARDS)
page_layout.class_notes(page)
with st.expander(page.text["teaching"]):
    st.markdown(page.text["hosting"])
page_links.links(page, lesson.stations.PAGE_LINKS)
