"""Words and their vectors: the fields of the address, the picker of examples, the editor of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, cycle

import numpy as np
import streamlit as st

from attention_core import Example, load_example

from . import permalink
from .furniture import refusal
from .lesson import OWN, Lesson, base_example, on_example
from .permalink import Field, RefusedError, Values

# Where a new word appears: on a ring around the origin, each at a place of its own.
PLACES = [
    (2.0, 0.8),
    (-2.0, 1.5),
    (1.0, -2.0),
    (-1.5, -1.5),
    (3.5, 2.5),
    (-3.0, 3.0),
    (2.5, -3.0),
    (0.5, 3.5),
]


def fields(
    examples: Sequence[str], *, word: str = "", other: str = "", sentence: bool = False, beside: str = ""
) -> list[Field]:
    """The fields of a page on words: example, words, vectors, the word of interest and another.

    The words are a set of distinct ones, or with `sentence` a sentence in which a word may come again; it then
    has one vector all the same, as in a lookup table (`table`), and its places have names of their own
    (`places`). The words of the example `beside` stand in the table, too.
    """
    among: list[Field] = []

    def base(values: Values) -> Example:
        return base_example(among, values)

    def vectors(values: Values) -> np.ndarray:
        example = base(values)
        known = dict(zip(example.words, example.embeddings, strict=True))
        if beside:
            known = dict(zip(load_example(beside).words, load_example(beside).embeddings, strict=True)) | known
        return np.array([known.get(w, _place(i, example)) for i, w in enumerate(table(values["words"], beside))])

    def names(values: Values) -> Sequence[str]:
        return permalink.labels(values["words"])

    def shape(values: Values, text: str) -> tuple[int, int]:
        width = text.split("__")[0].count("_") + 1
        offered = {load_example(name).embeddings.shape[1] for name in examples}
        allowed = offered if values["example"] == OWN else {base(values).embeddings.shape[1]}
        return len(table(values["words"], beside)), width if width in allowed else min(allowed)

    def another(values: Values) -> str:
        order = (other, *reversed(names(values)), values["word"])
        return next(w for w in order if w in names(values) and (w != values["word"] or len(names(values)) == 1))

    among += [
        permalink.choice("example", "the worked example, or own", [*examples, OWN]),
        permalink.words("words", "one's own words", lambda values: base(values).words, distinct=not sentence),
        Field(
            "vectors",
            "the words' vectors where they were moved",
            vectors,
            lambda text, values: permalink.read_matrix(text, shape(values, text)),
            permalink.write_matrix,
            hand=True,
        ),
        permalink.choice("word", "the word of interest", names, word, hand=True),
        permalink.choice(
            "other",
            "the word it is compared with",
            names,
            another,
            hand=True,
        ),
    ]
    return among


def table(words: Sequence[str], beside: str = "") -> tuple[str, ...]:
    """The distinct words that have a vector: those of the example `beside`, then those of the sentence."""
    return tuple(dict.fromkeys((*(load_example(beside).words if beside else ()), *words)))


def places(words: Sequence[str], beside: str = "") -> list[int]:
    """Where each word of a sentence stands in the table."""
    known = table(words, beside)
    return [known.index(word) for word in words]


def _place(place: int, example: Example) -> np.ndarray:
    vector = np.zeros(example.embeddings.shape[1])
    vector[:2] = PLACES[place % len(PLACES)]
    return vector


def example_picker(lesson: Lesson) -> None:
    """Choose among the worked examples that suit the page, or go on with one's own words."""
    st.selectbox(
        "Example",
        lesson.options("example"),
        format_func=_example_label,
        **lesson.widget("example"),
        on_change=on_example(lesson),
        width=200,
    )


def _example_label(name: str) -> str:
    return "your own words" if name == OWN else load_example(name).name.replace("_", " ")


def word_picker(lesson: Lesson) -> None:
    """Choose the word of interest."""
    st.selectbox("Word of interest", lesson.options("word"), width=140, **lesson.widget("word"))


LIMITS = f"Up to {permalink.MOST_WORDS} words of {permalink.LONGEST_WORD} characters."


def write_lines(words: Sequence[str], vectors: np.ndarray) -> str:
    """Words and vectors as the editor shows them: ``apple 2 2``, a line each."""
    return "\n".join(
        f"{word} {' '.join(map(permalink.numeral, vector))}" for word, vector in zip(words, vectors, strict=True)
    )


