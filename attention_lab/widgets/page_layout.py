"""What every page has in the same place: its head, where its numbers come from, its text, its notes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial, wraps
from typing import Any
from zlib import crc32

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab import faults
from attention_lab.process import PROCESS
from attention_lab.state.permalink import Values
from attention_lab.state.state import BY_FORMULA, State  # noqa: F401 - a page's charts name it
from attention_lab.text import ui_text
from attention_lab.text.escape_markdown import escape_markdown

from . import figure_component
from .block_map import block_map
from .session import Page, open_page  # noqa: F401 - pages open with it

EDITORS = ("words", "matrices", "scores")  # each has a tab of *Change*
FAULT = ":material/bug_report:"  # beside what is wrong in the code of a page


def head(page: Page) -> DeltaGenerator:
    """Draw the page's title, its one sentence and its notices.

    Return the row for its controls, beside the title: one choice, `change`, `export.group`. On a phone it comes
    below the figure (`app_shell.css`).
    """
    figure_component.library(page.lesson.own_parts)
    if page.lesson.draw is None:
        figure_component.keep_link(page)
    _awake()
    headline = page.text.get("headline")
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.markdown(f"# {headline or page.text['title']}", width="content")
        row = st.container(horizontal=True, vertical_alignment="bottom", key="tools")
    with st.container(key="promise"), st.container(key="headlined") if headline else nullcontext():
        st.markdown(page.lesson.promise(page.state))
    notices(page)
    return row


@st.fragment(run_every=86_400)
def _awake() -> None:
    """Nothing to see. A page with a repeating fragment runs anew as soon as a restarted server is back.

    Without it, the browser would go on asking the new server for fragments that only the old one knew.
    """


def tool(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What draws a tool that a link may hide by this name: nothing, where the page's link does."""

    def hidable(draw: Callable[..., None]) -> Callable[..., None]:
        @wraps(draw)
        def drawn(page: Page, *given: Any, **more: Any) -> None:
            if name not in page.hide:
                draw(page, *given, **more)

        return drawn

    return hidable


def badge(provenance: str) -> None:
    """Where the numbers of the pictures beside it come from."""
    st.badge(ui_text(f"badge_labels/{provenance}"), color="gray", help=ui_text(f"badges/{provenance}"))


@tool("reset")
def reset(page: Page) -> None:
    """One step back in what was made on this page, and on again; and everything as it was at first."""
    figure_component.turns(page)
    st.button(
        ui_text("reset"),
        icon=":material/restart_alt:",
        on_click=page.start_over,
        key=page.key("reset"),
        help=ui_text("reset/help"),
    )


@contextmanager
def change(page: Page, *tools: str) -> Iterator[bool]:
    """*Change*: one popover for all that edits the page. Where a link hides all of its `tools`, there is none.

    It gives whether it is open: only then are choices to be drawn in it, which come first. Its editors draw by
    themselves, each in its `section`. In a closed popover the browser keeps a field's old text, and would
    send it as an edit.
    """
    shown = [name for name in tools if name not in page.hide]
    if not shown:
        yield False
        return
    box = st.popover(ui_text("change"), icon=":material/edit:", on_change="rerun", key=page.key("change_open"))
    editors = [name for name in EDITORS if name in shown]
    with box:
        above = st.container(horizontal=True, vertical_alignment="bottom")
        if box.open and editors:
            tabs = st.tabs([*map(ui_text, editors)], on_change="rerun", key=page.key("change_tab"))
        else:
            tabs = [box] * len(editors)
        page.editors = dict(zip(editors, tabs, strict=True))
        with above:
            yield box.open


def open_change(page: Page, editor: str) -> None:
    """Let *Change* be open at the next run, at one of its editors."""
    st.session_state[page.key("change_open")] = True
    st.session_state[page.key("change_tab")] = ui_text(editor)


@contextmanager
def section(page: Page, editor: str, *typed: str) -> Iterator[bool]:
    """Where an editor draws in `change`; gives whether it can be seen. What was `typed` into these keys stays."""
    keep_typed(*typed)
    with (box := page.editors[editor]):
        yield box.open


def notices(page: Page) -> None:
    """One line on whatever the address held that could not be used; one on weights that are not there."""
    left_out = page.session.left_out
    if left_out:
        shown = " ".join(left_out[:6]) + (" …" if len(left_out) > 6 else "")
        st.warning(escape_markdown(ui_text("left_out/notice", settings=shown)), icon=":material/link_off:")
    if missing := page.lesson.missing_models():
        st.info(escape_markdown(missing), icon=":material/cloud_off:")


def remarks(texts: Sequence[str]) -> None:
    """One line each on what is not as a reader might think."""
    for text in texts:
        st.info(escape_markdown(text), icon=":material/info:")


def new_for(text: str, name: str) -> DeltaGenerator:
    """Return a container that is another one for another text.

    A browser's translation puts elements of its own in the place of a text, which then no longer changes.
    """
    return st.container(key=f"{name}.{crc32(text.encode()):x}")


