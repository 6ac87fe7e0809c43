"""The editor in which scores of one's own are typed."""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from attention_lab.state.permalink import Values
from attention_lab.state.scores import FARTHEST, read_lines, write_lines
from attention_lab.state.state import State
from attention_lab.text import ui_text
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_digits

from .page_layout import refusal, section, tool
from .session import Page


def give_back(state: State, word: str) -> Values:
    """Choose a word of interest, and let the scores be the computed ones again."""
    return {"word": word, "scores": np.empty((0, len(state.words)))}


@tool("scores")
def editor(page: Page, now: Callable[[State], Sequence[float]], label: str) -> None:
    """Type the scores in. `now` gives those on screen; what cannot be read stays as typed, with the reason."""
    key, names = page.key("scores_lines"), labels(page.state.words)

    def edited() -> None:
        page.put_read("scores", lambda: {"scores": read_lines(st.session_state[key], names)})

    with section(page, "scores", key) as opened:
        if not opened:
            return
        if "scores" not in page.session.refused:
            st.session_state[key] = write_lines(names, [float(f"{score:.12g}") for score in now(page.state)])
        st.text_area(
            label,
            key=key,
            on_change=edited,
            height=min(420, 70 + 26 * len(names)),
            help=ui_text("scores/help", limit=format_digits(FARTHEST)),
        )
        refusal(page, "scores")
