"""The page at /generating, from top to bottom."""

import streamlit as st

import attention_lab.lessons.generating as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
is_live = lesson.is_live(page.state.values)
is_missed = lesson.is_missed(page.state)
if is_missed:
    page.put()  # what only that model can have gives way
with page_layout.head(page):
    settings.select(page, "model", lesson.model_names(page.state), width=240, on_choose=lesson.choose_model)
    if not page.lesson.fault(page.state):
        if not is_live:
            settings.select(page, "opening", width=240, on_choose=lesson.choose_opening)
        if page.state.model == lesson.MODEL:
            with page_layout.change(page, "settings") as opened:
                if opened:
                    settings.line(page, "written", lesson.write_own)
    export.group(page)
if is_live:
    with st.container(horizontal=True, vertical_alignment="top"):
        settings.line(page, "written", lesson.write_own, section="prompt")
        if len(page.options("chat")) > 1:
            label, names = page.text["settings/chat"], page.text.parts("chats")
            page_layout.choose(page, "chat", label, names, outside=True, on_choose=lesson.ask)
    page.stands_outside(lesson.outside, lesson.outside(page))
    if lesson.is_being_written(page.state.values):
        page_layout.growing_figure(page, lesson.EVERY, lesson.write_on)
    else:
        page_layout.live_figure(page)
    st.caption(lesson.about(page.state))
else:
    if is_missed and not page.lesson.fault(page.state):
        st.info(page.text["live/missing"], icon=":material/cloud_off:")
    predict.ask_and_show(page)
page_layout.words(page)
