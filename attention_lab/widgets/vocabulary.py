"""Words and their vectors: the picker of examples, the word of interest, the editor of one's own words."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from attention_lab.state import permalink
from attention_lab.state.permalink import Values
from attention_lab.state.state import OWN, base_example, neighbours, table, worked
from attention_lab.state.update import on_example
from attention_lab.state.vocabulary import (
    MOST_AXES,
    is_offered,
    known_vectors,
    read_lines,
    read_sentence,
    sentence_of,
    spoken_words,
    vectors_before,
    vectors_of,
    without_features,
    write_lines,
)
from attention_lab.text import listed, ui_text
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.labels import labels

from .page_layout import open_change, refusal, section, tool
from .session import OnChoose, Page


def say_without_features(page: Page, beside: Sequence[str] = ()) -> None:
    """Name the words that nobody has said anything about, by the section ``unknown`` of the page's words."""
    if words := without_features(page.state, beside):
        st.info(page.text.filled("unknown", words=escape_markdown(listed(words))), icon=":material/edit:")


@tool("examples")
def example_picker(page: Page, *, sentence: bool = False, width: int = 290) -> None:
    """Choose among the worked examples that suit the page, or go on with one's own words.

    A `sentence` is shown whole where `width` lets it.
    """

    def chosen() -> None:
        page.session.refused.clear()
        page.choose("example", on_example)
        if page.state.example == OWN:  # the place where they are written opens
            open_change(page, "words")

    st.selectbox(
        ui_text("examples/sentence") if sentence else ui_text("examples"),
        [name for name in page.options("example") if is_offered(name) or name == page.state.example],
        format_func=sentence_of if sentence else _example_label,
        **page.widget("example"),
        on_change=chosen,
        width=width if sentence else min(width, 210),
    )


def _example_label(name: str) -> str:
    if name == OWN:
        return ui_text("examples/own")
    return " ".join(worked(name).words) if worked(name).language else name.replace("_", " ")


@tool("word")
def word_picker(page: Page, on_choose: OnChoose | None = None, *, width: int = 120) -> None:
    """Choose the word of interest; `on_choose` gives the values that follow from choosing another."""
    on_change = partial(page.choose, "word", on_choose) if on_choose else None
    st.selectbox(
        ui_text("word_of_interest"), page.options("word"), width=width, on_change=on_change, **page.widget("word")
    )


