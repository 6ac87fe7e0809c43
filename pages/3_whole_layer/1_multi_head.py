"""Multi-head attention.

Why look more than once?
"""

import streamlit as st

import attention_lab.lessons.multi_head as lesson
from attention_lab.widgets import export, figure, page_layout, predict, real_heads, settings, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """What follows the hand, and below it what is computed only once its fold is open."""
    page.sync_inputs()
    view, state, text = page.view(), page.state, page.text
    predict.ask(page, view)
    vocabulary.say_without_features(page, lesson.BESIDE)
    figure.show(page, view)
    if view.hidden[0]:
        return
    title = text["folds/low_rank"]
    fold = st.expander(title, icon=":material/compress:", on_change="rerun", key=page.key("low_rank"))
    if fold.open:
        left, right = fold.columns([2, 3], gap="large")
        with left:
            st.markdown(text["low_rank"])
            settings.select(page, "map", lesson.map_names(state), inside=True)
            page_layout.sliders(page, "inner")
            st.markdown(lesson.sizes_told(state))
        with right:
            given, origin = lesson.given_two_steps(state), lesson.map_provenance(state)
            figure.still(page, "two_steps", lesson.two_steps(state), title=title, given=given, provenance=origin)
    title, key = text["folds/block"], page.key("block")
    fold = lesson.has_block(state) and st.expander(title, icon=":material/layers:", on_change="rerun", key=key)
    if fold and fold.open:
        with fold:
            st.markdown(text["block"])
            page_layout.choose(page, "norm", text["norm"], lesson.norm_names(state))
            given = lesson.given_block(state, view.now)
            columns = lesson.block(state, given)
            figure.still(page, "steps", columns, title=title, given=given, provenance="random")
            page_layout.badge(lesson.feed_forward_of(state).provenance)
            st.caption(text["block/and_again"])
    real_heads.fold(page, lesson.one_layer, "real_layer")


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True, width=450)
    vocabulary.word_picker(page)
    vocabulary.editor(page, sentence=True, beside=lesson.BESIDE, features=True)
    export.menu(page)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page)
