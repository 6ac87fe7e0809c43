"""Learned translation: which model, its phrase, the word that is being said, what a hand did to a row of
weights."""

from functools import cache, lru_cache
from typing import Any

import numpy as np

from attention_core import models
from attention_core.models import phrases, translator
from attention_lab.calculation import BinaryArrays, Results, pack_arrays, record
from attention_lab.calculation.operations import token_names, words_unlike
from attention_lab.state import permalink
from attention_lab.state.goals import ArgmaxQuestion, Goal
from attention_lab.state.permalink import Range, Rules
from attention_lab.state.state import State

from .operations import links_scored, no_later, places_lost, share_at, translated_places, translation

BY_HAND = "by_hand"
NONE = "none"
DEFAULT = ("the", "fluffy", "blue", "creature")
MOST_BENT = 12  # rows that a hand has set
ROW = 2 + phrases.LONGEST  # of a row that a hand has set: which word, which head, what each English word gets
LEARNED_GOALS = {  # what can be tried with each model
    "aligned": ("other_word", "other_form"),
    "through_encoder": ("astray", "other_word"),
    "two_heads": ("one_head", "other_form"),
}


# Settings ----------------------------------------------------------------------------------------------


@cache
def loaded() -> dict[str, models.Translator]:
    """The translators whose weights can be read."""
    result = {}
    for name in translator.NAMES:
        try:
            result[name] = models.load_translator(name)
        except ValueError:
            continue
    return result


def is_learned(values: permalink.Values) -> bool:
    """Whether the page shows a trained model."""
    return values["model"] != BY_HAND


def heads_of(model: models.Translator) -> int:
    """How many heads look across."""
    return len(model.parameters["across_W_query"])


def head_count(values: permalink.Values) -> int:
    """How many heads the model shown has."""
    return heads_of(loaded()[values["model"]]) if is_learned(values) else 1


def heads_offered(values: permalink.Values) -> list[str]:
    """The heads by their numbers, from 1 on."""
    return [str(head + 1) for head in range(head_count(values))]


def off_offered(values: permalink.Values) -> list[str]:
    """Which heads can be off: none, each, all. Their places are sums of 1 for the first and 2 for the second."""
    return [NONE, "1"] if head_count(values) == 1 else [NONE, "1", "2", "both"]


def besides_offered(values: permalink.Values) -> list[str]:
    """The models that can stand beside the one chosen."""
    return [NONE, *(name for name in loaded() if name != values["model"])]


def beside_first(values: permalink.Values) -> str:
    """The model that looks elsewhere beside the one that aligns, and the other way round."""
    return {"aligned": "through_encoder", "through_encoder": "aligned"}.get(values["model"], NONE)


def numbers_of(words: tuple[str, ...]) -> np.ndarray:
    """English words by their numbers, in one row."""
    return np.array([[phrases.SOURCE_WORDS.index(word) for word in words]], dtype=float)


def fingerprint(values: permalink.Values) -> str:
    """What tells the weights of the model shown from any others."""
    return loaded()[values["model"]].fingerprint if is_learned(values) else ""


def _bent(values: permalink.Values) -> Rules:
    """A step, a head, and the weight of each English word."""
    last = head_count(values) - 1
    why = "no_rows_of", {"most": last}
    step, head = Range(0, whole=True, why=why), Range(0, last, whole=True, why=why)
    return Rules((step, head, Range(0, why=why)), (None, ROW), MOST_BENT)


MODEL_FIELDS = (
    permalink.choice("model", "numbers set by hand, or a trained translator", lambda _: [BY_HAND, *loaded()]),
    permalink.version(fingerprint),
    permalink.ruled(
        "phrase",
        "the English text that a trained model translates, as word numbers",
        lambda _: numbers_of(DEFAULT),
        lambda _: Rules((permalink.numbered(len(phrases.SOURCE_WORDS)),), (1, None), phrases.LONGEST),
    ),
    permalink.whole_number(
        "step", "the position of the French word being predicted", 0, phrases.LONGEST, lambda _: len(DEFAULT) - 1
    ),
    permalink.choice("head", "the head whose weights are shown", heads_offered, interactive=True),
    permalink.choice("off", "the heads that are off", off_offered, interactive=True),
    permalink.own_matrix(
        "bent",
        "rows of weights set by the reader: word, head, and the weight of each English word",
        _bent,
        from_example=True,
    ),
    permalink.choice("beside", "the model to compare with", besides_offered, beside_first),
)


# What is calculated ------------------------------------------------------------------------------------


