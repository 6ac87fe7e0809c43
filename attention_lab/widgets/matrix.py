"""The editor in which weight matrices are typed."""

from collections.abc import Mapping, Sequence

import streamlit as st

from attention_lab.state.matrix import read_rows, write_rows
from attention_lab.text import ui_text

from .page_layout import refusal, section, tool
from .session import Page


@tool("matrices")
def editor(page: Page, shown: Mapping[str, str], *, denominator: int = 1, along: Sequence[str] = ()) -> None:
    """Type the matrices in. `shown` maps each field's name to its label; what cannot be read stays as typed.

    What is typed holds for the fields `along` as well: one matrix for both queries and keys.
    """

    def edited(name: str) -> None:
        text, shape = st.session_state[page.key(f"rows.{name}")], page.state.values[name].shape
        page.put_read(name, lambda: dict.fromkeys((name, *along), read_rows(text, shape)))

    with section(page, "matrices", *(page.key(f"rows.{name}") for name in shown)) as opened:
        for name, label in shown.items() if opened else ():
            key, matrix = page.key(f"rows.{name}"), page.state.values[name]
            if name not in page.session.refused:
                st.session_state[key] = write_rows(matrix, denominator)
            st.text_area(
                f"{label}: {matrix.shape[0]} × {matrix.shape[1]}",
                key=key,
                on_change=edited,
                args=(name,),
                height=60 + 26 * len(matrix),
                help=ui_text("matrices/help"),
            )
            refusal(page, name)
