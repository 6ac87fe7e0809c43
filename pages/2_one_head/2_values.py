"""Values.

What is handed over?
"""

import streamlit as st

import attention_lab.lessons.values as lesson
from attention_lab.widgets import export, figure, matrix, page_layout, predict, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """What the hand moves, and what follows it on release."""
    page.sync_inputs()
    view = page.view()
    predict.ask(page, view)
    now, hidden = view.now, view.hidden[0]
    above = page_layout.above(page)
    if not hidden and page.example in lesson.BANKS:
        with st.expander(page.text["article"], key=page.key("article")):
            st.markdown(lesson.in_words(page.state))
        with st.expander(page.text["matrices/title"], on_change="rerun", key=page.key("matrices")) as matrices:
            if matrices.open:
                st.markdown(lesson.where_scores_come_from(page.state))
                for line in lesson.derivation(now):
                    st.latex(line)
    with above:  # drawn last: the stage has moved already, under the hand
        figure.show(page, view)


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True)
    vocabulary.word_picker(page)
    vocabulary.editor(page, sentence=True)
    matrix.editor(page, page.text.parts("matrix_editor"), denominator=lesson.FIFTY_SEVENTHS)
    export.menu(page)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page)