@tool("words")
def editor(
    page: Page,
    *,
    sentence: bool = False,
    beside: Sequence[str] = (),
    features: bool = False,
    spoken: Mapping[str, str] | None = None,
    belongs: Mapping[str, str] | None = None,
) -> None:
    """Add, rename and remove words and type their vectors in. What cannot be read stays, with the reason.

    `sentence`, `beside` and `features` as for `fields`: the sentence has a line of its own above the table, and
    a word without features is refused until it has a line with its own. Where there are two sentences, `spoken`
    has a label for each of their fields; `belongs` maps further fields to the sentence they begin anew with.
    """
    session, base = page.session, page.state.worked_example
    spoken, belongs = spoken or {"words": ui_text("examples/sentence")}, belongs or {}
    known = table(spoken_words(page.state.values), neighbours(beside, base))
    lines = page.key("editor")
    line = {name: page.key("sentence" if name == "words" else f"sentence.{name}") for name in spoken}
    if "words" not in session.refused:
        st.session_state[lines] = write_lines(known, page.state.vectors)
        for name, key in line.items():
            st.session_state[key] = " ".join(page.state.values[name])

    at_home = known_vectors(base, beside)
    features = features or len(base.axes) > MOST_AXES

    def vectors_now() -> dict[str, np.ndarray]:
        before = vectors_before(page.state, base.axes, beside)
        return at_home | before | dict(zip(known, page.state.vectors, strict=True))

    def vectors_moved() -> dict[str, np.ndarray]:
        """What a hand has moved: the others are placed anew among the words there are."""
        begun = zip(known, page.state.vectors, page.state.defaults()["vectors"], strict=True)
        return {word: now for word, now, home in begun if not np.array_equal(now, home)}

    def edited(read: Callable[[], tuple[Values, np.ndarray]]) -> None:
        if table(spoken_words(page.state.values), neighbours(beside, page.state.worked_example)) != known:
            return  # these words were replaced meanwhile, by another example or by Undo
        page.put_read("words", lambda: with_words(*read()))

    def with_words(said: Values, vectors: np.ndarray) -> Values:
        anew = {name for name in said if said[name] != page.state.values[name]}
        left = {"word", "other", *(name for name, of in belongs.items() if of in anew)}
        kept = {key: value for key, value in page.state.values.items() if key not in left}
        kept |= {**said, "vectors": vectors}
        if anew:
            kept["example"] = OWN
        names = labels(said["words"])
        kept |= {key: page.state.values[key] for key in ("word", "other") if page.state.values.get(key) in names}
        return permalink.complete(page.state.fields, kept)

    def typed() -> Values:
        labels = spoken if len(spoken) > 1 else {}
        return {name: read_sentence(st.session_state[key], labels.get(name, "")) for name, key in line.items()}

    def edited_lines() -> tuple[Values, np.ndarray]:
        width = page.state.vectors.shape[1]
        if not sentence:
            words, vectors = read_lines(st.session_state[lines], vectors_now(), width, at_home=at_home)
            return {"words": words}, vectors
        said = {name: page.state.values[name] for name in line}
        if "words" in session.refused:  # a sentence that waits for the features of its new words
            said = typed()
        wanted = table(spoken_words(said), neighbours(beside, base))
        most = len({*wanted, *known}) + 1
        words, vectors = read_lines(st.session_state[lines], vectors_now(), width, at_home=at_home, most=most)
        there = vectors_now() | dict(zip(words, vectors, strict=True))
        if not set(known) & set(wanted) <= set(words) <= {*known, *wanted} or not set(wanted) <= set(there):
            raise permalink.refused("table", words=listed(wanted))
        return said, np.array([there[word] for word in wanted])

    def edited_sentence() -> tuple[Values, np.ndarray]:
        said = typed()
        words = spoken_words(said)
        own = {"example": OWN, "words": said["words"], "vectors": page.state.vectors}
        new_base = base_example(page.state.fields, own)
        there = dict(at_home if new_base.axes == base.axes else known_vectors(new_base, beside))
        there |= vectors_before(page.state, new_base.axes, beside, moved=True)
        there |= vectors_moved() if new_base.axes == base.axes else {}
        unknown = [word for word in dict.fromkeys(words) if word not in there]
        if features and unknown:
            line_of = " ".join([unknown[0], "1", *["0"] * (page.state.vectors.shape[1] - 1)])
            raise permalink.refused("unknown_words", words=listed(unknown), known=listed(there), example=line_of)
        spoken_now = table(words, neighbours(beside, new_base))
        now = {word: there[word] for word in spoken_now if word in there}
        placed = vectors_of(spoken_now, known_vectors(new_base, beside), features, now)
        return said, np.array([there.get(word, at) for word, at in zip(spoken_now, placed, strict=True)])

    with section(page, "words", lines, *line.values()) as opened:
        if not opened:
            return
        axes = listed(page.state.worked_example.axes)
        limits = ui_text("words/limits", most=permalink.MOST_WORDS, longest=permalink.LONGEST_WORD)
        if features:
            st.caption(
                ui_text("words/features", known=escape_markdown(listed(at_home)), axes=escape_markdown(axes))
            )
        if sentence:
            for name, key in line.items():
                st.text_input(spoken[name], key=key, on_change=edited, args=(edited_sentence,), help=limits)
            refusal(page, "words")
        st.text_area(
            ui_text("words/lines", axes=axes),
            key=lines,
            on_change=edited,
            args=(edited_lines,),
            height=min(420, 70 + 26 * len(known)),
            help=f"{limits} {ui_text('words/kept' if features else 'words/kept_or_free')}",
        )
        if not sentence:
            refusal(page, "words")
        st.button(ui_text("words/apply"), type="primary", key=page.key("apply"), help=ui_text("words/apply_help"))
