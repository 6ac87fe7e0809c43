"""Multi-head attention.

Why look more than once?
"""

import streamlit as st

import attention_lab.lessons.multi_head as lesson
from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, real_heads, settings, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """What follows the hand, and below it what is computed only once its fold is open."""
    page.sync_inputs()
    now, text = lesson.calculate(page), page.text
    hidden = predict.ask(page, lesson.ALL_OFF, lesson.EVERY_HEAD_OFF.go_on(now))
    unsure = hidden or predict.ask(page, lesson.TWO_WAYS, now)
    vocabulary.say_without_features(page, lesson.BESIDE)
    columns = lesson.on_stage(page, now, two_ways_hidden=unsure)
    figure.show(page, columns, now, title=text.plain("figure"), results_hidden=hidden)
    if hidden:
        return
    title = text["folds/low_rank"]
    fold = st.expander(title, icon=":material/compress:", on_change="rerun", key=page.key("low_rank"))
    if fold.open:
        left, right = fold.columns([2, 3], gap="large")
        with left:
            st.markdown(text["low_rank"])
            settings.select(page, "map", lesson.map_names(page), inside=True)
            page_layout.sliders(page, "inner")
            st.markdown(lesson.sizes_told(page))
        with right:
            given, origin = lesson.given_two_steps(page), lesson.map_provenance(page)
            figure.still(page, "two_steps", lesson.two_steps(page), title=title, given=given, provenance=origin)
    title, key = text["folds/block"], page.key("block")
    fold = lesson.has_block(page) and st.expander(title, icon=":material/layers:", on_change="rerun", key=key)
    if fold and fold.open:
        with fold:
            st.markdown(text["block"])
            page_layout.choose(page, "norm", text["norm"], lesson.norm_names(page))
            given = lesson.given_block(page, now)
            columns = lesson.block(page, given)
            figure.still(page, "steps", columns, title=title, given=given, provenance="random")
            page_layout.badge(lesson.feed_forward_of(page).provenance)
            st.caption(text["block/and_again"])
    real_heads.fold(page, lesson.one_layer, "real_layer")


page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page, sentence=True, width=450)
    vocabulary.word_picker(page)
    vocabulary.editor(page, sentence=True, beside=lesson.BESIDE, features=True)
    export.menu(page, lesson.tables, lesson.for_programs)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page)
