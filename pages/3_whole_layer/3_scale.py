"""The page at /scale, from top to bottom."""

import streamlit as st

import attention_lab.lessons.scale as lesson
from attention_lab.widgets import chart, export, figure_component, page_layout, predict


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    view = page.view()
    now, hidden = view.now, view.hidden[0]
    figure_component.show(page, view)
    if not hidden:
        title, text = lesson.text_length.title_and_text(page.state, "work_and_memory")
        with st.expander(title, on_change="rerun", key=page.key("work_and_memory")) as fold:
            if fold.open:
                st.markdown(text)
                left, right = st.columns(2, gap="large")
                with left:
                    st.markdown(f"**{page.text['work']}**")
                    chart.show(*lesson.text_length.work_chart(page.state, now), key=page.key("work"))
                    st.markdown(lesson.text_length.table(page.state, now, "work"))
                with right:
                    st.markdown(f"**{page.text['memory']}**")
                    chart.show(*lesson.text_length.memory_chart(page.state, now), key=page.key("memory"))
                    st.markdown(lesson.text_length.table(page.state, now, "memory"))
                page_layout.badge(page.provenance_of(*lesson.sizes.NAMES))
        title, text = lesson.text_length.title_and_text(page.state, "steps_between")
        with st.expander(title, on_change="rerun", key=page.key("steps_between")) as fold:
            if fold.open:
                left, right = st.columns([2, 3], gap="large")
                with left:
                    st.markdown(text)
                    names, key = lesson.text_length.distances(), page.key("distance")
                    st.select_slider(page.text["distance"], list(names), format_func=names.get, key=key)
                    st.markdown(lesson.text_length.steps_table(page.state))
                with right:
                    key, counted = page.key("steps"), page_layout.BY_FORMULA
                    chart.show(*lesson.text_length.steps_chart(page.state), key=key, provenance=counted)


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    export.group(page)
predict.ask(page)
figure_and_charts()
page_layout.words(page)
st.markdown(lesson.published_and_counted(page.state))
