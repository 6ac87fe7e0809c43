"""Weight is not effect: of each word its weight, the size of what it hands over, and what changes without it."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import explanations
from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import dot_product, pick, read_text, row, token_names
from attention_lab.language_models import HEAD_NAMES, HEADS, LAYERS, head_labels
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed, format_percentage

from . import heads, parts, trained
from .fields import FIELDS, begun_of, tokens_of
from .operations import run_with_scaled_weights
from .swap import answers_table

EVERY = len(HEAD_NAMES)  # the row of all heads together, behind those of each
LIGHT, HEAVY = 0.05, 0.3  # of all weight
MUCH, LITTLE = 0.3, 0.02  # of all shares
FULL = 0.5  # the least effect that fills a bar
CONSTANTS = (
    *trained.CONSTANTS,
    "all_kept",
    "every",
    "nobody",
    "weighed",
    "sized",
    "effects",
    "here",
    "known",
    "heaviest",
    "ranked_texts",
    "felt_texts",
    "mean_weight",
    "mean_size",
    "over_texts",
)


def thinned(s) -> None:
    """The model reads a text whose words it can look at less."""
    s.words = token_names(s.vocabulary, s.tokens)
    s.which = pick(s.whose, s.every, s.head)
    s.reader = pick(s.whose, s.nobody, s.head)
    s.before = read_text(s.learned, s.tokens, s.all_on)
    s.after = run_with_scaled_weights(s.learned, s.tokens, s.reader, s.kept)
    s.weight = s.weighed[s.which]
    s.size = s.sized[s.which]
    s.effect = s.effects[s.which]
    s.out = s.all_kept - s.kept
    s.taken = dot_product(row(s.weighed, s.which), s.out)[0, 0]
    trained.shares_of_answer(s)
    s.lost = s.share_before - s.share_after
    s.rank_here = s.here[s.which]
    s.rank_weight = s.mean_weight[s.which]
    s.rank_size = s.mean_size[s.which]
    s.rankable = s.known[s.which]
    s.ranked = s.ranked_texts[s.which]
    s.hits = s.felt_texts[s.which]
    s.top = s.heaviest[s.which]
    s.most = s.weight[s.top]
    s.felt = s.effect[s.top]
    s.top_word = s.words[s.top]


CALCULATION = s = record(thinned, FIELDS, CONSTANTS)
MEASURED = {"taken": (s.taken, "share"), "share": (s.share_after, "share"), "before": (s.share_before, "share")}
GOALS = (
    Goal(
        "light",
        s.taken <= LIGHT,
        s.lost >= MUCH,
        s.whose <= 0,
        names=MEASURED,
    ),
    Goal(
        "heavy",
        s.taken >= HEAVY,
        s.lost.within(LITTLE, of=0),
        s.whose >= 1,
        names=MEASURED,
    ),
)
GUESS = ChoiceQuestion(
    "deletion", near=s.over_texts >= 0.8, partly=s.over_texts >= 0.2, nothing=s.over_texts >= -1
)
ONE = s.whose >= 1
CASES = {
    "deletion/what/light": [s.taken <= LIGHT, s.lost >= MUCH],
    "deletion/what/heavy": [ONE, s.taken >= HEAVY, s.lost.within(LITTLE, of=0)],
    "deletion/what/nothing": [ONE, s.felt.within(explanations.FELT, of=0)],
    "deletion/what/head": [ONE, s.head >= HEADS],
    "deletion/what/first": [ONE],
    "deletion/what/all": [],
}
RANKS = {"deletion/ranks": [s.rankable >= 1], "deletion/unranked": []}
FIGURES = {"deletion/figures": []}


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    tokens = tokens_of(state.values)
    begun = tuple(map(int, tokens[0]))
    own, ranks = heads.own_reading(state.model, begun), heads.measured("measure_deletion", state.model)
    effects, weighed = heads.effects(state.model, begun), explanations.weights_of_last(own)
    digits = explanations.WEIGHT_DIGITS
    here = np.array([explanations.agreement(*pair, digits) for pair in zip(weighed, effects, strict=True)])
    return {
        **trained.constants(state),
        "all_kept": np.ones(tokens.shape),
        "every": EVERY,
        "nobody": explanations.EVERY_HEAD,
        "weighed": weighed,
        "sized": explanations.sizes_of_last(own),
        "effects": effects,
        "here": np.nan_to_num(here).tolist(),
        "known": np.isfinite(here).astype(int).tolist(),
        "heaviest": weighed.argmax(axis=1).tolist(),
        "ranked_texts": ranks[2].astype(int).tolist(),
        "felt_texts": ranks[3].astype(int).tolist(),
        "mean_weight": ranks[0].tolist(),
        "mean_size": ranks[1].tolist(),
        "over_texts": float(ranks[0, EVERY]),
    }


def names(state: State) -> dict[str, str]:
    """What the model says, and how much is asked for."""
    return {
        "says": trained.predicted_word(state),
        "count": str(len(heads.held_out())),
        "light": format_percentage(LIGHT),
        "heavy": format_percentage(HEAVY),
        "much": format_fixed(100 * MUCH, 0),
        "little": format_fixed(100 * LITTLE, 0),
    }


def reachable_goals(state: State) -> list[Goal]:
    """Return the goals that removing one word can reach."""
    begun = begun_of(state.values)
    own = heads.own_reading(state.model, begun)
    weighed = explanations.weights_of_last(own)
    share = float(own.next_word[-1].max())
    lost = share - share * np.exp(-heads.effects(state.model, begun))
    reached = {
        "light": ((weighed <= LIGHT) & (lost >= MUCH))[EVERY].any(),
        "heavy": ((weighed >= HEAVY) & (np.abs(lost) <= LITTLE))[:EVERY].any(),
    }
    return [goal for goal in GOALS if reached[goal.name]]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """Each word's lanes, and what is said once some are thinned out."""
    text, named = state.text, names(state)
    shown = parts.lanes(
        state,
        s.words,
        [
            parts.lane(
                s.kept,
                text.plain("deletion/kept"),
                what="kept",
                kind="plain",
                axis=text["deletion/axis"],
                drag=parts.by_setting(s.kept),
            ),
            parts.lane(s.weight, text.plain("deletion/weight"), what="weight"),
            parts.lane(s.size, text["deletion/size"], what="size", form="steady", full=None, kind="value"),
            parts.lane(
                s.effect,
                text.plain("deletion/effect"),
                what="effect",
                form="signed",
                full=None,
                least=FULL,
                kind="plain",
            ),
        ],
        title=text.plain("deletion/title"),
    )
    whose = parts.chooser(
        state,
        {text.plain("deletion/whose/all"): {s.whose: 0}}
        | {name: {s.whose: 1, s.head: head} for head, name in enumerate(HEAD_NAMES)},
        title=text.plain("deletion/whose"),
    )
    left = [figure.pictured(shown), *([whose] if guessed else [])]
    tells = {
        **named,
        **MEASURED,
        "here": (s.rank_here, "signed"),
        "ranked": (s.ranked, "whole"),
        "hits": (s.hits, "whole"),
        "top": s.top_word,
        "most": (s.most, "share"),
        "felt": (s.felt, "signed"),
        "weight": (s.rank_weight, "signed"),
        "size": (s.rank_size, "signed"),
    }
    right = [parts.before_after(state, s.before.next_word[LAYERS], s.after.next_word[LAYERS], s.vocabulary)]
    if guessed:
        counted = [parts.follows(state, cases, tells) for cases in (RANKS, FIGURES)]
        right += parts.concluded(state, CASES, tells, counted)
    return parts.abreast(left, right)


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text = state.text
    lanes = {"kept": now.kept[0], "weight": now.weight, "size": now.size, "effect": now.effect}
    ranks = {"weight": now.mean_weight, "size": now.mean_size}
    return {
        text["deletion/title"]: pd.DataFrame(
            {text[f"deletion/{name}"]: numbers for name, numbers in lanes.items()}, now.words
        ),
        text["tables/answers"]: answers_table(state, now),
        text["tables/ranks"]: pd.DataFrame(
            {text[f"deletion/{name}"]: numbers for name, numbers in ranks.items()},
            [*head_labels(), text.plain("deletion/whose/all")],
        ),
    }
