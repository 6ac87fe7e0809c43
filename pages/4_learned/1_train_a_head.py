"""Train a head.

Where do the numbers come from?
"""

import streamlit as st

import attention_lab.lessons.train_a_head as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, settings


@page_layout.fragment
def under_the_hand() -> None:
    """The run, and all that follows from the step shown."""
    page.sync_inputs()
    now = lesson.calculate(page)
    hidden = predict.ask(page, lesson.LOOKS_AT, now, anew=lesson.about_run(page), asking=now.words[now.asks])
    figure.show(
        page,
        lesson.on_stage(page, now),
        now,
        title=page.text.plain("figure"),
        results_hidden=hidden,
        carried=lesson.carried(page, hidden=hidden),
    )
    if not hidden:
        with st.expander(page.text["gradient"], on_change="rerun", key=page.key("gradient")) as fold:
            if fold.open:
                settings.select(page, "number", lesson.number_names(page), width=320, inside=True)
                st.markdown(lesson.worked(page))


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    settings.select(page, "task", lesson.tasks(page), width=180, on_choose=lesson.choose_task)
    settings.whole(page, "seed", 0, lesson.LAST_SEED, on_choose=lesson.choose_seed)
    settings.button(page, "another_seed", "casino", lesson.another_seed)
    settings.drawer(page, "of_a_run", lesson.setting_names(page), icon="tune")
    settings.select(page, "second", lesson.second_names(page), width=135)
    settings.some(page, lesson.second_settings(page))
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page)
