"""The page at /modern_model, from top to bottom."""

import streamlit as st

import attention_lab.lessons.modern_model as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if not page.lesson.fault(page.state):
        settings.select(page, "text", width=420, on_choose=lesson.choose_text)
        export.group(page)
if page.lesson.fault(page.state):
    st.error(page.lesson.fault(page.state), icon=":material/cloud_off:")
else:
    predict.ask(page)
    page_layout.live_figure(page)
page_layout.words(page)
