"""What home shows of the other pages: a card for each that exists, links for a class."""

import json
from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from attention_lab.course import PageLink
from attention_lab.export import cards as course_cards
from attention_lab.text import ui_text

from .session import Page

SHOW = """export default ({ data, parentElement }) => {
  const { html } = JSON.parse(data);
  if (parentElement.shown === html) return;
  parentElement.shown = html;
  parentElement.querySelector('.course')?.remove();
  parentElement.insertAdjacentHTML('beforeend', html);
};"""
_cards = st.components.v2.component("cards", css=course_cards.STYLE, js=SHOW, isolate_styles=False)


def link(to: PageLink, label: str = "", **more) -> None:
    """A link that stays in the app. A page that runs alone knows of no other and shows the name."""
    try:
        st.page_link(to.script, label=label or to.title, **more)
    except StreamlitPageNotFoundError:
        st.markdown(label or to.title)


def cards(page: Page, among: Sequence[PageLink]) -> None:
    """Every page as a card, by section. `menu.js` opens it within the app."""
    query = urlencode(page.state.of_language)
    shown = course_cards.cards(among, lambda name: f"{name}?{query}".rstrip("?"))
    _cards(key="cards", data=json.dumps({"html": shown}))


def links(page: Page, among: Sequence[PageLink]) -> None:
    """For every goal a link that sets it and asks for a guess first, to be tried and to be copied."""
    fold = st.expander(ui_text("page_links/with_goals"), key=page.key("links"), on_change="rerun")
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


def picture(page: str, key: str, **more) -> None:
    """Draw the picture of a page's card; nothing for a page that has none."""
    if not (picture := course_cards.picture(page)):
        return
    drawn = f'<div class="course" aria-hidden="true">{picture}</div>'
    _cards(key=key, data=json.dumps({"html": drawn}), **more)
