"""Masking.

Who may look at whom?
"""

import streamlit as st

import attention_lab.lessons.masking as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, real_heads, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """The stage; all of it follows the hand."""
    page.sync_inputs()
    now = lesson.calculate(page)
    asked = lesson.with_guesses(now)
    hidden = predict.ask(page, lesson.LATER_WORD, asked)
    cut_hidden = hidden or predict.ask(page, lesson.ROW_SUM, asked)
    vocabulary.say_without_features(page, lesson.BESIDE)
    figure.show(
        page,
        lesson.on_stage(page, now, cut_hidden=cut_hidden),
        now,
        title=page.text.plain("figure"),
        results_hidden=hidden,
    )
    title, key = page.text["leak/title"], page.key("leak")
    fold = lesson.has_leak() and st.expander(title, icon=":material/visibility:", on_change="rerun", key=key)
    if fold and fold.open:
        with fold:
            page_layout.badge("learned")
            st.markdown(lesson.leak(page))
    real_heads.fold(page, lesson.both_ways, "real_layer")


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True)
    vocabulary.word_picker(page)
    vocabulary.editor(page, sentence=True, beside=lesson.BESIDE, features=True)
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page, "zero_after", "why_a_mask")
st.markdown(lesson.growth(page))
