"""The plan of a lesson on a page: its stops one below the other."""

from collections.abc import Sequence

import streamlit as st

from attention_lab.export import qr
from attention_lab.text import ui_text
from attention_lab.worksheets.plan import Stop

from . import page_links, paper
from .class_link import show_codes
from .session import Page

print_button = paper.print_button


def card(steps: str) -> None:
    """How to start a class, on one page to print."""
    with st.container(border=True, key="card"):
        st.markdown(steps)


def stops(page: Page, among: Sequence[Stop]) -> None:
    """All stops in their order."""
    with st.container(gap=None, key="stops"):
        for stop in among:
            _stop(page, stop)


def _stop(page: Page, stop: Stop) -> None:
    with st.container(key=f"stop.{stop.to.page}"):
        when, told, linked = st.columns([1, 6.5, 2], gap="medium")
        when.markdown(stop.when)
        with told:
            page_links.link(stop.to, query_params=dict(stop.settings))
            st.markdown(stop.what)
            labels = page.text["goal"], ui_text("notes/ask"), ui_text("notes/misconception")
            notes = zip(labels, (stop.goal, stop.ask, stop.misconception), strict=True)
            st.markdown("\n\n".join(map(" ".join, notes)))
            with st.expander(ui_text("notes/answer"), expanded=page.state.answers):
                st.markdown(stop.answer)
        with linked:
            page_links.picture(stop.to.page, f"picture.{stop.to.page}")
            code = qr.link(stop.path, stop.label, compact=True)
            show_codes(page, f"stop.{stop.to.page}", code, title=stop.label)