def translated(s, *, heads: int, heads_beside: int) -> None:
    """What the model says, where each word looks, and what it would say by itself; perhaps another model
    beside."""
    s.english = token_names(s.vocabulary, s.phrase)
    s.seen = translation(s.trained, s.phrase, s.raw_values, s.off, s.bent)
    aligned(s, "", heads)
    s.at = no_later(s.step, s.seen.said)
    s.row = s.seen.weights[s.head, s.at]
    s.by_itself = translation(s.trained, s.phrase, s.raw_values, 0, s.no_rows)
    s.gold_by_itself = translated_places(s.phrase, s.by_itself.said, s.known["can_be"])
    s.on_gold = share_at(s.row, s.gold_by_itself, s.at)
    s.said_by_itself = [s.by_itself.said]
    s.changed = words_unlike(s.said, s.said_by_itself)
    s.places, s.places_by_itself = [s.gold], [s.gold_by_itself]
    s.other_meaning = words_unlike(s.places, s.places_by_itself)
    s.untranslated = places_lost(s.gold, s.gold_by_itself)
    if heads_beside:
        s.seen_2 = translation(s.trained_2, s.phrase, s.raw_values_2, 0, s.no_rows)
        aligned(s, "_2", heads_beside)


def aligned(s, end: str, heads: int) -> None:
    """The French words, what each translates, and how many links of each head are right, wrong and missed."""
    seen = s[f"seen{end}"]
    setattr(s, f"said{end}", [seen.said])
    setattr(s, f"french{end}", token_names(s.target_vocabulary, s[f"said{end}"]))
    setattr(s, f"gold{end}", translated_places(s.phrase, seen.said, s.known["can_be"]))
    for head in range(heads):
        setattr(s, f"links{end}_{head}", links_scored(seen.weights[head], s[f"gold{end}"]))


CONSTANTS = ("vocabulary", "target_vocabulary", "trained", "raw_values", "known", "no_rows")
OF_SECOND = ("trained_2", "raw_values_2")
TRANSLATED = {  # by the numbers of heads of the two models, 0 where there is but one model
    (heads, beside): record(
        translated, MODEL_FIELDS, (*CONSTANTS, *(OF_SECOND if beside else ())), heads=heads, heads_beside=beside
    )
    for heads in (1, 2)
    for beside in (0, 1, 2)
}
s = TRANSLATED[1, 0]

NOT_OFF = s.off <= 0
LEARNED = {
    "other_word": Goal("other_word", s.changed >= 1, NOT_OFF, names={"changed": (s.changed, "whole")}),
    "other_form": Goal(
        "other_form",
        s.changed >= 1,
        s.other_meaning <= 0,
        names={"changed": (s.changed, "whole"), "other": (s.other_meaning, "whole")},
    ),
    "one_head": Goal(
        "one_head",
        s.off >= 1,
        s.off <= 2,
        s.changed >= 1,
        names={"changed": (s.changed, "whole"), "untranslated": (s.untranslated, "whole")},
        second=s.off >= 2,
    ),
    "astray": Goal(
        "astray",
        s.on_gold >= 0.9,
        s.changed >= 1,
        NOT_OFF,
        names={"gold": (s.on_gold, "share"), "changed": (s.changed, "whole")},
    ),
}
LOOKS_AT = ArgmaxQuestion("looks_at", s.row, among=s.english, shares=True)


@lru_cache(8)
def _packed(name: str) -> BinaryArrays:
    return pack_arrays(loaded()[name].parameters)


@cache
def _known() -> BinaryArrays:
    """What each English word can become."""
    pairs = [
        [float(french in phrases.FRENCH[english]) for french in phrases.TARGET_WORDS]
        for english in phrases.SOURCE_WORDS
    ]
    return pack_arrays({"can_be": np.array(pairs)})


def arrays(state: State) -> dict[str, BinaryArrays]:
    """The weights of the models shown, and what each word can become, as they travel."""
    result = {"trained": _packed(state.model), "known": _known()}
    return result | ({"trained_2": _packed(state.beside)} if state.beside != NONE else {})


def calculate(state: State) -> Results:
    """What follows from the settings on screen."""
    constants: dict[str, Any] = {
        "vocabulary": list(phrases.SOURCE_WORDS),
        "target_vocabulary": list(phrases.TARGET_WORDS),
        "raw_values": loaded()[state.model].raw_values,
        "no_rows": [],
    }
    constants |= {name: each.arrays for name, each in arrays(state).items()}
    heads = head_count(state.values)
    if state.beside == NONE:
        return TRANSLATED[heads, 0].run(state.scope(), constants)
    second = loaded()[state.beside]
    return TRANSLATED[heads, heads_of(second)].run(state.scope(), constants | {"raw_values_2": second.raw_values})


def english_of(state: State) -> tuple[str, ...]:
    """The English words."""
    return tuple(phrases.SOURCE_WORDS[int(number)] for number in state.phrase[0])


def french_of(said: tuple[int, ...]) -> tuple[str, ...]:
    """French words by their numbers."""
    return tuple(phrases.TARGET_WORDS[number] for number in said)


def choose_model(state: State, name: str) -> permalink.Values:
    """Another model has weights and heads of its own, and rows that no hand has set."""
    anew = ("model", "version", "head", "off", "bent", "beside", "goal")
    known = {name: value for name, value in state.values.items() if name not in anew}
    return permalink.complete(state.fields, known | {"model": name})
