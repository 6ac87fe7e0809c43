"""Words and their vectors: the fields of the address, what a calculation reads, and how they are typed."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core import Example, example_names
from attention_lab.text import ui_text
from attention_lab.text.labels import labels
from attention_lab.text.languages import LANGUAGES, spoken
from attention_lab.text.number_format import format_share
from attention_lab.text.typed_text import clean_word

from . import permalink
from .permalink import Field, RefusedError, Values
from .state import OWN, State, base_example, neighbours, table, worked

# Where words stand that nobody has placed: around zero and all alike, each a golden angle on from the one before,
# so that none looks meant; little words nearer still. In sight and apart from one another on every page's plane.
NEAR_ZERO, NEARER = 0.8, 0.2
FIRST_ANGLE, GOLDEN_ANGLE = 0.6, np.pi * (3 - 5**0.5)
# Of the examples in other languages, the words that are chosen at first, and those that tell of their sense.
TWO_SENSES = ("banco", "Bank", "花", "عين", "criatura", "Wesen", "动物", "مخلوق")
TELLING = (
    "préstamo",
    "parque",
    "Konto",
    "Park",
    "钱",
    "花园",
    "الطبيب",
    "ماء",
    "azul",
    "blaues",
    "蓝色的",
    "أزرق",
)
# A word and its numbers; a comma at a word's end is no letter of it, and one that stands alone is a word.
LINE = re.compile(r"(\S[^\s，、،]*?),?(?:[\s，、،]+(.*))?")
IN_BRACKETS = re.compile(r"[(（\[［{｛][^(（\[［{｛]*[)）\]］}｝]$")
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
        words = table(spoken_words(values), neighbours(beside, base(values)))
        return _at_home(words, base(values), tuple(beside), features, spoken())

    def names(values: Values) -> Sequence[str]:
        return labels(values["words"])

    def rules(values: Values, text: str = "") -> permalink.Rules:
        width = text.split("__")[0].count("_") + 1
        if values["example"] == OWN and width in {worked(name).embeddings.shape[1] for name in examples}:
            values = values | {"vectors": np.empty((0, width))}
        example = base(values)
        rows = table(spoken_words(values), neighbours(beside, example))
        return permalink.Rules(shape=(len(rows), example.embeddings.shape[1]))

    def answering(values: Values) -> Sequence[str]:
        return base(values).memory_words or ()

    def wanted(first: str | Sequence[str]) -> Sequence[str]:
        return (first,) if isinstance(first, str) else first

    def one(values: Values) -> str:
        return next((w for w in (*wanted(word), *TWO_SENSES) if w in names(values)), "")

    def another(values: Values) -> str:
        order = (*wanted(other), *TELLING, *reversed(names(values)), values["word"])
        return next(w for w in order if w in names(values) and (w != values["word"] or len(names(values)) == 1))

    asked = permalink.words(
        "memory_words", "the English words, which supply keys and values", answering, distinct=False
    )
    among += [
        replace(permalink.choice("example", "the worked example, or own", [*examples, OWN]), beside=beside),
        permalink.words(
            "words", "words entered by the reader", lambda values: base(values).words, distinct=not sentence
        ),
        *([asked] if memory else []),
        Field(
            "vectors",
            "the words' vectors, if any was moved",
            vectors,
            lambda text, values: permalink.read_ruled(text, rules(values, text)),
            permalink.write_matrix,
            interactive=True,
            rules=rules,
            from_example=True,
            animated=True,
        ),
        permalink.choice("word", "the word of interest", names, one, interactive=True),
        permalink.choice(
            "other",
            "the word that it is compared with",
            names,
            another,
            interactive=True,
        ),
    ]
    return tuple(among)


@lru_cache(2)
def examples_in_languages(*, features: bool) -> tuple[str, ...]:
    """Return the worked examples in other languages: those with a head on named `features`, or on a plane.

    Their names begin with the language, so that not all examples are loaded to find them.
    """
    named = [name for name in example_names() if name.partition("_")[0] in LANGUAGES]
    return tuple(name for name in named if (worked(name).W_query is not None) == features)


def is_offered(name: str) -> bool:
    """Whether an example is offered in the language that is spoken. English ones are; a link may name any."""
    return name == OWN or worked(name).language in ("", spoken())


def sentence_of(name: str) -> str:
    """The words of an example, as it is called where one is chosen."""
    if name == OWN:
        return ui_text("examples/own")
    example = worked(name)
    words = " ".join(example.words)
    return ui_text("examples/learned", words=words) if example.provenance == "learned" else words


def example_setting(state: State) -> dict[str, dict[str, str]]:
    """The worked examples that a page offers and what they are called, as a setting of its lesson."""
    if "example" not in state.values:
        return {}
    offered = [name for name in state.options("example") if name != OWN and is_offered(name)]
    return {"example": {name: sentence_of(name) for name in offered}}


def spoken_words(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the sentence, and of the one that answers it where there is one."""
    return (*values["words"], *values.get("memory_words", ()))


