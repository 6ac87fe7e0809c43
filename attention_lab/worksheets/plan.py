"""The plan of a lesson: its stops one below the other, each with its link, its question and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from attention_lab.export import qr
from attention_lab.state.page_state import PageState
from attention_lab.text import say
from attention_lab.widgets import page_links

from . import paper

print_button = paper.print_button


@dataclass(frozen=True)
class Stop:
    """A page of the lesson: when, what is done there, what is asked, and where its link leads."""

    to: page_links.PageLink
    when: str
    what: str
    goal: str
    ask: str
    misconception: str
    answer: str
    settings: Mapping[str, str]
    path: str
    label: str


def stops(page: PageState, among: Sequence[Stop]) -> None:
    """All stops in their order."""
    for stop in among:
        with st.container(border=True, key=f"stop.{stop.to.page}"):
            told, linked = st.columns([3, 2], gap="large")
            with told:
                st.caption(stop.when)
                title, settings = f"**{stop.to.title}**", dict(stop.settings)
                page_links.link(stop.to, title, query_params=settings, icon=":material/arrow_forward:")
                st.markdown(f"{stop.what}\n\n{page.text['goal']} {stop.goal}")
                st.markdown(f"{say('notes/ask')} {stop.ask}\n\n{say('notes/misconception')} {stop.misconception}")
                with st.expander(say("notes/answer"), expanded=page.answers):
                    st.markdown(stop.answer)
            with linked:
                qr.show(page, f"stop.{stop.to.page}", qr.link(stop.path, stop.label), title=stop.label)
