"""The shipped language models in lessons: loaded once, ready to travel, and measured on texts held out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from pathlib import Path

import numpy as np

from attention_core.models import grammar, reading
from attention_core.models.language_model import (
    ARRAYS,
    MEASURED_QUESTIONS,
    LanguageModel,
    count_answers,
    count_questions,
    held_out_texts,
    load_language_model,
    measure_answers,
    measure_heads,
    measure_key_composition,
)
from attention_core.models.weights import FOLDER
from attention_lab import text as prose
from attention_lab.calculation import BinaryArrays, pack_arrays
from attention_lab.calculation.operations import cosine_similarity
from attention_lab.state import permalink

LAYERS, HEADS = 2, 5
HEAD_NAMES = tuple(f"{layer + 1}.{head + 1}" for layer in range(LAYERS) for head in range(HEADS))
NEARLY = 0.05  # of all attention: a difference that makes no head another one
LOST = 0.1  # of all answers: so many that they break
OF_ITS_KIND = 5  # words that are offered in another's place
MOST_TEXTS = 12  # of one word in its senses
SENSES = tuple(grammar.SENSES)
KINDS = MEASURED_QUESTIONS
#: the answer that should break without a head that looks where this question is answered
NEEDED_FOR = {kind: kind.removesuffix("_again") for kind in KINDS if kind != "previous"}
ALL_ON = np.ones((LAYERS, HEADS))


def head_labels(names: Iterable[str] = HEAD_NAMES) -> list[str]:
    """Return heads as a table's row names. A spreadsheet reads a mere "1.10" as 1.1, or as a date."""
    text = prose.read("trained_model")
    return [text.plain("arcs/head", head=name) for name in names]


@lru_cache(8)
def fault(name: str) -> str:
    """Why a model cannot be shown; empty where it can."""
    try:
        made = load_language_model(name)
    except ValueError as why:
        return str(why)
    return "" if made.heads == (LAYERS, HEADS) else f"{made.heads} heads"


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model with everything that does not depend on the page's settings."""

    model: LanguageModel
    packed: BinaryArrays
    #: for each question, (layers · heads,): the weight that a head gives to the answer
    measured: dict[str, np.ndarray]


@lru_cache(8)
def load_model(name: str) -> LoadedModel:
    """Return a shipped model with its measurements, from the cache where it is there."""
    model = load_language_model(name)
    packed = pack_arrays({weight: getattr(model, weight) for weight in ARRAYS})
    measured = {kind: shares.ravel() for kind, shares in measure_heads(model, held_out_texts()).items()}
    return LoadedModel(model, packed, measured)


def does_most(name: str, head: int) -> tuple[str, float]:
    """What a head does most, and the share of its attention that it does it with.

    Of questions that it answers nearly as well as its best the most general is told, the one asked most often:
    who looks at the word before has the noun's colour, too, where that stands before it.
    """
    result, asked = load_model(name).measured, how_often()
    best = max(result[kind][head] for kind in KINDS)
    kind = max((kind for kind in KINDS if result[kind][head] >= best - NEARLY), key=asked.get)
    return kind, float(result[kind][head])


@cache
def how_often() -> dict[str, int]:
    """How often each question can be asked in the texts held out."""
    return count_questions(held_out_texts())


@cache
def answers_counted() -> dict[str, int]:
    """How many next words of each kind of answer the texts held out have."""
    return count_answers(held_out_texts())


@cache
def before_itself() -> tuple[str, ...]:
    """The questions whose answer is always the word before."""
    gaps: dict[str, set[int]] = {}
    for text in held_out_texts():
        for link in text.links:
            gaps.setdefault(link.kind, set()).add(link.query - link.key)
    return tuple(kind for kind in KINDS if gaps.get(kind) == {1})


@lru_cache(128)
def answers_without(name: str, head: int | None) -> dict[str, float]:
    """How often the model is right, by the reason of the next word: whole, or without one head."""
    off = () if head is None else (divmod(head, HEADS),)
    return measure_answers(load_model(name).model, held_out_texts(), off)


@lru_cache(64)
def composition(name: str, reader: int) -> tuple[int, float, float]:
    """Return the head of layer 1 that an induction head of layer 2, the `reader`, builds on, and the evidence.

    The evidence is the reader's mean weight on what followed, and what is left of it without that head's update
    in its keys.
    """
    model, texts = load_model(name).model, held_out_texts()
    measured = [
        measure_key_composition(model, writer, reader % HEADS, "induction", texts) for writer in range(HEADS)
    ]
    writer = min(range(HEADS), key=lambda head: measured[head][1])
    return writer, *measured[writer]


def arrays(name: str) -> dict[str, BinaryArrays]:
    """The weights of a model as they travel: once, and the browser calculates with them."""
    return {"learned": load_model(name).packed}


def file_of(name: str) -> dict[str, Path]:
    """The file of a model's weights, by its name: programs read it."""
    return {f"{name}.npz": FOLDER / f"{name}.npz"}


def fingerprint(name: str) -> str:
    """What stands for a model's weights; empty where there are none."""
    return "" if fault(name) else load_model(name).model.fingerprint


@cache
def substitutes() -> dict[str, list[int]]:
    """Of every word, by its number, others that stand in its place."""
    walkers = tuple(who[-1] for whos in grammar.WALKERS.values() for who in whos)
    groups = [walkers, tuple(grammar.WALKERS), tuple(grammar.SENSES)]
    groups += [grammar.TEXTURES, grammar.COLOURS, grammar.NOUNS, grammar.VERBS, grammar.ANIMALS, grammar.PLACES]
    groups += [grammar.THINGS, grammar.NAMES]
    groups += [(*grammar.OF_ANIMALS[:2], *grammar.OF_PLACES[:2]), (*grammar.BIG[:2], *grammar.SMALL[:2])]
    for senses in grammar.SENSES.values():
        groups.append(tuple(hints[k] for hints, _ in senses.values() for k in range(2)))
    groups.append(("soccer", *walkers))
    result: dict[str, list[int]] = {}
    for group in groups:
        for word in group:
            others = [grammar.PLACE_OF[other] for other in group if other != word][:OF_ITS_KIND]
            result.setdefault(str(grammar.PLACE_OF[word]), others)
    return result


