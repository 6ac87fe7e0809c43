"""Words and their vectors: the fields of the address, the picker of examples, the editor of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st

from attention_core import Example
from attention_lab.state import permalink
from attention_lab.state.page_state import OWN, PageState, base_example, neighbours, on_example, table, worked
from attention_lab.state.permalink import Field, RefusedError, Values
from attention_lab.text import say
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_share

from .page_layout import as_text, keep_typed, refusal, tool

# Where words stand that nobody has placed: around zero and all alike, each a golden angle on from the one before,
# so that none looks meant; little words nearer still. In sight and apart from one another on every page's plane.
NEAR_ZERO, NEARER = 0.8, 0.2
FIRST_ANGLE, GOLDEN_ANGLE = 0.6, np.pi * (3 - 5**0.5)
MOST_AXES = 4  # of more axes each is a named feature: a word of which nobody has said any has none


@lru_cache(64)  # a page asks for the same in every session
def fields(
    examples: Sequence[str],
    *,
    word: str | Sequence[str] = "",
    other: str | Sequence[str] = "",
    sentence: bool = False,
    beside: Sequence[str] = (),
    features: bool = False,
    memory: bool = False,
) -> tuple[Field, ...]:
    """The fields of a page on words: example, words, vectors, the word of interest and another.

    `word` and `other` are what is chosen at first: of several, the first that is there.

    The words are a set of distinct ones, or with `sentence` a sentence in which a word may come again; it then
    has one vector all the same, as in a lookup table (`table`), and each place has a name of its own. Of the
    examples `beside`, the words of those on the same axes stand in the table, too. Where the axes are named
    `features`, a word that no example knows has none until they are typed in. With `memory` a second sentence
    answers; the table serves both.
    """
    among: list[Field] = []

    def base(values: Values) -> Example:
        return base_example(among, values)

    def vectors(values: Values) -> np.ndarray:
        words = table(_spoken(values), neighbours(beside, base(values)))
        return _vectors(words, _known(base(values), beside), features)

    def names(values: Values) -> Sequence[str]:
        return labels(values["words"])

    def shape(values: Values, text: str) -> tuple[int, int]:
        width = text.split("__")[0].count("_") + 1
        if values["example"] == OWN and width in {worked(name).embeddings.shape[1] for name in examples}:
            values = values | {"vectors": np.empty((0, width))}
        example = base(values)
        return len(table(_spoken(values), neighbours(beside, example))), example.embeddings.shape[1]

    def answering(values: Values) -> Sequence[str]:
        return base(values).memory_words or ()

    def wanted(first: str | Sequence[str]) -> Sequence[str]:
        return (first,) if isinstance(first, str) else first

    def one(values: Values) -> str:
        return next((w for w in wanted(word) if w in names(values)), "")

    def another(values: Values) -> str:
        order = (*wanted(other), *reversed(names(values)), values["word"])
        return next(w for w in order if w in names(values) and (w != values["word"] or len(names(values)) == 1))

    asked = permalink.words("memory_words", "the words that answer", answering, distinct=False)
    among += [
        replace(permalink.choice("example", "the worked example, or own", [*examples, OWN]), beside=beside),
        permalink.words("words", "one's own words", lambda values: base(values).words, distinct=not sentence),
        *([asked] if memory else []),
        Field(
            "vectors",
            "the words' vectors where they were moved",
            vectors,
            lambda text, values: permalink.read_matrix(text, shape(values, text)),
            permalink.write_matrix,
            hand=True,
            made=True,
            animated=True,
        ),
        permalink.choice("word", "the word of interest", names, one, hand=True),
        permalink.choice(
            "other",
            "the word it is compared with",
            names,
            another,
            hand=True,
        ),
    ]
    return tuple(among)


def _spoken(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the sentence, and of the one that answers it where there is one."""
    return (*values["words"], *values.get("memory_words", ()))


def ids(words: Sequence[str], among: Sequence[Example] = ()) -> list[int]:
    """Where each word of a sentence stands in the table: its id, as tokenizers call it."""
    known = table(words, among)
    return [known.index(word) for word in words]


GIVEN = ("words", "sentence", "table", "ids", "home")  # what `lookup` gives


def lookup(page: PageState, beside: Sequence[str] = ()) -> dict[str, Any]:
    """What a calculation on a sentence reads besides the vectors, which are a table with one row for each word.

    ``ids``: where the words of the sentence stand in the ``table``; ``words``: a name for each of them;
    ``home``: the table before anything was moved.
    """
    known = table(_spoken(page.memory.values), neighbours(beside, page.worked_example))
    return {
        "words": labels(page.words),
        "sentence": page.words,
        "table": known,
        "ids": [known.index(word) for word in page.words],
        "home": page.defaults()["vectors"],
    }


def _known(base: Example, beside: Sequence[str]) -> dict[str, np.ndarray]:
    """The vectors that the examples give to words."""
    return {word: v for e in (*neighbours(beside, base), base) for word, v in e.lexicon.items()}


