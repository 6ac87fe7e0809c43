"""The page at /masking, from top to bottom."""

import streamlit as st

import attention_lab.lessons.masking as lesson
from attention_lab.lessons.masking import leak, real
from attention_lab.widgets import export, page_layout, predict, real_heads, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page, sentence=True)
    with page_layout.change(page, "word", "words") as opened:
        if opened:
            vocabulary.word_picker(page)
        vocabulary.editor(page, sentence=True, beside=lesson.calculation.BESIDE, features=True)
    export.group(page)
predict.ask_and_show(page, vocabulary.say_without_features, lesson.calculation.BESIDE)
if leak.models():
    title, key = page.text["leak/title"], page.key("leak")
    with st.expander(title, on_change="rerun", key=key) as fold:
        if fold.open:
            st.markdown(leak.leak(page.state))
            page_layout.badge("learned")
real_heads.fold(page, real.both_ways, "real_layer")
page_layout.words(page)
st.markdown(lesson.growth(page.state))
