"""Does it look where it thinks?

When attention misleads, and what it does tell.
"""

from functools import partial

import streamlit as st

import attention_lab.lessons.misleading as lesson
from attention_lab.widgets import export, figure, page_layout, predict, settings


@page_layout.fragment
def under_the_hand() -> None:
    """The experiment, with its prediction first."""
    page.sync_inputs()
    view = page.view()
    predict.ask(page, view)
    figure.show(page, view)


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, __doc__)
with page_layout.tools():
    names = lesson.experiment_names(page.state)
    settings.select(page, "experiment", names, width=225, on_choose=lesson.choose_experiment)
    if lesson.model_names(page.state):
        label, names = page.text["settings/model"], lesson.model_names(page.state)
        page_layout.choose(page, "model", label, names, outside=True, on_choose=lesson.choose_model)
    if not lesson.fault(page.state):
        settings.select(
            page, "opening", lesson.opening_names(page.state), width=240, on_choose=lesson.choose_opening
        )
        for name in lesson.seeds_of(page.state):
            settings.whole(page, name, 0, lesson.LAST_SEED, on_choose=partial(lesson.choose_seed, name))
        export.menu(page)
        page_layout.reset(page)
if lesson.fault(page.state):
    st.error(page.text.filled("missing", file=lesson.fault(page.state)), icon=":material/cloud_off:")
else:
    under_the_hand()
page_layout.words(page)