def read_lines(text: str, known: dict[str, np.ndarray], width: int) -> tuple[tuple[str, ...], np.ndarray]:
    """Words and vectors from the editor's lines. A word without numbers keeps its vector, or gets a free one."""
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    read = [(line[0], _read_vector(*line, width) if line[1:] else known.get(line[0])) for line in lines]
    words = permalink.check_words([word for word, _ in read], distinct=True)
    free = _free_places([vector for _, vector in read if vector is not None], width)
    return words, np.array([next(free) if vector is None else vector for _, vector in read])


def _read_vector(word: str, numbers: str, width: int) -> np.ndarray:
    entries = numbers.replace(",", " ").split()
    if len(entries) != width:
        example = " ".join([word[: permalink.LONGEST_WORD], *["1"] * width])
        raise RefusedError(
            f"“{word[:20]} {numbers[:20]}”: write the word and {width} numbers, such as “{example}”."
        )
    return np.array([permalink.read_typed(entry, permalink.FARTHEST) for entry in entries])


def _free_places(taken: Sequence[np.ndarray], width: int) -> Iterator[np.ndarray]:
    """Places for new words: first those where no word stands."""
    places = [np.array([*place, *[0.0] * (width - 2)]) for place in PLACES]
    free = [place for place in places if not any(np.array_equal(place, vector) for vector in taken)]
    return chain(free, cycle(places))


def editor(lesson: Lesson, *, sentence: bool = False, beside: str = "") -> None:
    """Add, rename and remove words and type their vectors in. What cannot be read stays, with the reason.

    `sentence` and `beside` as for `fields`: the sentence then has a line of its own above the table.
    """
    memory, known = lesson.memory, table(lesson.words, beside)
    lines, line = lesson.key("editor"), lesson.key("sentence")
    if "words" not in memory.refused:
        st.session_state[lines] = write_lines(known, lesson.vectors)
        st.session_state[line] = " ".join(lesson.words)

    def edited(read: Callable[[], tuple[tuple[str, ...], np.ndarray]]) -> None:
        try:
            words, vectors = read()
        except RefusedError as refusal:
            memory.refused["words"] = str(refusal)
            return
        memory.refused.pop("words", None)
        kept = {key: value for key, value in memory.values.items() if key not in {"word", "other"}}
        kept |= {"words": words, "vectors": vectors}
        if words != memory.values["words"]:
            kept["example"] = OWN
        names = permalink.labels(words)
        kept |= {key: memory.values[key] for key in ("word", "other") if memory.values[key] in names}
        values, _ = permalink.read_address(lesson.fields, {}, kept)
        lesson.put(**values)

    def edited_lines() -> tuple[tuple[str, ...], np.ndarray]:
        words, vectors = read_lines(st.session_state[lines], _known(lesson, beside), lesson.vectors.shape[1])
        if not sentence:
            return words, vectors
        missing = [word for word in known if word not in words]
        if missing or len(words) != len(known):
            raise RefusedError(f"The table needs one line for each of {', '.join(known)}.")
        return lesson.words, vectors[[words.index(word) for word in known]]

    def edited_sentence() -> tuple[tuple[str, ...], np.ndarray]:
        words = permalink.check_words(st.session_state[line].split())
        vectors, rows = _known(lesson, beside), table(words, beside)
        free = _free_places([vectors[word] for word in rows if word in vectors], lesson.vectors.shape[1])
        return words, np.array([vectors[word] if word in vectors else next(free) for word in rows])

    axes = ", ".join(lesson.worked_example.axes)
    # Opening it runs the page, so that its lines say what a hand has made meanwhile.
    with st.popover("Words", icon=":material/edit:", on_change="rerun", key=lesson.key("words_open")):
        if sentence:
            st.text_input("Sentence", key=line, on_change=edited, args=(edited_sentence,), help=LIMITS)
        st.text_area(
            f"One word a line, then its numbers ({axes})",
            key=lines,
            on_change=edited,
            args=(edited_lines,),
            height=min(420, 70 + 26 * len(known)),
            help=f"{LIMITS} A line without numbers keeps the word's vector, or gives a new word a free place.",
        )
        refusal(lesson, "words")


def _known(lesson: Lesson, beside: str) -> dict[str, np.ndarray]:
    """The vectors that words have now, and those that the example's words had."""
    base = lesson.worked_example
    known = dict(zip(base.words, base.embeddings, strict=True))
    return known | dict(zip(table(lesson.words, beside), lesson.vectors, strict=True))
