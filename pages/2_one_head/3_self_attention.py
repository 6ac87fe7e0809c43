"""Self-attention, step by step.

What happens to one word?
"""

import streamlit as st

import attention_lab.lessons.self_attention as lesson
from attention_lab import export, figure
from attention_lab.widgets import matrix, open_page, page_layout, predict, real_heads, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """The stage, and what follows it on release."""
    page.sync_inputs()
    now = lesson.calculate(page)
    hidden = predict.ask(page, lesson.MOST_WEIGHT, now)
    ratios_hidden = hidden or (
        lesson.asks_about_ratio(page) and predict.ask(page, lesson.WIDE, now, **lesson.names_of(page))
    )
    vocabulary.say_without_features(page, lesson.BESIDE)
    figure.show(
        page,
        lesson.on_stage(page, now, ratios_hidden=ratios_hidden),
        now,
        title=page.text.plain("figure"),
        results_hidden=hidden,
    )
    if not hidden:
        real_heads.fold(page, lesson.both_endings, "real_head")


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True, width=450)
    vocabulary.editor(page, sentence=True, beside=lesson.BESIDE, features=True)
    matrix.editor(page, lesson.shown_matrices(page))
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
with st.expander(page.text["two_layers/title"], icon=":material/layers:"):
    st.markdown(page.text["two_layers"])
page_layout.words(page)