def _vectors(words: Sequence[str], known: Mapping[str, np.ndarray], features: bool = False) -> np.ndarray:
    """The words' vectors; for those not known a place near zero, or no features."""
    width = len(next(iter(known.values())))
    new = [word for word in words if word not in known]
    placed = dict.fromkeys(new, np.zeros(width)) if features or width > MOST_AXES else _placed(new, width)
    return np.array([known[word] if word in known else placed[word] for word in words])


def _placed(words: Sequence[str], width: int) -> dict[str, np.ndarray]:
    """Places near zero for words that nobody has placed."""
    little, places = set(say("little_words").split()), {}
    for k, word in enumerate(words):
        angle = FIRST_ANGLE + k * GOLDEN_ANGLE
        x, y = (NEARER if word.casefold() in little else NEAR_ZERO) * np.array([np.cos(angle), np.sin(angle)])
        flat = [x, y, 0.0] if width == 3 else [x, y, -y, x]  # every pair of axes shows them apart
        places[word] = np.round(flat[:width], 2) + 0.0
    return places


def without_features(page: PageState, beside: Sequence[str] = ()) -> list[str]:
    """The words of the sentence that no example knows and nobody has given a feature."""
    known = _known(page.worked_example, beside)
    words = table(_spoken(page.memory.values), neighbours(beside, page.worked_example))
    now = zip(words, page.vectors, strict=True)
    return [word for word, vector in now if word not in known and not vector.any()]


def told_of_learned(page: PageState) -> dict[str, str]:
    """Of learned vectors, for a page's sentences: whose they are, and how much of their spread its axes show."""
    learned = page.worked_example.learned
    return {
        "model": learned.model,
        "fingerprint": learned.fingerprint,
        "all": str(len(learned.shares)),
        "share": format_share(learned.shares[: page.vectors.shape[1]].sum()),
    }


def say_without_features(page: PageState, beside: Sequence[str] = ()) -> None:
    """Name the words that nobody has said anything about, by the section ``unknown`` of the page's words."""
    if words := without_features(page, beside):
        st.info(page.text.filled("unknown", words=as_text(", ".join(words))), icon=":material/edit:")


@tool("examples")
def example_picker(page: PageState, *, sentence: bool = False, width: int = 310) -> None:
    """Choose among the worked examples that suit the page, or go on with one's own words.

    A `sentence` is shown whole where `width` lets it.
    """

    def chosen() -> None:
        on_example(page)()
        if page.example == OWN:  # the place where they are written opens
            st.session_state[page.key("words_open")] = True

    st.selectbox(
        say("examples/sentence") if sentence else say("examples"),
        page.options("example"),
        format_func=_sentence if sentence else _example_label,
        **page.widget("example"),
        on_change=chosen,
        width=width if sentence else 250,
    )


def _example_label(name: str) -> str:
    return say("examples/own") if name == OWN else name.replace("_", " ")


def _sentence(name: str) -> str:
    if name == OWN:
        return say("examples/own")
    example = worked(name)
    words = " ".join(example.words)
    return say("examples/learned", words=words) if example.provenance == "learned" else words


@tool("word")
def word_picker(page: PageState, on_change: Callable[[PageState], None] | None = None) -> None:
    """Choose the word of interest; `on_change` is called with the page once another is chosen."""
    chosen = page.widget("word")
    st.selectbox(
        say("word_of_interest"), page.options("word"), width=140, on_change=on_change, args=(page,), **chosen
    )


def write_lines(words: Sequence[str], vectors: np.ndarray) -> str:
    """Words and vectors as the editor shows them: ``apple 2 2``, a line each."""
    return "\n".join(
        f"{word} {' '.join(map(permalink.numeral, vector))}" for word, vector in zip(words, vectors, strict=True)
    )


def read_lines(
    text: str,
    known: Mapping[str, np.ndarray],
    width: int,
    *,
    at_home: Iterable[str] = (),
    most: int = permalink.MOST_WORDS,
) -> tuple[tuple[str, ...], np.ndarray]:
    """Words and vectors from the editor's lines. A word without numbers keeps its vector, or is placed near zero.

    Those `at_home` have a place that an example gives them.
    """
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    read = [(line[0], _read_vector(*line, width) if line[1:] else known.get(line[0])) for line in lines]
    words = permalink.check_words([word for word, _ in read], distinct=True, most=most)
    placed = _placed([word for word in words if word not in at_home], width)
    return words, np.array([placed.get(word, np.zeros(width)) if v is None else v for word, v in read])


def _read_sentence(text: str, label: str = "") -> tuple[str, ...]:
    """A sentence as it was typed; a refusal says which one, if it has a `label`."""
    try:
        return permalink.check_words(text.split())
    except RefusedError as reason:
        raise RefusedError(f"{label}: {reason}" if label else str(reason)) from None


def _read_vector(word: str, numbers: str, width: int) -> np.ndarray:
    entries = numbers.replace(",", " ").split()
    if len(entries) != width:
        example = " ".join([word[: permalink.LONGEST_WORD], *["1"] * width])
        raise permalink.refused("vector", line=f"{word[:20]} {numbers[:20]}", width=width, example=example)
    return np.array([permalink.read_typed(entry, permalink.FARTHEST) for entry in entries])


