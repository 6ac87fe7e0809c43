"""Position.

Does order matter?
"""

import streamlit as st

import attention_lab.lessons.position as lesson
from attention_lab import export, figure
from attention_lab.widgets import chart, open_page, page_layout, predict, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """What the hand moves, and what follows it on release."""
    page.sync_inputs()
    now = lesson.calculate(page)
    hidden = predict.ask(page, lesson.question(page), now)
    above = page_layout.above(page)
    if not hidden:
        st.markdown(lesson.in_words(page, now))
        fold = st.expander(text["further/title"], on_change="rerun", key=page.key("rotary"))
        if fold.open:
            pair = lesson.rotary(page)
            left, right = fold.columns(2, gap="large")
            with left:
                title, badge = text["further/title"], page.provenance_of("vectors")
                figure.still(page, "turned", lesson.turning(page), title=title, given=pair, provenance=badge)
            with right:
                st.markdown(text["further/rotary"])
                st.markdown(text.filled("turned", **lesson.score_in_words(page, pair)))
                page_layout.sliders(page, "asks_at", "answers_at")
                chart.show(*lesson.scores(page, pair), key=page.key("scores"), provenance=badge)
    with above:  # drawn last: the stage has moved already, under the hand
        figure.show(page, lesson.on_stage(page, now), now, title=text.plain("figure"), results_hidden=hidden)


page = open_page(lesson)
text = page.text
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True)
    vocabulary.word_picker(page)
    vocabulary.editor(page, sentence=True)
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
if page.revealed():
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(text[lesson.said_of(page, "table")])
        chart.show(*lesson.drawn_table(page), key=page.key("table"), provenance=lesson.made_by(page))
        page_layout.choose(page, "width", text["width"], lesson.table_names(page))
    with right:
        st.markdown(text.filled(lesson.said_of(page, "alike"), **lesson.alike_in_words(page)))
        chart.show(*lesson.alike(page), key=page.key("alike"), provenance=lesson.made_by(page))
        page_layout.sliders(page, "near", "far")
page_layout.words(page, "equivariant")
