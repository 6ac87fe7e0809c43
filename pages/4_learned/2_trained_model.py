"""The page at /trained_model, from top to bottom."""

import streamlit as st

import attention_lab.lessons.trained_model as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if not page.lesson.fault(page.state):
        settings.select(page, "opening", width=220, on_choose=lesson.choose_opening)
    with page_layout.change(page, "settings") as opened:
        if opened:
            label, names = page.text["settings/model"], page.text.parts("models")
            page_layout.choose(page, "model", label, names, outside=True, on_choose=lesson.choose_model)
            settings.remark(page, "about_models")
    export.group(page)
if predict.ask_and_show(page) and page.revealed():
    with st.expander(page.text["record"], on_change="rerun", key=page.key("record")) as fold:
        if fold.open:
            st.markdown(lesson.training(page.state))
page_layout.words(page)
