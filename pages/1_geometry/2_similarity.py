"""The page at /similarity, from top to bottom."""

import streamlit as st

import attention_lab.lessons.similarity as lesson
from attention_lab.charts import heatmap
from attention_lab.widgets import chart, export, figure, page_layout, predict, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """What the hand moves, and what follows it on release."""
    page.sync_inputs()
    view = page.view()
    now, hidden = view.now, view.hidden[0]
    figure.show(page, view)
    if len(page.worked_example.axes) == 3:
        page_layout.choose(page, "axes", page.text["axes"], lesson.axes_names(page.state))
    if not hidden:
        with st.container(horizontal=True, gap="large"):
            chart.heatmap(
                page,
                heatmap,
                now[page.measure],
                page.words,
                of=["vectors"],
                above=view.provenance,
                limit=lesson.MEASURES[page.measure].limit,
                workings=lesson.workings(page.state),
                key="pairs",
                kind="pairs",
                pair=("word", "other"),
                width=560,
            )
            page_layout.choose(page, "measure", page.text["pairs"], lesson.measure_names(page.state), width=330)


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page)
    vocabulary.word_picker(page, lesson.choose_word)
    vocabulary.editor(page)
    export.menu(page)
    page_layout.reset(page)
predict.ask(page)
under_the_hand()
page_layout.words(page)
