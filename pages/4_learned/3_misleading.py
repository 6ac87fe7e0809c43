"""Does it look where it thinks?

When attention misleads, and what it does tell.
"""

import streamlit as st

import attention_lab.lessons.misleading as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, settings


@page_layout.fragment
def under_the_hand() -> None:
    """The experiment, with its prediction first."""
    page.sync_inputs()
    now = lesson.calculate(page)
    asked = predict.ask(
        page,
        lesson.guess(page),
        lesson.for_guess(now),
        anew=lesson.about_guess(page),
        always=True,
        **lesson.guessed_names(page),
    )
    figure.show(
        page,
        lesson.on_stage(page, now, guessed=not asked),
        now,
        title=page.text["figure"],
        results_hidden=asked and page.predict,
        carried=lesson.carried(page),
    )


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    names = lesson.experiment_names(page)
    settings.select(page, "experiment", names, width=225, on_choose=lesson.choose_experiment)
    if lesson.model_names(page):
        label, names = page.text["settings/model"], lesson.model_names(page)
        page_layout.choose(page, "model", label, names, outside=True, on_choose=lesson.choose_model)
    if not lesson.fault(page):
        settings.select(page, "opening", lesson.opening_names(page), width=240, on_choose=lesson.choose_opening)
        for name in lesson.seeds_of(page):
            settings.whole(page, name, 0, lesson.LAST_SEED, on_choose=lesson.choose_seed)
        export.menu(page, lesson.tables, lesson.for_programs)
        page_layout.reset(page)
if lesson.fault(page):
    st.error(page.text.filled("missing", file=lesson.fault(page)), icon=":material/cloud_off:")
else:
    under_the_hand()
page_layout.words(page)
