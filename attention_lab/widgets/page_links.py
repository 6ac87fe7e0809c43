"""What home shows of the other pages: a card for each that exists, a lesson's route, links for a class."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from attention_lab import text as prose
from attention_lab.state.page_state import PageState
from attention_lab.text import say

from . import frame

ABREAST = 3


def _sentence(text: prose.Text, goal: str) -> str:
    """A goal's sentence outside its page, with the names that the page begins with or general ones."""

    def name(found: re.Match[str]) -> str:
        own = (f"open_names/{goal}/{found[1]}", f"open_names/{found[1]}")
        return next((text[section] for section in own if section in text), None) or say(f"open_names/{found[1]}")

    return re.sub(r"\{(\w+)\}", name, text[f"goals/{goal}"])


@dataclass(frozen=True)
class PageLink:
    """A page as seen from outside. Its `script` is the path that Streamlit knows it by."""

    page: str
    title: str
    section: str
    script: str

    @property
    def text(self) -> prose.Text:
        """The page's words."""
        return prose.read(self.page)

    @property
    def promise(self) -> str:
        """What waits behind it, in one line."""
        return self.text.get("promise", "")

    @property
    def minutes(self) -> str:
        """How long a class takes there."""
        return self.text.get("minutes", "")

    @property
    def settings(self) -> list[tuple[str, dict[str, str]]]:
        """For each goal its sentence, and what opens the page with that goal set and a guess asked for first."""
        first = {"predict": "1"} if self.text.parts("predict") else {}
        return [(sentence, told | first) for sentence, told in goal_settings(self.page, self.text)]


def goal_settings(page: str, text: prose.Text) -> list[tuple[str, dict[str, str]]]:
    """For each goal of a page its sentence, and what sets it: the goal, and the example that it belongs to."""
    needs = prose.read("home")
    return [
        (
            _sentence(text, goal),
            dict(parse_qsl(needs.get(f"goal_settings/{page}/{goal}", ""))) | {"goal": goal},
        )
        for goal in text.parts("goals")
    ]


@lru_cache(8)
def page_links(pages: Path, *, with_home: bool = False) -> tuple[PageLink, ...]:
    """The pages of the course that exist, in its order, without home or with it."""
    course = [link for link in _every(pages) if Path(link.script).parent.name != frame.OF_TEACHERS]
    return tuple(link for link in course if with_home or link.page != "home")


@lru_cache(4)
def of_teachers(pages: Path) -> tuple[PageLink, ...]:
    """The pages that are for a class, and no part of the course."""
    return tuple(link for link in _every(pages) if Path(link.script).parent.name == frame.OF_TEACHERS)


def _every(pages: Path) -> list[PageLink]:
    return [
        PageLink(frame.address(path), frame.title(path), section, str(path))
        for section, paths in frame.files(pages).items()
        for path in paths
    ]


def link(to: PageLink, label: str = "", **more) -> None:
    """A link that stays in the app. A page that runs alone knows of no other and shows the name."""
    try:
        st.page_link(to.script, label=label or to.title, **more)
    except StreamlitPageNotFoundError:
        st.markdown(label or to.title)


def cards(among: Sequence[PageLink]) -> None:
    """Every page with its question and its minutes, by section."""
    for section, group in groupby(among, key=lambda each: each.section):
        st.markdown(f"### {section}")
        found = list(group)
        for row in range(0, len(found), ABREAST):
            for place, to in zip(st.columns(ABREAST), found[row : row + ABREAST], strict=False):
                with place.container(border=True, height="stretch", gap="small"):
                    link(to, f"**{to.title}**", icon=":material/arrow_forward:", icon_position="right")
                    st.markdown(to.text["question"])
                    st.caption(say("page_links/minutes", promise=to.promise, minutes=to.minutes))


def route(text: prose.Text, among: Sequence[PageLink], further: Sequence[PageLink] = ()) -> None:
    """A lesson of 45 minutes: through the whole course, or through Part 1 where there is no other.

    Below it the ways to what is `further` there for a class.
    """
    parts, whole = text.parts("route"), len({each.section for each in among}) > 1
    names = [name for name in parts if (name != "part_1_alone") == whole]
    st.markdown("\n\n".join(parts[name] for name in names))
    for to in further:
        link(to, icon=":material/arrow_forward:")


def links(page: PageState, among: Sequence[PageLink]) -> None:
    """For every goal a link that sets it and asks for a guess first, to be tried and to be copied."""
    fold = st.expander(
        say("page_links/with_goals"), icon=":material/link:", key=page.key("links"), on_change="rerun"
    )
    if not fold.open:
        return
    with fold:
        st.markdown(page.text["links"])
        for to in among:
            if to.settings:
                st.markdown(f"**{to.title}**")
            for sentence, settings in to.settings:
                st.markdown(sentence)
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.code(f"{to.page}?{urlencode(settings)}", language=None, wrap_lines=True)
                    link(to, say("page_links/open"), icon=":material/arrow_forward:", query_params=settings)
