"""What home shows of the other pages: a card for each that exists, links for a class."""

from collections.abc import Sequence
from itertools import groupby
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from attention_lab.course import PageLink
from attention_lab.text import ui_text

from .session import Page

ABREAST = 3


def link(to: PageLink, label: str = "", **more) -> None:
    """A link that stays in the app. A page that runs alone knows of no other and shows the name."""
    try:
        st.page_link(to.script, label=label or to.title, **more)
    except StreamlitPageNotFoundError:
        st.markdown(label or to.title)


def cards(among: Sequence[PageLink]) -> None:
    """Every page with its question and its minutes, by section."""
    for section, group in groupby(among, key=lambda each: each.section):
        st.markdown(f"## {section}")
        found = list(group)
        for row in range(0, len(found), ABREAST):
            for place, to in zip(st.columns(ABREAST), found[row : row + ABREAST], strict=False):
                with place.container(border=True, height="stretch", gap="small"):
                    link(to, f"**{to.title}**", icon=":material/arrow_forward:", icon_position="right")
                    st.markdown(to.text["question"])
                    st.caption(ui_text("page_links/minutes", promise=to.promise, count=to.minutes))


def links(page: Page, among: Sequence[PageLink]) -> None:
    """For every goal a link that sets it and asks for a guess first, to be tried and to be copied."""
    fold = st.expander(
        ui_text("page_links/with_goals"), icon=":material/link:", key=page.key("links"), on_change="rerun"
    )
    if not fold.open:
        return
    with fold:
        st.markdown(page.text["links"])
        for to in among:
            if to.settings:
                st.markdown(f"**{to.title}**")
            for sentence, of_goal in to.settings:
                settings = of_goal | page.state.of_language
                st.markdown(sentence)
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.code(f"{to.page}?{urlencode(settings)}", language=None, wrap_lines=True)
                    link(to, ui_text("page_links/open"), icon=":material/arrow_forward:", query_params=settings)
