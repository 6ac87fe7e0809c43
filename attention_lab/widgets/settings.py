"""Widgets for a page's settings that no hand on the stage changes: choices, whole numbers, switches.

Most stand outside the page's fragment: a change runs the whole page.
"""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from attention_lab.state.permalink import Values
from attention_lab.state.state import State

from .page_layout import choose, refusal, tool
from .session import OnChoose, Page


def select(
    page: Page,
    name: str,
    texts: Mapping[str, str] | None = None,
    *,
    width: int = 250,
    inside: bool = False,
    on_choose: OnChoose | None = None,
) -> None:
    """A choice of the page as a list, each value by its text; its label is the section of its name.

    Without `texts` they are those of the lesson's settings. It stands `inside` the page's fragment or outside.
    `on_choose` gives the values that follow from choosing another.
    """
    if "settings" in page.hide and not inside:
        return
    texts = page.lesson.settings(page.state)[name] if texts is None else texts
    st.selectbox(
        page.text[f"settings/{name}"],
        page.options(name),
        format_func=lambda value: texts.get(value, value),
        **page.widget(name, inside=inside),
        on_change=partial(page.choose, name, on_choose) if on_choose else None,
        width=width,
    )


@tool("settings")
def whole(
    page: Page, name: str, low: int, high: int, *, width: int = 100, on_choose: OnChoose | None = None
) -> None:
    """A whole number of the page."""
    st.number_input(
        page.text[f"settings/{name}"],
        low,
        high,
        **page.widget(name),
        on_change=partial(page.choose, name, on_choose) if on_choose else None,
        width=width,
    )


@tool("settings")
def button(page: Page, name: str, icon: str, on_click: Callable[[State], Values]) -> None:
    """Something to be done with the page, under the section of its name."""
    st.button(
        page.text[f"settings/{name}"],
        icon=f":material/{icon}:",
        on_click=lambda: page.put(**on_click(page.state)),
        key=page.key(name),
        help=page.text.get(f"settings/{name}/help"),
    )


@tool("settings")
def switch(page: Page, name: str) -> None:
    """Something of the page that is on or off."""
    st.toggle(page.text[f"settings/{name}"], **page.widget(name), help=page.text.get(f"settings/{name}/help"))


@tool("settings")
def choices(page: Page, names: Mapping[str, Mapping[str, str]]) -> None:
    """Choices of the page, each by its section: few values as buttons, many as a list."""
    for choice, texts in names.items():
        if len(page.options(choice)) > 3:
            select(page, choice, texts)
        elif len(page.options(choice)) > 1:
            choose(page, choice, page.text[f"settings/{choice}"], texts, outside=True)


@tool("settings")
def remark(page: Page, section: str) -> None:
    """A sentence of the page about the settings beside it."""
    st.caption(page.text[section])


@tool("settings")
def line(page: Page, name: str, write: Callable[[State, str], Values], section: str = "") -> None:
    """A line of text of the page, under the `section` of its name or another.

    What `write` refuses stays there, with the reason.
    """
    key = page.key(f"{name}_line")
    if name not in page.session.refused:
        st.session_state[key] = page.state.values[name]

    def typed() -> None:
        page.put_read(name, lambda: write(page.state, st.session_state[key]))

    texts = [page.text[f"settings/{section or name}{part}"] for part in ("", "/help")]
    st.text_input(texts[0], key=key, on_change=typed, help=texts[1])
    refusal(page, name)