def keep_typed(*keys: str) -> None:
    """Keep the text of fields that are not drawn now: Streamlit forgets it with its field."""
    for key in keys:
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def refusal(page: Page, what: str) -> None:
    """Why the last input to an editor could not be used, as long as it stands there."""
    if what in page.session.refused:
        reason = escape_markdown(page.session.refused[what])
        st.error(f"{reason} {ui_text('refused/kept')}", icon=":material/edit:")


def fragment(function: Callable[..., None]) -> Callable[..., None]:
    """A page's fragment: what runs anew when a hand has moved something. A fault in it is shown on the page."""

    @st.fragment
    @wraps(function)
    def guarded(*given: Any) -> None:
        with faults_shown():
            function(*given)

    return guarded


@fragment
def live_figure(page: Page, above: Callable[..., None] | None = None, *given: Any) -> None:
    """Draw the page's figure, and what stands `above` it, in a fragment: a change by hand runs nothing else."""
    page.sync_inputs()
    if above:
        above(page, *given)
    figure_component.show(page, page.view())


def growing_figure(page: Page, every: float, go_on: Callable[[State], None]) -> None:
    """Draw the page's figure again every so many seconds; each time but the first, it has gone on before."""
    is_there = False

    def drawn() -> None:
        nonlocal is_there
        with faults_shown():
            page.sync_inputs()
            if is_there:
                go_on(page.state)
            is_there = True
            figure_component.show(page, page.view())

    st.fragment(drawn, run_every=every)()


def dialog(title: Callable[[], str], **more: Any) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """What opens a dialog; its title is said then, in the language of the session."""

    def opening(draw: Callable[[], None]) -> Callable[[], None]:
        @wraps(draw)
        def opened() -> None:
            st.dialog(title(), **more)(draw)()

        return opened

    return opening


@contextmanager
def faults_shown() -> Iterator[None]:
    """Say on the page and in the terminal what is wrong in its code; a server for a class keeps it to its log."""
    try:
        yield
    except Exception as error:
        if PROCESS.faults_hidden:
            raise
        faults.log(error)
        st.error(escape_markdown(faults.sentence(error)), icon=FAULT)


def choose(
    page: Page,
    name: str,
    label: str,
    texts: Mapping[str, str],
    *,
    width: int | str = "content",
    every: bool = False,
    outside: bool = False,
    on_choose: Callable[[State, str], Values] | None = None,
) -> None:
    """A choice of the page as buttons beside one another: each value by its text. `width` is in pixels.

    It offers the values possible now, or with `every`, as a list, all that have a text; `outside` says that it
    stands outside the page's fragment, as one of its settings. `on_choose` gives the values that follow from
    the one chosen.
    """
    if outside and "settings" in page.hide:
        return

    def chosen() -> None:
        said = st.session_state.get(page.key(name)) if every else page.widget_value(name)
        if isinstance(said, str) and said in texts:  # a forged one chooses nothing
            page.put(**on_choose(page.state, said))

    draw = st.selectbox if every else partial(st.segmented_control, required=True)
    draw(
        label,
        list(texts) if every else page.options(name),
        format_func=lambda value: texts.get(value, value),
        on_change=chosen if on_choose else None,
        width=width,
        **page.widget(name, inside=not outside),
    )


def begin_with(
    page: Page, name: str, label: str, texts: Mapping[str, str], on_choose: Callable[[State, str], Values]
) -> None:
    """Ready-made beginnings as buttons: each value of the choice `name` by its text, outside the page's fragment.

    One is lit as long as everything is as it brings it. Once something was moved, choosing it brings it again.
    """
    key = f"{page.name}.{name}.begin"

    def begun() -> Any:
        return page.state.values[name] if page.state.is_as_begun(name) else None

    st.session_state[key] = begun()
    page.stands_outside(lambda _: begun(), begun())

    def chosen() -> None:
        said = st.session_state.get(key)
        if said in page.options(name):  # a forged one chooses nothing
            page.put(**on_choose(page.state, said))

    st.segmented_control(label, page.options(name), format_func=texts.get, key=key, on_change=chosen)


def sliders(page: Page, *names: str, outside: bool = False) -> None:
    """Choices of the page as sliders beside one another, each under the section of its name.

    `outside` says that they stand outside the page's fragment.
    """
    for name, box in zip(names, st.columns(len(names)), strict=True):
        box.select_slider(page.text[name], page.options(name), **page.widget(name, inside=not outside))


def words(page: Page, notes: str = "notes") -> None:
    """The page's paragraphs, beside them its `notes` for a class, and below them the map of the block."""
    with st.container(key="words"):
        column, beside = st.columns([2, 1], gap="large")
    with column:
        st.markdown("\n\n".join(page.text[section] for section in page.lesson.paragraphs(page.state)))
    with beside:
        class_notes(page, notes)
    block_map(page)


@tool("notes")
def class_notes(page: Page, section: str = "notes") -> None:
    """Two lines for a teacher, and the answer to the question among them."""
    notes = page.text.parts(section)
    with st.container(key="class_notes"), st.expander(ui_text("notes")):
        st.markdown("\n\n".join(f"{ui_text(f'notes/{name}')} {notes[name]}" for name in ("misconception", "ask")))
        with st.expander(ui_text("notes/answer")):
            st.markdown(notes["answer"])
        st.caption(page.text["source"])
