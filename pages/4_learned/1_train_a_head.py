"""Train a head.

Where do the numbers come from?
"""

import streamlit as st

import attention_lab.lessons.train_a_head as lesson
from attention_lab.widgets import export, figure, page_layout, predict, settings


@page_layout.fragment
def under_the_hand() -> None:
    """The run, and all that follows from the step shown."""
    page.sync_inputs()
    view = page.view()
    predict.ask(page, view)
    figure.show(page, view)
    if not view.hidden[0]:
        with st.expander(page.text["gradient"], on_change="rerun", key=page.key("gradient")) as fold:
            if fold.open:
                settings.select(page, "number", lesson.number_names(page.state), width=320, inside=True)
                st.markdown(lesson.worked(page.state))


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, __doc__)
with page_layout.tools():
    settings.select(page, "task", lesson.tasks(page.state), width=180, on_choose=lesson.choose_task)
    settings.whole(page, "seed", 0, lesson.LAST_SEED, on_choose=lesson.choose_seed)
    settings.button(page, "another_seed", "casino", lesson.another_seed)
    settings.drawer(page, "of_a_run", lesson.setting_names(page.state), icon="tune")
    settings.select(page, "second", lesson.second_names(page.state), width=135)
    settings.some(page, lesson.second_settings(page.state))
    export.menu(page)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page)
