"""What every page has in the same place: its head, where its numbers come from, its text, its notes."""

from __future__ import annotations

import re
from string import punctuation

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import prose
from attention_core import RandomScores

from . import stage
from .lesson import Lesson

BADGES = {
    "by hand": (":material/draw:", "violet", "Numbers chosen by hand for this example."),
    "random": (":material/casino:", "orange", "Random numbers from a fixed seed."),
    "learned": (":material/school:", "green", "Weights that were learned by training."),
    "published": (":material/menu_book:", "violet", "Sizes that the authors of the model have published."),
    "yours": (":material/pan_tool:", "blue", "You have changed these numbers."),
}


def head(page: str, docstring: str) -> None:
    """The page's name, from the first line of its docstring, and its question as the subtitle."""
    name = docstring.strip().splitlines()[0].rstrip(".")
    stage.library()
    _awake()
    st.markdown(f"## {name}\n{prose.read(page)['question']}")


@st.fragment(run_every=86_400)
def _awake() -> None:
    """Nothing to see. A page with a repeating fragment runs anew as soon as a restarted server is back.

    Without it, the browser would go on asking the new server for fragments that only the old one knew.
    """


def badge(made: Lesson | RandomScores, *fields: str) -> None:
    """Where the numbers on screen come from: a lesson's vectors, and the `fields` named, or what was drawn."""
    provenance = made.provenance_with(*fields) if fields else made.provenance
    icon, colour, help_text = BADGES[provenance]
    st.badge(provenance, icon=icon, color=colour, help=help_text)


def reset(lesson: Lesson) -> None:
    """Everything on this page as it was at first."""
    st.button(
        "Reset",
        icon=":material/restart_alt:",
        on_click=lesson.start_over,
        key=lesson.key("reset"),
        help="This page as it was at first.",
    )


def notices(lesson: Lesson) -> None:
    """One line on whatever the address held that could not be used."""
    left_out = lesson.memory.left_out
    if left_out:
        shown = "; ".join(left_out[:6]) + (" …" if len(left_out) > 6 else "")
        st.warning(as_text(f"Left out of the address: {shown}. Defaults stand in."), icon=":material/link_off:")


def refusal(lesson: Lesson, what: str) -> None:
    """Why the last input to an editor could not be used, as long as it stands there."""
    if what in lesson.memory.refused:
        reason = as_text(lesson.memory.refused[what])
        st.error(f"{reason} What was there before is kept.", icon=":material/edit:")


# Streamlit looks for icons, arrows and addresses once more in what Markdown has left as text, whatever was
# escaped there. They are found within one piece of text only, and nothing in small type (which shows as nothing)
# parts it.
SEAM = ":small[]"
PARTED = re.compile(r"(?<=:)|(?<=w)(?=ww)|(?=@)|(?<=[-<>~])(?=[-<>=]|$)", re.IGNORECASE)


def as_text(words: str) -> str:
    """Text for a Markdown place, every sign of it shown as it is."""
    pieces = ("".join(f"\\{c}" if c in punctuation else c for c in piece) for piece in PARTED.split(words))
    return SEAM.join(pieces)


def tools() -> DeltaGenerator:
    """The row above the stage: example, word of interest, editors, what can be taken away, reset."""
    return st.container(horizontal=True, vertical_alignment="bottom")


def words(lesson: Lesson, *more: str) -> None:
    """The page's paragraphs, `more` of its sections after them, and beside them its notes for a class."""
    text, notes = st.columns([2, 1], gap="large")
    with text:
        st.markdown("\n\n".join(lesson.text[section] for section in ("text", *more)))
    with notes:
        class_notes(lesson)


def class_notes(lesson: Lesson) -> None:
    """Two lines for a teacher."""
    notes = lesson.text.parts("notes")
    with st.expander("For the class", icon=":material/co_present:"):
        st.markdown(f"**Misconception.** {notes['misconception']}\n\n**Ask.** {notes['ask']}")
        st.caption(lesson.text["source"])
