"""One sentence asks, another answers: settings, calculation, questions and goals."""

from typing import Any

import numpy as np

from attention_core import causal_mask
from attention_core import scaled_dot_product_attention as attend
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    argmax,
    argsort,
    count_unlike,
    largest_but,
    pick,
    row,
    rows,
    scaled_dot_product_attention,
    softmax,
    total,
    transpose,
)
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import ArgmaxQuestion, ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text.labels import labels

from . import learned
from .operations import closed_at, crossings

EXAMPLES = ("la_creature_bleue_duveteuse", "zone_economique_europeenne")
BESIDE = ("french_creature_words", "french_area_words")  # the words, French and English, that the two heads know
LOOKS = ("across", "itself")
MASKS = ("none", "causal")
MATRICES = ("W_query", "W_key", "W_value")
BELONGS = {"pushed": "words", "seats": "memory_words"}  # what begins anew with which sentence
SHARED = 0.8  # the weight from which on two words share a key
REACH = 5.0  # how long a query can be on the plane


# Settings ----------------------------------------------------------------------------------------------


def goals_offered(values: permalink.Values) -> list[str]:
    """What can be tried: only the words of another sentence can change places; a trained model has its own."""
    if learned.is_learned(values):
        return [*learned.LEARNED_GOALS[values["model"]]]
    return [name for name in GOALS if values["looks"] == "across" or name != "straighten"]


FIELDS = (
    *vocabulary.fields(
        EXAMPLES, word=("duveteuse", "européenne"), sentence=True, beside=BESIDE, features=True, memory=True
    )[:-1],
    permalink.choice("looks", "the source of keys and values: the other sentence or the same one", LOOKS),
    permalink.matrix(
        "pushed", "by how much each query was dragged", lambda values: np.zeros((len(values["words"]), 2))
    ),
    permalink.order("seats", "the number of the second sentence's word at each position", "memory_words"),
    permalink.choice("mask", "the mask between queries and keys", MASKS, interactive=True),
    *learned.MODEL_FIELDS,
    permalink.choice("goal", "the goal that is set", goals_offered, interactive=True),
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
    s.value_columns = transpose(s.value)

    # The key of another word that asks, for the chosen word to attend to as well.
    s.rival, s.wanted = s.rivals[s.word], s.wanted_keys[s.word]
    s.on_wanted = s.given_to_chosen[s.wanted]
    s.of_rival = s.trace.weights[s.rival, s.place_of[s.wanted]]
    s.lost_links = [s.lost]
    s.hidden_links = total(s.lost_links)


CONSTANTS = [
    *vocabulary.CONSTANTS,
    "axes",
    *MATRICES,
    "memory_ids",
    "answers",
    "everything",
    "causal",
    "cells_beyond",
]
CONSTANTS += ["rivals", "wanted_keys"]  # see keys_to_share
ACROSS = s = record(attention, FIELDS, constants=[*CONSTANTS, "in_order"], reordered=True)
ITSELF = record(attention, FIELDS, constants=[*CONSTANTS, "place_of", "word_at"], reordered=False)

GOALS = {
    "many_to_one": Goal(
        "many_to_one",
        s.on_wanted >= SHARED,
        s.of_rival >= SHARED,
        names={"share": (s.on_wanted, "share"), "rival_share": (s.of_rival, "share")},
    ),
    "shared": Goal("shared", s.mask <= 0, s.second >= 0.4, names={"second": (s.second, "share")}),
    "straighten": Goal(
        "straighten", s.moved >= 1, s.all_crossings <= 0, names={"crossings": (s.all_crossings, "whole")}
    ),
    "lost": Goal("lost", s.mask >= 1, s.lost[s.word] >= 1, names={"hidden": (s.hidden_links, "whole")}),
}
ADJECTIVE = ArgmaxQuestion("adjective", s.given_to_chosen, among=s.answers, shares=True)
HOW_MANY = ChoiceQuestion(
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


def keys_to_share(state: State) -> list[tuple[int, int] | None]:
    """For each word that asks, another one and the key that it attends to; None where there is no such pair.

    The other one is the nearest whose key is not the word's own and can be attended to alone, before anything was
    moved: a goal stays the same while a hand works at it.
    """
    example, found = state.worked_example, vocabulary.lookup(state, BESIDE)
    answering = [found["table"].index(word) for word in words_that_answer(state)]
    vectors = found["home"]
    queries, keys = vectors[found["ids"]] @ example.W_query, vectors[answering] @ example.W_key
    weights = attend(queries, keys, keys).weights
    own, turns = weights.argmax(axis=-1), np.linspace(0, 2 * np.pi, 72, endpoint=False)
    around = REACH * np.column_stack([np.cos(turns), np.sin(turns)])
    alone = attend(around, keys, keys).weights.max(axis=0) > SHARED + 0.05

    def pair(word: int) -> tuple[int, int] | None:
        nearest = sorted(range(len(own)), key=lambda other: (abs(other - word), other))
        fits = (o for o in nearest if own[o] != own[word] and alone[own[o]] and weights[o, own[o]] >= SHARED)
        return next(((other, int(own[other])) for other in fits), None)

    return [pair(word) for word in range(len(own))]


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    pairs = keys_to_share(state)
    example, n, answering = state.worked_example, len(state.words), words_that_answer(state)
    m, result = len(answering), vocabulary.lookup(state, BESIDE)
    result |= {"axes": example.axes} | {name: getattr(example, name) for name in MATRICES}
    result |= {
        "memory_ids": [result["table"].index(word) for word in answering],
        "answers": labels(answering),
        "rivals": [pair[0] if pair else word for word, pair in enumerate(pairs)],  # itself where there is none
        "wanted_keys": [pair[1] if pair else 0 for pair in pairs],
        "everything": np.ones((n, m), dtype=bool),
        "causal": causal_mask(max(n, m))[:n, :m],
        "cells_beyond": {name: n * m - size for name, size in sizes_to_guess(state).items()},
    }
    if state.looks == "across":
        return result | {"in_order": permalink.in_order(m)}
    return result | {"place_of": list(range(m)), "word_at": list(range(m))}


def calculate(state: State) -> Results:
    """What follows from the settings on screen."""
    calculation = ACROSS if state.looks == "across" else ITSELF
    return calculation.run(state.scope(), constants(state))


def goal_names(state: State, now: Results) -> dict[str, str]:
    """Return what a goal calls the word whose key is to be shared, and the key; nothing where there is none."""
    asking = labels(state.words)
    word = asking.index(state.word)
    rival, key = now.rivals[word], now.wanted_keys[word]
    return {} if rival == word else {"rival": asking[rival], "target": labels(words_that_answer(state))[key]}


def reachable_goals(state: State, now: Results) -> list[Goal]:
    """The goals that the sentences can reach: keys that differ, and links that cross, to put in another order."""
    at_first = calculate(State(state.lesson, {**state.defaults(), "looks": state.looks}))
    if np.ptp(at_first.key_of_word, axis=0).max() < 1e-9:
        return []
    possible = {"straighten": at_first.all_crossings > 0, "many_to_one": bool(goal_names(state, now))}
    return [GOALS[name] for name in state.options("goal") if possible.get(name, True)]
