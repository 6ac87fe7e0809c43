"""The page at /softmax, from top to bottom."""

import streamlit as st

import attention_lab.lessons.softmax as lesson
from attention_lab.charts import shares, simplex
from attention_lab.lessons.softmax import experiments
from attention_lab.widgets import chart, export, figure_component, page_layout, predict, scores, vocabulary


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    view = page.view()
    figure_component.show(page, view)
    if not view.hidden[0]:
        with st.expander(page.text["triangle/title"], on_change="rerun", key=page.key("triangle")) as triangle:
            if triangle.open:
                picture, beside = st.columns([3, 2], gap="large")
                with beside:
                    st.markdown(page.text["triangle/text"])
                    now = view.now
                    if three := simplex.three(now.counted[0], now.word, now.other):
                        names = [now.words[place] for place in three]
                        st.caption(experiments.of_three(page.state, names))
                    page_layout.badge(page.provenance_of("scores", "vectors"))
                with picture:
                    if three:
                        rows = simplex.rows(now.counted[0, three], names, page.state.temperature)
                        chart.show(rows, simplex.spec(), key=page.key("triangle_chart"))
                    else:
                        st.info(page.text["triangle/too_few"])
        with st.expander(page.text["root_d/title"], on_change="rerun", key=page.key("root_d")) as root_d:
            if root_d.open:
                left, right = st.columns([2, 3], gap="large")
                with left:
                    st.markdown(page.text["root_d/text"])
                    st.select_slider("d", page.options("d"), key=page.key("d"))
                    st.selectbox(page.text["root_d/seed"], page.options("seed"), key=page.key("seed"), width=110)
                    page_layout.badge(experiments.sample(page.state).provenance)
                with right:
                    st.caption(page.text["root_d/sample"])
                    chart.show(shares.rows(experiments.sample(page.state)), shares.spec(), key=page.key("sample"))
                chart.abreast(page, experiments.over_d(page.state))


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page)
    with page_layout.change(page, "word", "words", "scores") as opened:
        if opened:
            vocabulary.word_picker(page, scores.give_back)
        vocabulary.editor(page, sentence=True)
        scores.editor(page, lesson.calculation.scores_now, page.text.filled("scores", word=page.state.word))
    export.group(page)
predict.ask(page)
figure_and_charts()
page_layout.words(page)
