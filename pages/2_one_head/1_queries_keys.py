"""The page at /queries_keys, from top to bottom."""

import streamlit as st

import attention_lab.lessons.queries_keys as lesson
from attention_lab.charts import heatmap, landscape
from attention_lab.widgets import chart, export, matrix, page_layout, predict, vocabulary

page = page_layout.open_page(lesson.LESSON)
starts = page.text.parts("starts")
with page_layout.head(page):
    ways = page.text.parts("ways")
    page_layout.choose(
        page,
        "way",
        page.text["settings/way"],
        ways,
        width=200,
        every=True,
        outside=True,
        on_choose=lesson.take_way,
    )
    with page_layout.change(page, "examples", "word", "words", "matrices", "settings") as opened:
        if opened:
            vocabulary.example_picker(page)
            vocabulary.word_picker(page)
            if page.state.way == "two":
                page_layout.begin_with(page, "start", page.text["starts"], starts, lesson.take_start)
            page_layout.choose(page, "scores", page.text["scores"], page.text.parts("scores"), outside=True)
        vocabulary.editor(page, sentence=True)
        matrix.editor(page, lesson.matrices(page.state), along=["W_key"] if page.state.way == "one" else [])
    export.group(page)
predict.ask(page)
if page.state.way == "one":
    page_layout.begin_with(page, "start", page.text["space"], starts, lesson.take_start)
page_layout.live_figure(page)
if page.revealed():
    title, key = page.text["further/title"], page.key("further")
    fold = st.expander(title, on_change="rerun", key=key)
    if fold.open:
        now = page.followed().now
        drawn, words = fold.columns([3, 2], gap="large")
        with words:
            st.markdown(page.text["further/features" if page.state.way == "features" else "further/landscape"])
        with drawn:
            if page.state.way == "features":
                both, how, of = lesson.wanted_features(page.state), lesson.workings(page.state), lesson.MATRICES
                chart.heatmap(page, heatmap, both, now.axes, of=of, limit=10.0, workings=how, key="product")
            else:
                spec = landscape.spec(lesson.parts.reach(page.state))
                provenance = page.provenance_of("vectors", *lesson.MATRICES)
                chart.show(lesson.seen(page.state, now), spec, key=page.key("landscape"), provenance=provenance)
page_layout.words(page)
