"""What home shows of the other pages: a door to each that exists, a lesson's route, links for a class."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

import prose

from . import frame
from .lesson import Lesson

ABREAST = 3
NAMES = {"word": "the word of interest", "other": "the other word", "side": "other", "across": "other"}


def _open_name(found: re.Match[str]) -> str:
    """What a goal's sentence says where the page will put in a name of its own."""
    return NAMES.get(found[1], "…")


@dataclass(frozen=True)
class Door:
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
        return prose.read("home").get(f"doors/{self.page}", "")

    @property
    def minutes(self) -> str:
        """How long a class takes there."""
        return self.text.get("minutes", "")

    @property
    def settings(self) -> list[tuple[str, dict[str, str]]]:
        """For each goal its sentence, and what opens the page with that goal set and a guess asked for first."""
        needs, first = prose.read("home"), {"predict": "1"} if self.text.parts("predict") else {}
        return [
            (
                re.sub(r"\{(\w+)\}", _open_name, sentence),
                dict(parse_qsl(needs.get(f"goal_settings/{self.page}/{goal}", ""))) | {"goal": goal} | first,
            )
            for goal, sentence in self.text.parts("goals").items()
        ]


@cache
def doors(pages: Path) -> tuple[Door, ...]:
    """The pages that exist, in the order of the course, without home."""
    return tuple(
        Door(frame.address(path), frame.title(path), section, str(path))
        for section, paths in frame.files(pages).items()
        for path in paths
        if frame.address(path) != "home"
    )


def link(door: Door, label: str = "", **more) -> None:
    """A link that stays in the app. A page that runs alone knows of no other and shows the name."""
    try:
        st.page_link(door.script, label=label or door.title, **more)
    except StreamlitPageNotFoundError:
        st.markdown(label or door.title)


def cards(among: Sequence[Door]) -> None:
    """Every page with its question and its minutes, by section."""
    for section, group in groupby(among, key=lambda door: door.section):
        st.markdown(f"#### {section}")
        found = list(group)
        for row in range(0, len(found), ABREAST):
            for place, door in zip(st.columns(ABREAST), found[row : row + ABREAST], strict=False):
                with place.container(border=True, height="stretch", gap="small"):
                    link(door, f"**{door.title}**", icon=":material/arrow_forward:", icon_position="right")
                    st.markdown(door.text["question"])
                    st.caption(f"{door.promise} {door.minutes} minutes.")


def route(text: prose.Text, among: Sequence[Door]) -> None:
    """A lesson of 45 minutes: through the whole course once all its pages exist, else through Part 1."""
    parts, whole = text.parts("route"), set(text.parts("doors")) <= {door.page for door in among}
    names = [name for name in parts if (name != "part_1_alone") == whole]
    st.markdown("\n\n".join(parts[name] for name in names))


def links(lesson: Lesson, among: Sequence[Door]) -> None:
    """For every goal a link that sets it and asks for a guess first, to be tried and to be copied."""
    fold = st.expander(
        "Links that set a goal", icon=":material/link:", key=lesson.key("links"), on_change="rerun"
    )
    if not fold.open:
        return
    with fold:
        st.markdown(lesson.text["links"])
        for door in among:
            if door.settings:
                st.markdown(f"**{door.title}**")
            for sentence, settings in door.settings:
                st.markdown(sentence)
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.code(f"{door.page}?{urlencode(settings)}", language=None)
                    link(door, "Open", icon=":material/arrow_forward:", query_params=settings)
