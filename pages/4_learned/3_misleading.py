"""The page at /misleading, from top to bottom."""

from functools import partial

import streamlit as st

import attention_lab.lessons.misleading as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if not page.lesson.fault(page.state):
        export.menu(page)
        page_layout.reset(page)
if page.lesson.fault(page.state):
    st.error(page.lesson.fault(page.state), icon=":material/cloud_off:")
else:
    predict.ask(page)
    page_layout.live_figure(page)
with page_layout.tools("_below"):
    if not page.lesson.fault(page.state):
        settings.select(page, "opening", width=250, on_choose=partial(lesson.choose, "opening"))
    if names := lesson.model_names(page.state):
        label = page.text["settings/model"]
        page_layout.choose(page, "model", label, names, outside=True, on_choose=partial(lesson.choose, "model"))
    for name in lesson.SEED_FIELDS.get(page.state.experiment, ()):
        settings.whole(page, name, 0, lesson.LAST_SEED, on_choose=partial(lesson.choose, name))
settings.select(page, "experiment", in_sight=True, width=520, on_choose=partial(lesson.choose, "experiment"))
page_layout.words(page)
