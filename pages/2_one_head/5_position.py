"""The page at /position, from top to bottom."""

import streamlit as st

import attention_lab.lessons.position as lesson
from attention_lab.widgets import chart, export, figure_component, page_layout, predict, vocabulary


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    view = page.view()
    figure_component.show(page, view)
    if not view.hidden[0]:
        st.markdown(lesson.in_words(page.state, view.now))


page = page_layout.open_page(lesson.LESSON)
text = page.text
with page_layout.head(page):
    vocabulary.example_picker(page, sentence=True)
    with page_layout.change(page, "word", "words") as opened:
        if opened:
            vocabulary.word_picker(page)
        vocabulary.editor(page, sentence=True)
    export.group(page)
predict.ask(page)
figure_and_charts()
if page.revealed():
    fold = st.expander(text["further/title"], on_change="rerun", key=page.key("rotary"))
    if fold.open:
        state = page.followed().state
        pair, badge = lesson.calculation.rotary(state), page.provenance_of("vectors")
        left, right = fold.columns(2, gap="large")
        with left:
            title, columns = text["further/title"], lesson.parts.turning(state)
            figure_component.still(page, "turned", columns, title=title, constants=pair, provenance=badge)
        with right:
            st.markdown(text["further/rotary"])
            st.markdown(text.filled("rotated", **lesson.score_in_words(state, pair)))
            page_layout.sliders(page, "asks_at", "answers_at", outside=True)
            chart.show(*lesson.scores(state, pair), key=page.key("scores"), provenance=badge)
    name = lesson.table_fold(page.view())
    page.stands_outside(lesson.table_fold, name)
    st.session_state.setdefault(page.key(name), lesson.begins_open(name, page.state))
    fold = st.expander(text["table/title"], on_change="rerun", key=page.key(name))
    if fold.open:
        left, right = fold.columns(2, gap="large")
        with left:
            st.markdown(text[lesson.section_of(page.state, "table")])
            chart.show(
                *lesson.drawn_table(page.state), key=page.key("table"), provenance=lesson.origin(page.state)
            )
            page_layout.choose(page, "width", text["width"], text.parts("width"), outside=True)
        with right:
            st.markdown(text.filled(lesson.section_of(page.state, "alike"), **lesson.alike_in_words(page.state)))
            chart.show(*lesson.alike(page.state), key=page.key("alike"), provenance=lesson.origin(page.state))
            page_layout.sliders(page, "near", "far", outside=True)
page_layout.words(page)
