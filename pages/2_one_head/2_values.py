"""The page at /values, from top to bottom."""

import streamlit as st

import attention_lab.lessons.values as lesson
from attention_lab.lessons.values import article
from attention_lab.widgets import export, figure_component, matrix, page_layout, predict, vocabulary


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    view = page.view()
    now, hidden = view.now, view.hidden[0]
    figure_component.show(page, view)
    if not hidden and page.state.example in lesson.BANKS:
        with st.expander(page.text["article"], key=page.key("article")):
            st.markdown(article.in_words(page.state))
        with st.expander(page.text["matrices/title"], on_change="rerun", key=page.key("matrices")) as matrices:
            if matrices.open:
                st.markdown(page.text.filled("matrices/text", **article.worked("money_bank")))
                for line in article.derivation(now):
                    st.latex(line)


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page, sentence=True)
    with page_layout.change(page, "word", "words", "matrices") as opened:
        if opened:
            vocabulary.word_picker(page)
        vocabulary.editor(page, sentence=True)
        matrix.editor(page, page.text.parts("matrix_editor"), denominator=article.FIFTY_SEVENTHS)
    export.group(page)
predict.ask(page)
figure_and_charts()
page_layout.words(page)
