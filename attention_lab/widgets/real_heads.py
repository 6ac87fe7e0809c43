"""The fold that shows what a page is about in a real model."""

from collections.abc import Callable

import streamlit as st

from attention_core import load_gallery
from attention_core.models import unreadable
from attention_lab.figure.real_heads import GALLERY, FoldContent
from attention_lab.state.state import State

from . import figure_component, page_layout
from .session import Page


def fold(page: Page, make: Callable[[State], FoldContent], *choices: str) -> None:
    """Draw the fold, where the gallery can be read; its `choices` are fields of the page.

    It stands outside the page's fragment, since a hand changes nothing in it. Its words are the page's sections
    ``real`` and ``real/title``. What it shows is made once it is open.
    """
    if unreadable((GALLERY,)):
        return
    title = page.text["real/title"]
    box = st.expander(title, on_change="rerun", key=page.key("real"))
    if not box.open:
        return
    with box:
        content = make(page.state)
        st.markdown(page.text.filled("real", model=load_gallery().record["model"], **content.names))
        if choices:
            page_layout.sliders(page, *choices, outside=True)
        figure_component.still(
            page, "real_heads", content.columns, title=title, constants=content.constants, provenance="learned"
        )
