"""What is calculated: what the model does with the text, with the text before, and with a word in its senses."""

from functools import lru_cache
from typing import Any

import numpy as np

from attention_core.models import grammar
from attention_lab import language_models
from attention_lab import text as prose
from attention_lab.calculation import Calculation, Results, record
from attention_lab.calculation.operations import (
    cosine_similarity,
    max_abs_difference,
    read_text,
    rows,
    states_at,
    token_names,
    total,
    words_unlike,
)
from attention_lab.language_models import ALL_ON, HEAD_NAMES, LAYERS, SENSES, token_numbers
from attention_lab.state.state import State

from .fields import FIELDS, OPENINGS
from .operations import changes_between, last_states, mean_where

HALF = 0.5  # a probability larger than that of all others together
CONSTANTS = (
    "learned",
    "vocabulary",
    "all_on",
    "begun",
    "answer",
    "twin_answer",
    "heads_to_keep",
    "names_of_heads",
    "substitutes",
    "sense_texts",
    "sense_hints",
    "sense_groups",
    "sense_axes",
    "same_sense",
    "other_sense",
)


def trained_model(s) -> None:
    """One text read by the model, its heads as strong as the hand has left them."""
    s.words = token_names(s.vocabulary, s.tokens)
    s.sentence = rows(s.vocabulary, s.tokens[0])
    s.sentence_before = rows(s.vocabulary, s.before[0])
    s.strengths = s.all_on - s.dimmed
    s.heads_left = total(s.strengths)
    s.strength_changed = max_abs_difference(s.strengths, s.all_on)
    s.exchanged = words_unlike(s.tokens, s.before)
    s.from_opening = words_unlike(s.tokens, s.begun)
    s.now = read_text(s.learned, s.tokens, s.strengths)
    s.earlier = read_text(s.learned, s.before, s.strengths)
    s.change = changes_between(s.earlier, s.now)
    s.pattern = s.now.weights[s.head]
    s.scores = s.now.scores[s.head]
    s.answer_share = s.now.next_word[LAYERS, s.answer]
    s.twin_share = s.now.next_word[LAYERS, s.twin_answer]
    s.too_many = s.heads_left - s.heads_to_keep
    s.in_senses = last_states(s.learned, s.sense_texts[s.sense], s.strengths)
    for layer in range(LAYERS + 1):
        cosines = cosine_similarity(s.in_senses[layer], s.in_senses[layer])
        setattr(s, f"same_{layer}", mean_where(cosines, s.same_sense[s.sense]))
        setattr(s, f"unlike_{layer}", mean_where(cosines, s.other_sense[s.sense]))
    s.apart = s.same_2 - s.unlike_2
    s.in_senses_at = states_at(s.in_senses, s.depth)


CALCULATION: Calculation = record(trained_model, FIELDS, CONSTANTS)


def calculate(state: State) -> Results:
    """What the model does with the text on screen."""
    return CALCULATION.run(state.scope(), constants(state.model, state.opening))


def does(name: str, head: int) -> str:
    """What a head does, in words; that none of the questions gets half of its attention, where none does."""
    kind, share = language_models.does_most(name, head)
    return prose.read("trained_model").plain(f"kinds/{kind}" if share >= HALF else "kinds/mixed")


@lru_cache(32)
def constants(name: str, opening: str) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    first, second = map(token_numbers, OPENINGS[opening])
    result = [language_models.in_senses(word) for word in SENSES]
    of_one = [each.groups[:, None] == each.groups for each in result]
    return {
        "learned": language_models.load_model(name).packed.arrays,
        "vocabulary": list(grammar.WORDS),
        "all_on": ALL_ON,
        "begun": np.array([first], dtype=float),
        "answer": int(language_models.next_word_probabilities(name, first).argmax()),
        "twin_answer": int(language_models.next_word_probabilities(name, second).argmax()),
        "heads_to_keep": language_models.fewest_heads(name, first, HALF) + 1,
        "names_of_heads": [f"{label} {does(name, head)}" for head, label in enumerate(HEAD_NAMES)],
        "substitutes": language_models.substitutes(),
        "sense_hints": [each.hints for each in result],
        "sense_groups": [each.groups.tolist() for each in result],
        "sense_texts": [each.texts.tolist() for each in result],
        "sense_axes": [language_models.parting(name, word).axes.tolist() for word in SENSES],
        "same_sense": [(same & ~np.eye(len(same), dtype=bool)).tolist() for same in of_one],
        "other_sense": [(~same).tolist() for same in of_one],
    }
