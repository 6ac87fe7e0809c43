"""The fold that shows what a page is about in a real model: heads of the shipped gallery, as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from attention_core import GalleryRun, load_gallery
from attention_core.models import unreadable
from attention_lab import figure
from attention_lab.state import permalink
from attention_lab.state.page_state import PageState

from . import page_layout

GALLERY = "gallery"  # its file among the shipped weights


@dataclass(frozen=True)
class Shown:
    """What the fold shows: pictures, the arrays that they are drawn from, and the numbers that its words name."""

    columns: Sequence[figure.Column]
    given: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)


def fold(page: PageState, make: Callable[[PageState], Shown], *choices: str) -> None:
    """Draw the fold, where the gallery can be read; its `choices` are fields of the page.

    Its words are the page's sections ``real`` and ``real/title``. What it shows is made once it is open.
    """
    if unreadable((GALLERY,)):
        return
    title = page.text["real/title"]
    box = st.expander(title, icon=":material/neurology:", on_change="rerun", key=page.key("real"))
    if not box.open:
        return
    with box:
        shown = make(page)
        st.markdown(page.text.filled("real", model=load_gallery().record["model"], **shown.names))
        if choices:
            page_layout.sliders(page, *choices)
        figure.still(page, "real_heads", shown.columns, title=title, given=shown.given, provenance="learned")


def run(name: str) -> GalleryRun:
    """What the model did with a sentence of the gallery."""
    return load_gallery().runs[name]


def head_names() -> tuple[str, ...]:
    """Every head by its layer and its number in it."""
    return load_gallery().head_names


def layer_names() -> list[str]:
    """Every layer by its number."""
    return [str(layer + 1) for layer in range(load_gallery().record["layers"])]


def offered(names: Callable[[], Sequence[str]]) -> Callable[[permalink.Values], Sequence[str]]:
    """Names as the options of a field; of a gallery that cannot be read there is one, of nothing."""
    return lambda _: ["1"] if unreadable((GALLERY,)) else names()


#: which of its layers is shown
LAYER = permalink.choice("real_layer", "the layer of the real model", offered(layer_names), "1")


def pattern(page: PageState, name: str, title: str, *, words: str = "words") -> figure.Column:
    """The weights given as `name`, a small picture under its heading, between the words given as `words`."""
    drawn = figure.heatmap(
        figure.given(name),
        title=title,
        what=f"weight {name}",
        rows=figure.given(words),
        columns=figure.given(words),
        limit=1.0,
        scale="share",
        form="percent",
        row=None,
        column=None,
        turned=page.orientation == "columns",
        small=True,
        quiet=True,
    )
    return figure.Column([figure.heading(title), drawn], least=300)
