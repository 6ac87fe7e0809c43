"""The page at /train_a_head, from top to bottom."""

import streamlit as st

import attention_lab.lessons.train_a_head as lesson
from attention_lab.lessons.train_a_head import gradient
from attention_lab.widgets import export, figure_component, page_layout, predict, settings


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the run, and everything that depends on the step shown."""
    page.sync_inputs()
    view = page.view()
    figure_component.show(page, view)
    if not view.hidden[0]:
        with st.expander(page.text["gradient"], on_change="rerun", key=page.key("gradient")) as fold:
            if fold.open:
                settings.select(page, "number", gradient.labels(page.state), width=320, inside=True)
                st.markdown(gradient.worked(page.state))


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "task", width=180, on_choose=lesson.choose_task)
    with page_layout.change(page, "settings") as opened:
        if opened:
            settings.button(page, "another_seed", "casino", lesson.another_seed)
            settings.whole(page, "seed", 0, lesson.SEEDS - 1, on_choose=lesson.choose_seed)
            settings.select(page, "second", lesson.second_names(page.state))
            if page.state.second == "seed":
                settings.whole(page, "other_seed", 0, lesson.SEEDS - 1)
            elif page.state.second == "rate":
                settings.select(page, "other_rate", {}, width=140)
            settings.choices(page, lesson.setting_names(page.state))
    export.group(page)
predict.ask(page)
figure_and_charts()
page_layout.words(page)
