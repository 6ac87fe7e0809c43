"""The page at /multi_head, from top to bottom."""

import streamlit as st

import attention_lab.lessons.multi_head as lesson
from attention_lab.lessons.multi_head import folds, real
from attention_lab.widgets import export, figure_component, page_layout, predict, real_heads, settings, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page, sentence=True, width=240)
    with page_layout.change(page, "word", "words") as opened:
        if opened:
            vocabulary.word_picker(page)
        vocabulary.editor(page, sentence=True, beside=lesson.calculation.BESIDE, features=True)
    export.group(page)
predict.ask_and_show(page, vocabulary.say_without_features, lesson.calculation.BESIDE)
if page.revealed():
    state, text, heads = page.state, page.text, lesson.calculation.heads_of(page.state)
    title = text["folds/low_rank"]
    fold = st.expander(title, on_change="rerun", key=page.key("low_rank"))
    if fold.open:
        left, right = fold.columns([2, 3], gap="large")
        with left:
            st.markdown(text["low_rank"])
            settings.select(page, "map", folds.map_names(state))
            page_layout.sliders(page, "inner", outside=True)
            st.markdown(folds.sizes_text(state))
        with right:
            constants = folds.two_steps_constants(state)
            origin = "random" if state.map == folds.RANDOM else heads.example.provenance
            figure_component.still(
                page, "two_steps", folds.two_steps(state), title=title, constants=constants, provenance=origin
            )
    title, key = text["folds/block"], page.key("block")
    # the model that was trained has neither norm nor feed-forward network
    fold = not heads.is_learned and st.expander(title, on_change="rerun", key=key)
    if fold and fold.open:
        now = page.followed().now
        with fold:
            st.markdown(text["block"])
            page_layout.choose(page, "norm", text["norm"], text.parts("norm"), outside=True)
            constants = folds.block_constants(state, now)
            columns = folds.block(state, constants)
            figure_component.still(page, "steps", columns, title=title, constants=constants, provenance="random")
            page_layout.badge(folds.feed_forward(heads).provenance)
            st.caption(text["block/and_again"])
    real_heads.fold(page, real.one_layer, "real_layer")
page_layout.words(page)
