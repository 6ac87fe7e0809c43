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
    with st.container(border=True):
        st.markdown(steps)


def stops(page: Page, among: Sequence[Stop]) -> None:
    """All stops in their order."""
    for stop in among:
        with st.container(border=True, key=f"stop.{stop.to.page}"):
            told, linked = st.columns([3, 2], gap="large")
            with told:
                st.caption(stop.when)
                title, settings = f"**{stop.to.title}**", dict(stop.settings)
                page_links.link(stop.to, title, query_params=settings, icon=":material/arrow_forward:")
                st.markdown(f"{stop.what}\n\n{page.text['goal']} {stop.goal}")
                st.markdown(
                    f"{ui_text('notes/ask')} {stop.ask}\n\n{ui_text('notes/misconception')} {stop.misconception}"
                )
                with st.expander(ui_text("notes/answer"), expanded=page.state.answers):
                    st.markdown(stop.answer)
            with linked:
                show_codes(page, f"stop.{stop.to.page}", qr.link(stop.path, stop.label), title=stop.label)
