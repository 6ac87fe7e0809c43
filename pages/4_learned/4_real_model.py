"""The page at /real_model, from top to bottom."""

import streamlit as st

import attention_lab.lessons.real_model as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if not page.lesson.fault(page.state):
        if lesson.live.there():
            names = lesson.model_names(page.state)
            page_layout.choose(
                page, "model", page.text["settings/model"], names, outside=True, on_choose=lesson.choose_model
            )
        settings.select(page, "text", lesson.text_names(page.state), width=520, on_choose=lesson.choose_text)
        export.menu(page)
        page_layout.reset(page)
if page.lesson.fault(page.state):
    st.error(page.lesson.fault(page.state), icon=":material/cloud_off:")
else:
    if lesson.live.there():
        settings.line(page, "written", lesson.write_own)
    predict.ask(page)
    page_layout.live_figure(page)
    with st.expander(page.text["about_title"]):
        st.caption(lesson.about(page.state))
        if not lesson.live.there():
            st.caption(lesson.without_live(page.state))
page_layout.words(page)
