"""The questions at the end of a part, in a fold below its last page.

Answers are kept in the session alone, never in a link. Nothing is computed until the fold is opened.
"""

from functools import lru_cache, partial
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from attention_lab import course
from attention_lab import text as prose
from attention_lab.quiz import PARTS, Item, Pose
from attention_lab.root import ROOT

from . import page_links
from .page_layout import fragment, new_for
from .session import lead_to

ANSWERS = "check_yourself"  # in the session: the option chosen, by the question's name


@lru_cache(32)
def _part_that_ends_with(page: str) -> str:
    """The folder of the part whose last page this is; empty for any other page."""
    parts = ([*filter(course.in_course, paths)] for paths in course.files(ROOT / "pages").values())
    last = [paths[-1] for paths in parts if paths]
    return next((path.parent.name for path in last if course.address(path) == page), "")


def at_end_of_part(page: StreamlitPage) -> None:
    """Draw the fold where a part ends; not for a projector, and not in another site's frame."""
    part = _part_that_ends_with(page.url_path)
    if part in PARTS and not st.session_state.get("present") and not st.context.is_embedded:
        fragment(partial(_fold, part, page.url_path))()


def _fold(part: str, page: str) -> None:
    """Draw the fold on this page, and the questions once it is open."""
    answered = any(item.name in _answers() for item in PARTS[part])
    fold = st.expander(
        prose.read("check_yourself")["title"],
        expanded=answered,  # as it was left, if a link led to another page and back
        key=f"check_yourself.{part}",
        on_change="rerun",
    )
    if not fold.open:
        return
    text = prose.read("check_yourself")
    with fold:
        st.caption(text["intro"])
        for number, item in enumerate(PARTS[part], 1):
            with st.container(border=True):
                _question(text, number, item, page)


def _answers() -> dict[str, str]:
    return st.session_state.setdefault(ANSWERS, {})


def _question(text: prose.Text, number: int, item: Item, here: str) -> None:
    page = next(link for link in course.page_links(ROOT / "pages") if link.page == item.pose.page)
    chosen = _answers().get(item.name)
    answer = st.radio(
        f"{number}. {text[f'{item.name}/question']}",
        item.options,
        index=item.options.index(chosen) if chosen in item.options else None,
        format_func=lambda option: text[f"{item.name}/option/{option}"],
        key=f"check_yourself.{item.name}",
    )
    if answer is not None:
        _answers()[item.name] = answer
    if answer is None or answer == item.right:
        if answer is not None:
            _say(item, f"{text['right']} {text[f'{item.name}/reason']}")
        page_links.link(page, text.filled("about", page=page.title), icon=":material/menu_book:")
    else:
        _say(item, f"{text['wrong']} {text[f'{item.name}/wrong/{answer}']}")
        _see(item.pose, text.filled("see", page=page.title), page, here)


def _say(item: Item, verdict: str) -> None:
    new_for(verdict, f"check_yourself.{item.name}.verdict").markdown(verdict)


def _see(pose: Pose, label: str, page: course.PageLink, here: str) -> None:
    """Draw the way to a pose: a link to another page, or a button that opens it on this one."""
    icon = ":material/arrow_forward:"
    if pose.page != here:
        page_links.link(page, label, icon=icon, query_params=pose.link)
    elif st.button(label, icon=icon, type="tertiary", key=f"see.{pose.page}"):
        lead_to(urlencode(pose.link))
        st.rerun()
