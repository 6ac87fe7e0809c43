"""And in earnest?

All heads of a real sentence encoder.
"""

import streamlit as st

import attention_lab.lessons.real_model as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, settings


@page_layout.fragment
def under_the_hand() -> None:
    """The model at work on the sentence shown."""
    page.sync_inputs()
    now = lesson.calculate(page)
    hidden = predict.ask(page, lesson.GUESS, now, anew=lesson.about_guess(page))
    figure.show(
        page,
        lesson.on_stage(page, now),
        now,
        title=page.text["figure"],
        results_hidden=hidden,
        carried=lesson.carried(page),
    )
    st.caption(lesson.about(page))


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    if not lesson.fault(page):
        if lesson.live_there():
            names = lesson.model_names(page)
            page_layout.choose(
                page, "model", page.text["settings/model"], names, outside=True, on_choose=lesson.choose_model
            )
        settings.select(page, "text", lesson.text_names(page), width=520, on_choose=lesson.choose_text)
        export.menu(page, lesson.tables, lesson.for_programs)
        page_layout.reset(page)
if lesson.fault(page):
    st.error(page.text.filled("missing", why=lesson.fault(page)), icon=":material/cloud_off:")
else:
    if lesson.live_there():
        settings.line(page, "written", lesson.write_own)
    else:
        st.caption(lesson.without_live(page))
    under_the_hand()
page_layout.words(page)
