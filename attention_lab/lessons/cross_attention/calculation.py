"""One sentence asks, another answers: settings, calculation, questions and goals."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core import causal_mask
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    argmax,
    argsort,
    closed_at,
    count_unlike,
    crossings,
    largest_but,
    pick,
    row,
    rows,
    scaled_dot_product_attention,
    softmax,
    transposed,
)
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import Estimate, Goal, Guess
from attention_lab.state.state import State
from attention_lab.text.labels import labels

from . import learned

EXAMPLES = ("la_creature_bleue_duveteuse", "zone_economique_europeenne")
BESIDE = ("french_creature_words", "french_area_words")  # the words, French and English, that the two heads know
LOOKS = ("across", "itself")
MASKS = ("none", "causal")
MATRICES = ("W_query", "W_key", "W_value")


# Settings ----------------------------------------------------------------------------------------------


def goals_offered(values: permalink.Values) -> list[str]:
    """What can be tried: only the words of another sentence can change places; a trained model has its own."""
    if learned.is_learned(values):
        return [*learned.LEARNED_GOALS[values["model"]]]
    return [name for name in GOALS if values["looks"] == "across" or name != "straighten"]


def not_pushed(values: permalink.Values) -> np.ndarray:
    """Every query where the words put it."""
    return np.zeros((len(values["words"]), 2))


FIELDS = (
    *vocabulary.fields(
        EXAMPLES, word=("duveteuse", "européenne"), sentence=True, beside=BESIDE, features=True, memory=True
    )[:-1],
    permalink.choice("looks", "who answers: the other sentence or the same", LOOKS),
    permalink.matrix("pushed", "how far a hand has moved each query", not_pushed),
    permalink.order("seats", "which word that answers stands at each place, by its number", "memory_words"),
    permalink.choice("mask", "whom a word may look at", MASKS, interactive=True),
    *learned.MODEL_FIELDS,
    permalink.choice("goal", "the goal set", goals_offered, interactive=True),
)


# What is calculated ------------------------------------------------------------------------------------


def attention(s, *, reordered: bool) -> None:
    """Every word asks those that answer, who stand as they were given or `reordered` by the hand.

    ``key`` and ``value`` follow the places of the words that answer, ``key_of_word`` the words as given.
    """
    if reordered:
        s.place_of = argsort(s.seats[0])  # of each word that answers
        s.word_at = argsort(s.place_of)  # each of these places
        s.moved = count_unlike(s.seats, s.in_order)
    s.x, s.memory = rows(s.vectors, s.ids), rows(s.vectors, s.memory_ids)
    s.answering = rows(s.answers, s.word_at)
    s.query_unmoved = s.x @ s.W_query
    s.query = s.query_unmoved + s.pushed
    s.key_of_word = s.memory @ s.W_key
    s.key = rows(s.key_of_word, s.word_at)
    s.value = rows(s.memory @ s.W_value, s.word_at)
    s.may_look = pick(s.mask, s.everything, s.causal)
    s.trace = scaled_dot_product_attention(s.query, s.key, s.value, s.may_look)

    # The strongest link of each word that asks, whether the mask closes it, how many of the others cross.
    s.strongest = argmax(softmax(s.trace.scaled_scores))
    s.lost = closed_at(s.may_look, s.strongest)
    s.crossings = crossings(s.strongest, s.lost)
    s.all_crossings = crossings(s.strongest)

    # What the chosen word finds, and what each word that answers, as given, gives to it.
    s.partner = argmax(s.trace.weights)[s.word]
    s.second = largest_but(row(s.trace.weights, s.word), s.partner)
    s.given_to_chosen = rows(s.trace.weights[s.word], s.place_of)
    s.value_columns = transposed(s.value)


GIVEN = [*vocabulary.GIVEN, "axes", *MATRICES, "memory_ids", "answers", "everything", "causal", "cells_beyond"]
ACROSS = s = record(attention, FIELDS, given=[*GIVEN, "in_order"], reordered=True)
ITSELF = record(attention, FIELDS, given=[*GIVEN, "place_of", "word_at"], reordered=False)

GOALS = {
    "lost": Goal("lost", s.mask >= 1, s.lost[s.word] >= 1),
    "straighten": Goal("straighten", s.moved >= 1, s.all_crossings <= 0),
    "shared": Goal("shared", s.mask <= 0, s.second >= 0.4, tells={"second": (s.second, "share")}),
}
ADJECTIVE = Guess("adjective", s.given_to_chosen, among=s.answers)
HOW_MANY = Estimate(
    "how_many",
    **{name: s.cells_beyond[name].within(0, of=0) for name in ("each", "sum", "product")},
)


def words_that_answer(state: State) -> tuple[str, ...]:
    """The words that answer, as they were given: those of the other sentence or the same again."""
    return state.memory_words if state.looks == "across" else state.words


def sizes_to_guess(state: State) -> dict[str, int]:
    """How many weights the pattern might hold: a word each, as many as there are words, or pairs of them."""
    n, m = len(state.words), len(words_that_answer(state))
    return {"each": max(n, m), "sum": n + m, "product": n * m}


def given(state: State) -> dict[str, Any]:
    """What the calculation reads and no hand can change."""
    example, n, answering = state.worked_example, len(state.words), words_that_answer(state)
    m, found = len(answering), vocabulary.lookup(state, BESIDE)
    found |= {"axes": example.axes} | {name: getattr(example, name) for name in MATRICES}
    found |= {
        "memory_ids": [found["table"].index(word) for word in answering],
        "answers": labels(answering),
        "everything": np.ones((n, m), dtype=bool),
        "causal": causal_mask(max(n, m))[:n, :m],
        "cells_beyond": {name: n * m - size for name, size in sizes_to_guess(state).items()},
    }
    if state.looks == "across":
        return found | {"in_order": permalink.in_order(m)}
    return found | {"place_of": list(range(m)), "word_at": list(range(m))}


def calculate(state: State) -> Results:
    """What follows from the settings on screen."""
    if learned.is_learned(state.values):
        return learned.calculate(state)
    calculation = ACROSS if state.looks == "across" else ITSELF
    return calculation.run(state.scope(), given(state))


def suiting(state: State) -> list[Goal]:
    """The goals that the sentences can reach: keys that differ, and links that cross, to put in another order."""
    calculation = ACROSS if state.looks == "across" else ITSELF
    at_first = calculation.run(state.scope(state.defaults()), given(state))
    if np.ptp(at_first.key_of_word, axis=0).max() < 1e-9:
        return []
    offered = [GOALS[name] for name in state.options("goal")]
    return [goal for goal in offered if goal.name != "straighten" or at_first.all_crossings > 0]
