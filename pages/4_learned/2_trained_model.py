"""What did it learn?

Inside a small language model.
"""

import streamlit as st

import attention_lab.lessons.trained_model as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, settings


@page_layout.fragment
def under_the_hand() -> None:
    """The model at work on the text shown."""
    page.sync_inputs()
    now = lesson.calculate(page)
    hidden = predict.ask(
        page,
        lesson.GUESS,
        lesson.each_off(page, now),
        anew=lesson.about_guess(page),
        **lesson.guessed_names(page, now),
    )
    figure.show(
        page,
        lesson.on_stage(page, now),
        now,
        title=page.text["figure"],
        results_hidden=hidden,
        carried=lesson.carried(page),
    )
    if not hidden:
        with st.expander(page.text["record"], on_change="rerun", key=page.key("record")) as fold:
            if fold.open:
                st.markdown(lesson.training(page))


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    page_layout.choose(
        page,
        "model",
        page.text["settings/model"],
        lesson.model_names(page),
        outside=True,
        on_choose=lesson.choose_model,
    )
    if not lesson.fault(page):
        settings.select(page, "opening", lesson.opening_names(page), width=260, on_choose=lesson.choose_opening)
        export.menu(page, lesson.tables, lesson.for_programs)
        page_layout.reset(page)
if lesson.fault(page):
    st.error(page.text.filled("missing", file=lesson.fault(page)), icon=":material/cloud_off:")
else:
    under_the_hand()
page_layout.words(page)
