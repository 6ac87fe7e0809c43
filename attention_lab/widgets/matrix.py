"""The editor in which weight matrices are typed."""

from collections.abc import Mapping, Sequence

import streamlit as st

from attention_lab.state.matrix import read_rows, write_rows
from attention_lab.state.permalink import RefusedError
from attention_lab.text import ui_text

from .page_layout import keep_typed, refusal, tool
from .session import Page


@tool("matrices")
def editor(page: Page, shown: Mapping[str, str], *, denominator: int = 1, along: Sequence[str] = ()) -> None:
    """Type the matrices in. `shown` maps each field's name to its label; what cannot be read stays as typed.

    What is typed holds for the fields `along` as well: one matrix for both queries and keys.
    """
    session = page.session

    def edited(name: str) -> None:
        try:
            matrix = read_rows(st.session_state[page.key(f"rows.{name}")], page.state.values[name].shape)
        except RefusedError as reason:
            session.refused[name] = str(reason)
            return
        session.refused.pop(name, None)
        page.put(**dict.fromkeys((name, *along), matrix))

    # Opening it runs the page, so that its lines say what a hand has made meanwhile. In a closed popover the
    # browser keeps a field's old text, and would send it as an edit.
    drawer = st.popover(
        ui_text("matrices"), icon=":material/grid_on:", on_change="rerun", key=page.key("matrices_open")
    )
    keep_typed(*(page.key(f"rows.{name}") for name in shown))
    if not drawer.open:
        return
    with drawer:
        for name, label in shown.items():
            key, matrix = page.key(f"rows.{name}"), page.state.values[name]
            if name not in session.refused:
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