# One word in several senses -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class InSenses:
    """A word at the end of texts that suggest one or another of its senses."""

    texts: np.ndarray  # (texts, n), numbers of words
    hints: tuple[str, ...]  # of each text the word that suggests
    groups: np.ndarray  # of each text, which sense
    names: tuple[str, ...]  # of the senses


@lru_cache(16)
def in_senses(word: str) -> InSenses:
    """Texts in which the hint stands first or second, beside one of another word's."""
    senses = grammar.SENSES[word]
    of_others = [
        hints[0] for other, each in grammar.SENSES.items() if other != word for hints, _ in each.values()
    ]
    each_sense, rows, result, groups = MOST_TEXTS // len(senses), [], [], []
    for group, (hints, _) in enumerate(senses.values()):
        pairs = [(hint, of_others[(k + 2 * group) % len(of_others)]) for k, hint in enumerate(hints)]
        both = [(hint, order) for hint, other in pairs for order in permutations((hint, other))]
        for hint, (one, other) in both[:each_sense]:
            text = ["with", "the", one, "and", "the", other, ",", "the", word]
            rows.append([grammar.PLACE_OF[each] for each in text])
            result.append(hint)
            groups.append(group)
    return InSenses(np.array(rows), tuple(result), np.array(groups), tuple(senses))


def widest(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """The two axes, as columns, along which vectors (n, d) spread most, and the part of all spread along them."""
    _, sizes, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    two = axes[:2].T
    two = two * np.sign(two[np.abs(two).argmax(axis=0), [0, 1]])  # of the two ways round, one
    whole = float((sizes**2).sum())
    return two, float((sizes[:2] ** 2).sum()) / whole if whole else 1.0


@dataclass(frozen=True, eq=False)
class Parting:
    """Where a word in its senses is drawn: the two axes along which it spreads most at the end."""

    axes: np.ndarray  # (d_model, 2)
    spread: float  # the part of all spread that these show
    reach: float


@lru_cache(64)
def parting(name: str, word: str) -> Parting:
    """The plane of one word in one model, all heads on."""
    states = reading.last_states(reading.as_model(load_model(name).packed.arrays), in_senses(word).texts, ALL_ON)
    two, spread = widest(states[-1] - states[0])
    far = float(np.abs((states - states[0]) @ two).max())
    return Parting(two, spread, float(np.ceil(1.15 * far)))


def apart(name: str, word: str, strengths: np.ndarray) -> float:
    """How much more alike a word's last vectors are within a sense than between senses."""
    found = in_senses(word)
    last = reading.last_states(reading.as_model(load_model(name).packed.arrays), found.texts, strengths)[-1]
    cosines, of_one = cosine_similarity(last, last), found.groups[:, None] == found.groups
    return float(cosines[of_one & ~np.eye(len(last), dtype=bool)].mean() - cosines[~of_one].mean())


# What a text begins with --------------------------------------------------------------------------------


@lru_cache(128)
def next_word_probabilities(name: str, tokens: tuple[int, ...]) -> np.ndarray:
    """Return the probabilities of the next word, all heads on."""
    model = reading.as_model(load_model(name).packed.arrays)
    return reading.read_text(model, tokens, ALL_ON).next_word[-1]


@lru_cache(128)
def fewest_heads(name: str, tokens: tuple[int, ...], least: float) -> int:
    """With how few heads its answer still has `least`: they go one by one, the most dispensable first."""
    model = reading.as_model(load_model(name).packed.arrays)
    answer, on, enough = int(next_word_probabilities(name, tokens).argmax()), ALL_ON.copy(), LAYERS * HEADS

    def without(head: tuple[int, int]) -> float:
        fewer = on.copy()
        fewer[head] = 0
        return float(reading.read_text(model, tokens, fewer).next_word[-1][answer])

    while on.any():
        share, head = max((without(tuple(head)), tuple(head)) for head in np.argwhere(on))
        on[head] = 0
        if share >= least:
            enough = int(on.sum())
    return enough


@lru_cache(128)
def loss_without(name: str, tokens: tuple[int, ...]) -> np.ndarray:
    """How much of its share the answer loses with each head off, (layers · heads,)."""
    return reading.loss_of_each(reading.as_model(load_model(name).packed.arrays), tokens, ALL_ON)


# Texts as fields ----------------------------------------------------------------------------------------


def token_numbers(words: Iterable[str]) -> tuple[int, ...]:
    """Words by their numbers in the vocabulary."""
    return tuple(grammar.PLACE_OF[word] for word in words)


def to_tokens(words: Iterable[str]) -> np.ndarray:
    """The same as the value of a field: one row."""
    return np.array([token_numbers(words)], dtype=float)


def places_in(values: permalink.Values) -> list[str]:
    """The places of the text, from 1: a word that is exchanged stays the one that asks."""
    return [str(place + 1) for place in range(values["tokens"].shape[1])]


def text_field(
    name: str, meaning: str, default: Callable, width: Callable[[permalink.Values], int | None]
) -> permalink.Field:
    """A text by the numbers of its words, under the hand."""
    number = permalink.numbered(len(grammar.WORDS))
    return permalink.ruled(
        name,
        meaning,
        default,
        lambda values: permalink.Rules((number,), (1, width(values)), grammar.LONGEST),
    )
