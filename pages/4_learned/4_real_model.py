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
