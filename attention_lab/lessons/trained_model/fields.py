"""What the address of the page holds: which model, its fingerprint, the text, which heads are dimmed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attention_core.models import grammar
from attention_core.models.language_model import NAMES
from attention_lab import figure
from attention_lab import text as prose
from attention_lab.state import permalink

from . import models
from .models import HEAD_NAMES, HEADS, LAYERS, SENSES

LONGEST = grammar.LONGEST
LOUDEST = 1.5  # times what a head has learned to add
GOAL_NAMES = ("ablate", "few_heads", "other_answer", "undecided")


def openings() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The texts that the page begins with, in pairs that differ in what matters; of each the words."""
    result = prose.read("trained_model").parts("openings")
    return {name: tuple(tuple(line.split()) for line in pair.splitlines()) for name, pair in result.items()}


OPENINGS = openings()


def numbers_of(words: tuple[str, ...]) -> np.ndarray:
    """Words by their numbers, as one row."""
    return np.array([[grammar.PLACE_OF[word] for word in words]], dtype=float)


def words_of(tokens: np.ndarray) -> tuple[str, ...]:
    """The words of these numbers."""
    return tuple(grammar.WORDS[int(number)] for number in tokens[0])


def places_in(values: permalink.Values) -> list[str]:
    """The places of the text, from 1: a word that is exchanged stays the one that asks."""
    return [str(place + 1) for place in range(values["tokens"].shape[1])]


def words(name: str, meaning: str, default: Callable, width: Callable[[permalink.Values], int | None]):
    """A text by the numbers of its words, under the hand."""

    def check(text: str, values: permalink.Values) -> np.ndarray:
        count = text.count("_") + 1
        if count > LONGEST:
            raise permalink.refused("many_words", count=count, most=LONGEST)
        result = permalink.read_matrix(text, (1, width(values) or count))
        last = len(grammar.WORDS) - 1
        if np.mod(result, 1).any() or result.min() < 0 or result.max() > last:
            raise permalink.refused("no_words_of", most=last)
        return result

    return permalink.Field(
        name,
        meaning,
        default,
        check,
        permalink.write_matrix,
        interactive=True,
        shape=lambda values: (1, width(values)),
    )


def _dimmed() -> permalink.Field:
    """How far each head is dimmed: a row for each layer."""

    def check(text: str, values: permalink.Values) -> np.ndarray:
        result = plain.read(text, values)
        if result.min() < 1 - LOUDEST:
            raise permalink.refused("outside", text=text[:20], low=1 - LOUDEST, high=1)
        return result

    plain = permalink.matrix(
        "dimmed",
        "how far each head is dimmed, a row for each layer: 1 is off, below 0 it adds more",
        lambda _: np.zeros((LAYERS, HEADS)),
        limit=1.0,
    )
    return replace(plain, read=check)


def first_head(values: permalink.Values) -> str:
    """The head that the page opens with: the one without which the opening loses most of its answer."""
    if models.fault(values["model"]):
        return HEAD_NAMES[0]
    tokens = tuple(int(number) for number in numbers_of(OPENINGS[values["opening"]][0])[0])
    return HEAD_NAMES[int(models.loss_without(values["model"], tokens).argmax())]


FIELDS = (
    permalink.choice("model", "which of the trained models", NAMES),
    permalink.version(lambda values: models.fingerprint(values["model"])),
    permalink.choice("opening", "the pair of texts that the page begins with", tuple(OPENINGS)),
    _dimmed(),
    words(
        "tokens",
        "the text, by the numbers of its words",
        lambda values: numbers_of(OPENINGS[values["opening"]][0]),
        lambda _: None,
    ),
    words(
        "before",
        "the text before a word was exchanged, by the numbers of its words",
        lambda values: values["tokens"].copy(),
        lambda values: values["tokens"].shape[1],
    ),
    permalink.choice(
        "word",
        "the place in the text that asks",
        places_in,
        lambda values: places_in(values)[-1],
        interactive=True,
    ),
    permalink.choice("head", "the head shown large, layer and number", HEAD_NAMES, first_head, interactive=True),
    permalink.choice("sense", "the word that is shown in its senses", SENSES, interactive=True),
    permalink.number("depth", "after how many layers its senses are shown", 0, LAYERS, LAYERS, interactive=True),
    figure.goal_field(GOAL_NAMES),
)