@tool("words")
def editor(
    page: PageState,
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
    memory, base = page.memory, page.worked_example
    spoken, belongs = spoken or {"words": say("examples/sentence")}, belongs or {}
    known = table(_spoken(memory.values), neighbours(beside, base))
    lines = page.key("editor")
    line = {name: page.key("sentence" if name == "words" else f"sentence.{name}") for name in spoken}
    if "words" not in memory.refused:
        st.session_state[lines] = write_lines(known, page.vectors)
        for name, key in line.items():
            st.session_state[key] = " ".join(memory.values[name])
    keep_typed(lines, *line.values())

    at_home = _known(base, beside)
    features = features or len(base.axes) > MOST_AXES

    def vectors_now() -> dict[str, np.ndarray]:
        return at_home | dict(zip(known, page.vectors, strict=True))

    def vectors_moved() -> dict[str, np.ndarray]:
        """What a hand has moved, and what has a home: the others are placed anew among the words there are."""
        begun = zip(known, page.vectors, page.defaults()["vectors"], strict=True)
        return at_home | {word: now for word, now, home in begun if not np.array_equal(now, home)}

    def edited(read: Callable[[], tuple[Values, np.ndarray]]) -> None:
        if table(_spoken(memory.values), neighbours(beside, page.worked_example)) != known:
            return  # these words were replaced meanwhile, by another example or by Undo
        try:
            said, vectors = read()
        except RefusedError as refusal:
            memory.refused["words"] = str(refusal)
            return
        memory.refused.pop("words", None)
        anew = {name for name in said if said[name] != memory.values[name]}
        left = {"word", "other", *(name for name, of in belongs.items() if of in anew)}
        kept = {key: value for key, value in memory.values.items() if key not in left}
        kept |= {**said, "vectors": vectors}
        if anew:
            kept["example"] = OWN
        names = labels(said["words"])
        kept |= {key: memory.values[key] for key in ("word", "other") if memory.values.get(key) in names}
        values = permalink.complete(page.fields, kept)
        page.put(**values)

    def typed() -> Values:
        labels = spoken if len(spoken) > 1 else {}
        return {name: _read_sentence(st.session_state[key], labels.get(name, "")) for name, key in line.items()}

    def edited_lines() -> tuple[Values, np.ndarray]:
        width = page.vectors.shape[1]
        if not sentence:
            words, vectors = read_lines(st.session_state[lines], vectors_now(), width, at_home=at_home)
            return {"words": words}, vectors
        said = {name: memory.values[name] for name in line}
        if "words" in memory.refused:  # a sentence that waits for the features of its new words
            said = typed()
        wanted = table(_spoken(said), neighbours(beside, base))
        most = len({*wanted, *known}) + 1
        words, vectors = read_lines(st.session_state[lines], vectors_now(), width, at_home=at_home, most=most)
        there = vectors_now() | dict(zip(words, vectors, strict=True))
        if not set(known) & set(wanted) <= set(words) <= {*known, *wanted} or not set(wanted) <= set(there):
            raise permalink.refused("table", words=", ".join(wanted))
        return said, np.array([there[word] for word in wanted])

    def edited_sentence() -> tuple[Values, np.ndarray]:
        said = typed()
        words = _spoken(said)
        own = {"example": OWN, "words": said["words"], "vectors": page.vectors}
        new_base = base_example(page.fields, own)
        there = vectors_moved() if new_base.axes == base.axes else _known(new_base, beside)
        unknown = [word for word in dict.fromkeys(words) if word not in there]
        if features and unknown:
            line_of = " ".join([unknown[0], "1", *["0"] * (page.vectors.shape[1] - 1)])
            raise permalink.refused(
                "unknown_words", words=", ".join(unknown), known=", ".join(there), example=line_of
            )
        spoken_now = table(words, neighbours(beside, new_base))
        placed = _vectors(spoken_now, _known(new_base, beside), features)
        return said, np.array([there.get(word, at) for word, at in zip(spoken_now, placed, strict=True)])

    # Opening it runs the page, so that its lines say what a hand has made meanwhile. In a closed popover the
    # browser keeps a field's old text, and would send it as an edit.
    drawer = st.popover(say("words"), icon=":material/edit:", on_change="rerun", key=page.key("words_open"))
    if not drawer.open:
        return
    axes = ", ".join(page.worked_example.axes)
    limits = say("words/limits", most=permalink.MOST_WORDS, longest=permalink.LONGEST_WORD)
    with drawer:
        if features:
            st.caption(say("words/features", known=as_text(", ".join(at_home)), axes=as_text(axes)))
        if sentence:
            for name, key in line.items():
                st.text_input(spoken[name], key=key, on_change=edited, args=(edited_sentence,), help=limits)
            refusal(page, "words")
        st.text_area(
            say("words/lines", axes=axes),
            key=lines,
            on_change=edited,
            args=(edited_lines,),
            height=min(420, 70 + 26 * len(known)),
            help=f"{limits} {say('words/kept' if features else 'words/kept_or_free')}",
        )
        if not sentence:
            refusal(page, "words")
        st.button(say("words/apply"), type="primary", key=page.key("apply"), help=say("words/apply_help"))
