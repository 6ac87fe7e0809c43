"""The page at /real_model, from top to bottom."""

import streamlit as st

import attention_lab.lessons.real_model as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if not page.lesson.fault(page.state):
        settings.select(page, "text", lesson.text_names(page.state), width=420, on_choose=lesson.choose_text)
        if lesson.live.there():
            with page_layout.change(page, "settings") as opened:
                if opened:
                    label, names = page.text["settings/model"], lesson.model_names(page.state)
                    choose = lesson.choose_model
                    page_layout.choose(page, "model", label, names, outside=True, on_choose=choose)
    export.group(page)
if lesson.live.there() and not page.lesson.fault(page.state):
    settings.line(page, "written", lesson.write_own)
if predict.ask_and_show(page):
    with st.expander(page.text["about_title"]):
        st.caption(lesson.about(page.state))
        if not lesson.live.there():
            st.caption(lesson.without_live(page.state))
page_layout.words(page)
