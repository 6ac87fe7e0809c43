"""The page at /self_attention, from top to bottom."""

import streamlit as st

import attention_lab.lessons.self_attention as lesson
from attention_lab.lessons.self_attention import real
from attention_lab.widgets import export, matrix, page_layout, predict, real_heads, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page, sentence=True, width=148)
    labels = lesson.calculation.MATRICES.items()
    with page_layout.change(page, "words", "matrices"):
        vocabulary.editor(page, sentence=True, beside=lesson.calculation.BESIDE, features=True)
        matrix.editor(page, {name: label for name, label in labels if getattr(page.state, name).size})
    export.group(page)
predict.ask_and_show(page, vocabulary.say_without_features, lesson.calculation.BESIDE)
if page.revealed():
    real_heads.fold(page, real.both_endings, "real_head")
with st.expander(page.text["two_layers/title"]):
    st.markdown(page.text["two_layers"])
page_layout.words(page)
