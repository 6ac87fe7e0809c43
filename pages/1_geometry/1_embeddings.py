"""The page at /embeddings, from top to bottom."""

import streamlit as st

import attention_lab.lessons.embeddings as lesson
from attention_lab.lessons.embeddings import further
from attention_lab.widgets import export, figure_component, page_layout, predict, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page, sentence=True)
    with page_layout.change(page, "words"):
        vocabulary.editor(page, sentence=True, beside=lesson.BESIDE)
    export.group(page)
predict.ask_and_show(page)
page_layout.words(page)

with st.expander(page.text["displacements_add_up/title"], on_change="rerun", key=page.key("fold")) as fold:
    if fold.open:
        figure_component.still(
            page,
            "further",
            further.tip_to_tail_planes(page.state),
            title=page.text["displacements_add_up/title"],
            constants=further.CONSTANTS,
            provenance=further.TOWER.provenance,
        )
        st.markdown(page.text["displacements_add_up/text"])
