"""The page at /generating, from top to bottom."""

import streamlit as st

import attention_lab.lessons.generating as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "model", width=240, on_choose=lesson.choose_model)
    if not page.lesson.fault(page.state):
        settings.select(page, "opening", width=240, on_choose=lesson.choose_opening)
        if page.state.model == lesson.MODEL:
            with page_layout.change(page, "settings") as opened:
                if opened:
                    settings.line(page, "written", lesson.write_own)
        export.group(page)
if page.lesson.fault(page.state):
    st.error(page.lesson.fault(page.state), icon=":material/cloud_off:")
else:
    predict.ask(page)
    page_layout.live_figure(page)
page_layout.words(page)