def ids(words: Sequence[str], among: Sequence[Example] = ()) -> list[int]:
    """Where each word of a sentence stands in the table: its id, as tokenizers call it."""
    known = table(words, among)
    return [known.index(word) for word in words]


CONSTANTS = ("words", "sentence", "table", "ids", "home")  # what `lookup` gives


def lookup(state: State, beside: Sequence[str] = ()) -> dict[str, Any]:
    """What a calculation on a sentence reads besides the vectors, which are a table with one row for each word.

    ``ids``: where the words of the sentence stand in the ``table``; ``words``: a name for each of them;
    ``home``: the table before anything was moved.
    """
    known = table(spoken_words(state.values), neighbours(beside, state.worked_example))
    return {
        "words": labels(state.words),
        "sentence": state.words,
        "table": known,
        "ids": [known.index(word) for word in state.words],
        "home": state.defaults()["vectors"],
    }


def known_vectors(base: Example, beside: Sequence[str]) -> Mapping[str, np.ndarray]:
    """The vectors that the examples give to words."""
    return _known_vectors(base, tuple(beside))


@lru_cache(64)
def _known_vectors(base: Example, beside: tuple[str, ...]) -> Mapping[str, np.ndarray]:
    every = (*neighbours(beside, base), base)
    return MappingProxyType({word: vector for example in every for word, vector in example.lexicon.items()})


