"""Swap the weights: a head's row under the hand, permuted, flat or another text's, and what is said then."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import explanations, grammar
from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    largest_but,
    multiply,
    pick,
    read_text,
    replace_row,
    row,
    token_names,
)
from attention_lab.language_models import HEAD_NAMES, LAYERS, head_labels
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed, format_percentage

from . import heads, parts, trained
from .fields import FIELDS, SWAPS, begun_of, tokens_of
from .operations import rearranged, run_with_patched_weights, shifted_row, total_variation_distance

FAR, LITTLE = 0.75, 0.02
BEATEN = 0.05  # of all shares: by so much another answer leads
COLUMNS = ("permuted", "flat", "permuted_all", "flat_all")
CONSTANTS = (
    *trained.CONSTANTS,
    "orders",
    "even",
    "elsewhere",
    "mean_changed",
    "head_names",
    *COLUMNS,
)


def swapped(s) -> None:
    """The model goes on from weights that are not its own."""
    s.words = token_names(s.vocabulary, s.tokens)
    s.before = read_text(s.learned, s.tokens, s.all_on)
    s.pattern = s.before.weights[s.head]
    s.of_other = read_text(s.learned, s.elsewhere, s.all_on)
    s.instead = pick(s.swap, s.pattern, rearranged(s.pattern, s.orders), s.even, s.of_other.weights[s.head])
    s.base = pick(s.where, replace_row(s.pattern, s.word, row(s.instead, s.word)), s.instead)
    s.own = row(s.pattern, s.word)
    s.begun = row(s.base, s.word)
    s.row = shifted_row(s.begun, s.shifted)
    s.looks = replace_row(s.base, s.word, s.row)
    s.after = run_with_patched_weights(s.learned, s.tokens, s.head, s.looks)
    s.moved = total_variation_distance(s.own, s.row)
    trained.shares_of_answer(s)
    s.lead = s.share_after - largest_but(row(s.after.next_word, LAYERS), s.answer)
    s.lost = s.share_before - s.share_after
    s.nothing = multiply(s.pattern, 0)
    s.emptied = pick(s.where, replace_row(s.pattern, s.word, row(s.nothing, s.word)), s.nothing)
    s.without = run_with_patched_weights(s.learned, s.tokens, s.head, s.emptied)
    s.share_without = s.without.next_word[LAYERS, s.answer]
    s.lead_without = s.share_without - largest_but(row(s.without.next_word, LAYERS), s.answer)


CALCULATION = s = record(swapped, FIELDS, CONSTANTS)
GOALS = (
    Goal(
        "unlike",
        s.moved >= FAR,
        s.lead >= BEATEN,
        names={"moved": (s.moved, "share"), "share": (s.share_after, "share"), "lead": (s.lead, "signed_share")},
    ),
    Goal(
        "by_hand",
        s.lead <= -BEATEN,
        s.swap <= 0,
        names={"share": (s.share_after, "share"), "lead": (s.lead, "signed_share")},
        needed=s.lead_without <= 0,
    ),
    Goal(
        "flat",
        s.swap.within(0, of=SWAPS.index("flat")),
        s.where >= 1,
        s.lost.within(LITTLE, of=0),
        names={"share": (s.share_after, "share"), "before": (s.share_before, "share")},
    ),
)
GUESS = ChoiceQuestion("swap", rarely=s.mean_changed <= 0.1, some=s.mean_changed <= 0.4, most=s.mean_changed <= 1)
CASES = {
    "swap/what/own": [s.moved <= 0.005, s.swap <= 0],
    "swap/what/same_row": [s.moved <= 0.005, s.lead >= 0],
    "swap/what/other": [s.lead <= 0, s.lead_without <= 0],
    "swap/what/broken": [s.lead <= 0],
    "swap/what/weaker": [s.lost >= 0.1],
    "swap/what/far": [s.moved >= FAR],
    "swap/what/stays": [],
}


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    tokens = tokens_of(state.values)
    n, begun = tokens.shape[1], tuple(map(int, tokens[0]))
    changed = heads.measured("measure_swaps", state.model)
    return {
        **trained.constants(state),
        "orders": explanations.permutation(n),
        "even": explanations.flat_pattern(n),
        "elsewhere": np.array([heads.other_text(begun)], dtype=float),
        "mean_changed": float(changed[COLUMNS.index("permuted_all")].mean()),
        "head_names": list(HEAD_NAMES),
        **{name: rows.tolist() for name, rows in zip(COLUMNS, changed, strict=True)},
    }


def names(state: State) -> dict[str, str]:
    """What the model says, and how much is asked for."""
    return {
        "says": trained.predicted_word(state),
        "far": format_percentage(FAR),
        "little": format_fixed(100 * LITTLE, 0),
        "beaten": format_fixed(100 * BEATEN, 0),
        "count": str(len(heads.held_out())),
    }


def reachable_goals(state: State) -> list[Goal]:
    """The goals that the model and the text leave to be reached."""
    tokens = begun_of(state.values)
    own, n = heads.own_reading(state.model, tokens), len(tokens)
    answer = int(own.next_word[-1].argmax())
    flat = (
        explanations.run_with_patched_weights(
            heads.model_of(state.model), tokens, head, explanations.flat_pattern(n)
        )
        for head in range(len(HEAD_NAMES))
    )
    lost = min(abs(float(own.next_word[-1, answer] - each.next_word[-1, answer])) for each in flat)
    reached = {"unlike": True, "by_hand": heads.breakable(state.model, tokens), "flat": lost <= LITTLE}
    return [goal for goal in GOALS if reached[goal.name]]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """The row in the hand, what is said, and below how often an answer changes with each head's weights."""
    text, named = state.text, names(state)
    zeros = np.zeros(state.shifted.shape).tolist()
    held = parts.lanes(
        state,
        s.words,
        [
            parts.lane(
                s.row,
                text.plain("swap/weight"),
                what="weight",
                ghost=s.own,
                axis=text["lanes/axis"],
                drag=parts.by_shifting(s.shifted, s.begun),
                upto=s.word,
            )
        ],
        title=text.plain("swap/title"),
        choose=s.word,
        clears=[s.shifted],
        upto=s.word,
    )
    buttons = {
        text.plain(f"swap/by/{name}"): figure.preset((s.swap, place), (s.shifted, zeros))
        for place, name in enumerate(SWAPS)
    }
    buttons[text.plain("swap/by/unlike")] = figure.preset((s.swap, 0), (s.shifted, most_unlike(state)))
    ways = [
        parts.chooser(state, {name: {s.head: head} for head, name in enumerate(HEAD_NAMES)}, clears=[s.shifted]),
        figure.presets(buttons, title=text["swap/by"], about=s.swap, shown=True),
        figure.options(
            s.where, text["swap/where"], [text.plain(f"swap/where/{where}") for where in ("row", "head")]
        ),
    ]
    left = [figure.pictured(held), *(ways if guessed else [])]
    tells = {
        **named,
        "moved": (s.moved, "share"),
        "share": (s.share_after, "share"),
        "before": (s.share_before, "share"),
        "empty": (s.share_without, "share"),
    }
    right = [parts.before_after(state, s.before.next_word[LAYERS], s.after.next_word[LAYERS], s.vocabulary)]
    if guessed:
        right += parts.concluded(state, CASES, tells)
    result = parts.abreast(left, right)
    if not guessed:
        return result
    table = parts.lanes(
        state,
        s.head_names,
        [parts.lane(s[name], text.plain(f"swap/table/{name}"), what=name, kind="plain") for name in COLUMNS],
        title=text.plain("swap/table"),
        label=text["lanes/head"],
        choose=s.head,
        clears=[s.shifted],
    )
    counted = figure.Column([table, figure.remark(text.plain("swap/remark", **named))])
    fold = figure.fold(text.plain("swap/table"), counted)
    return [*result, figure.Column([fold], least=figure.WHOLE_WIDTH, turn=3)]


def most_unlike(state: State) -> list[list[float]]:
    """What is to be added to the row shown for the one most unlike it with which the answer stays."""
    tokens = begun_of(state.values)
    head, place = parts.head_of(state), int(state.word) - 1
    result, _ = heads.unlike(state.model, tokens, head, place)
    own = heads.own_reading(state.model, tokens).weights[head, place]
    return np.round(result - own, explanations.ROUNDED).tolist()


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text = state.text
    weights = {text.plain("lanes/own"): now.own[0], text.plain("swap/weight"): now.row[0]}
    changed = {text.plain(f"swap/table/{name}"): now[name] for name in COLUMNS}
    return {
        text["tables/weights"]: pd.DataFrame(weights, now.words),
        text["tables/answers"]: answers_table(state, now),
        text["swap/table"]: pd.DataFrame(changed, head_labels()),
    }


def answers_table(state: State, now: Results) -> pd.DataFrame:
    """The next word before and after, the likeliest first."""
    text = state.text
    shares = {
        text.plain("answers/before"): now.before.next_word[-1],
        text.plain("answers/after"): now.after.next_word[-1],
    }
    return pd.DataFrame(shares, grammar.WORDS).sort_values(text.plain("answers/after"), ascending=False)