def vectors_of(
    words: Sequence[str],
    known: Mapping[str, np.ndarray],
    features: bool = False,
    now: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> np.ndarray:
    """The words' vectors; for those not known a place near zero, or no features.

    No place is that of a word that has a vector `now`.
    """
    width = len(next(iter(known.values())))
    new = [word for word in words if word not in known]
    placed = dict.fromkeys(new, np.zeros(width)) if features else _placed(new, width, now)
    return np.array([known[word] if word in known else placed[word] for word in words])


@lru_cache(256)
def _at_home(
    words: tuple[str, ...], base: Example, beside: tuple[str, ...], features: bool, _language: str
) -> np.ndarray:
    """The table before anything was moved; which words are put nearer is said in the language spoken."""
    result = vectors_of(words, known_vectors(base, beside), features)
    result.setflags(write=False)
    return result


def _placed(
    words: Sequence[str], width: int, now: Mapping[str, np.ndarray] = MappingProxyType({})
) -> dict[str, np.ndarray]:
    """Places near zero for words that nobody has placed, none of them where a word stands `now`.

    Of more than `MOST_AXES` axes each is a feature, and they have none.
    """
    if width > MOST_AXES:
        return dict.fromkeys(words, np.zeros(width))
    little, places, spare = set(ui_text("little_words").split()), {}, itertools.count(len(words))
    occupied = {tuple(vector) for vector in now.values()}
    for k, word in enumerate(words):
        place = _place(k, width, near=word.casefold() in little)
        while tuple(place) in occupied and word not in now:
            place = _place(next(spare), width, near=word.casefold() in little)
        places[word] = place
        if word not in now:
            occupied.add(tuple(place))
    return places


def _place(k: int, width: int, *, near: bool) -> np.ndarray:
    angle = FIRST_ANGLE + k * GOLDEN_ANGLE
    x, y = (NEARER if near else NEAR_ZERO) * np.array([np.cos(angle), np.sin(angle)])
    flat = [x, y, 0.0] if width == 3 else [x, y, -y, x]  # every pair of axes shows them apart
    return np.round(flat[:width], 2) + 0.0


def vectors_before(
    state: State, axes: Sequence[str], beside: Sequence[str] = (), *, moved: bool = False
) -> dict[str, np.ndarray]:
    """Where words stood that were taken out of one's own: their newest places among the steps of Undo.

    Those on these `axes`, back to the example with which one's own words began. With `moved`, only of words that
    a hand had moved or an example had placed.
    """
    stays = state.worked_example.axes == axes
    newest = dict.fromkeys(state.table) if stays else {}
    for values in reversed(state.undo_stack):
        base = base_example(state.fields, values)
        words, home = table(spoken_words(values), neighbours(beside, base)), known_vectors(base, beside)
        if base.axes == axes and len(words) == len(values["vectors"]):
            begun = _at_home(words, base, tuple(beside), False, spoken())
            for word, now, at in zip(words, values["vectors"], begun, strict=True):
                newest.setdefault(word, None if moved and word not in home and np.array_equal(now, at) else now)
        if values["example"] != OWN:
            break
    occupied, result = {tuple(vector) for vector in state.vectors if stays}, {}
    for word, vector in newest.items():
        if vector is not None and tuple(vector) not in occupied:
            occupied.add(tuple(vector))
            result[word] = vector
    return result


def without_features(state: State, beside: Sequence[str] = ()) -> list[str]:
    """The words of the sentence that no example knows and nobody has given a feature."""
    known = known_vectors(state.worked_example, beside)
    words = table(spoken_words(state.values), neighbours(beside, state.worked_example))
    now = zip(words, state.vectors, strict=True)
    return [word for word, vector in now if word not in known and not vector.any()]


def learned_names(state: State) -> dict[str, str]:
    """Of learned vectors, for a page's sentences: whose they are, and how much of their spread its axes show."""
    learned = state.worked_example.learned
    return {
        "model": learned.model,
        "fingerprint": learned.fingerprint,
        "all": str(len(learned.shares)),
        "share": format_share(learned.shares[: state.vectors.shape[1]].sum()),
    }


def write_lines(words: Sequence[str], vectors: np.ndarray) -> str:
    """Words and vectors as the editor shows them: ``apple 2 2``, a line each."""
    return "\n".join(
        f"{word} {' '.join(map(permalink.typed, vector))}" for word, vector in zip(words, vectors, strict=True)
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
    lines = [_split_line(line.strip()) for line in text.splitlines() if line.strip()]
    read = [(word, _read_vector(word, numbers, width) if numbers else known.get(word)) for word, numbers in lines]
    words = permalink.check_words([word for word, _ in read], distinct=True, most=most)
    now = {word: vector for word, vector in read if vector is not None}
    placed = _placed([word for word in words if word not in at_home], width, now)
    return words, np.array([placed.get(word, np.zeros(width)) if v is None else v for word, v in read])


def _split_line(line: str) -> tuple[str, str]:
    """A line's word, and its numbers as text; in Chinese nothing stands in front of their bracket."""
    vector = IN_BRACKETS.search(line)
    if vector and len(permalink.split_numbers(vector[0])) > 1:
        line = f"{line[: vector.start()]} {vector[0]}".strip()
    word, numbers = LINE.fullmatch(line).groups()
    return clean_word(word), numbers or ""


def read_sentence(text: str, label: str = "") -> tuple[str, ...]:
    """A sentence as it was typed, without the commas behind words.

    A refusal says which one it is about, if it has a `label`.
    """
    words = []
    for piece in text.split():
        words += [word for word in re.split("[，、،。]|,$", piece) if word] or [piece]
    try:
        return permalink.check_words(words)
    except RefusedError as reason:
        raise RefusedError(f"{label}: {reason}" if label else str(reason)) from None


def _read_vector(word: str, numbers: str, width: int) -> np.ndarray:
    entries = permalink.split_numbers(numbers)
    if len(entries) != width:
        if refusal := permalink.comma_refused(numbers):
            raise refusal
        example = " ".join([word[: permalink.LONGEST_WORD], *["1"] * width])
        raise permalink.refused("vector", line=f"{word[:20]} {numbers[:20]}", width=width, example=example)
    return np.array([permalink.read_typed(entry, permalink.FARTHEST) for entry in entries])
