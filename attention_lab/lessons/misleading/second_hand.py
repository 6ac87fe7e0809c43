"""Second hand: what a word hands over in the second layer was put there by other words in the first."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import explanations
from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import dot_product, read_text, row, token_names, total
from attention_lab.language_models import HEAD_NAMES, HEADS, LAYERS
from attention_lab.state import permalink
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed, format_percentage

from . import heads, parts, trained
from .fields import FIELDS, begun_of
from .operations import handed_parts, places_unlike, total_variation_distance
from .swap import answers_table

LOOKED, MOVED = 0.05, 0.1  # of all weight
LEFT, OWN = 0.25, 0.6
CONSTANTS = (
    *trained.CONSTANTS,
    "offered",
    "begun",
    "last",
    "twin_moved",
    "twin_left",
    "names_offered",
)


def second_hand(s) -> None:
    """What the last word gathers in a head of the second layer, and by whom it came there."""
    s.words = token_names(s.vocabulary, s.tokens)
    s.at = s.offered[s.head]
    s.before = read_text(s.learned, s.begun, s.all_on)
    s.after = read_text(s.learned, s.tokens, s.all_on)
    s.row_before = row(s.before.weights[s.at], s.last)
    s.row = row(s.after.weights[s.at], s.last)
    s.parts_before = handed_parts(s.learned, s.before, s.at, s.word)
    s.parts = handed_parts(s.learned, s.after, s.at, s.word)
    s.unlike = places_unlike(s.tokens, s.begun)
    s.exchanged = total(s.unlike)
    s.looked = dot_product(s.unlike, s.row_before)[0, 0]
    s.moved = total_variation_distance(s.row_before, s.row)
    trained.shares_of_answer(s)
    s.own_part = s.parts[s.word]
    s.weight_there = s.row[0, s.word]
    s.looked_at = s.words[s.word]


CALCULATION = s = record(second_hand, FIELDS, CONSTANTS)
GOALS = (
    Goal(
        "through",
        s.exchanged.within(0, of=1),
        s.looked <= LOOKED,
        s.moved <= MOVED,
        s.share_after <= LEFT,
        names={"moved": (s.moved, "share"), "looked": (s.looked, "share"), "share": (s.share_after, "share")},
    ),
    Goal("own", s.own_part >= OWN, s.exchanged <= 0, names={"part": (s.own_part, "share")}),
)
GUESS = ChoiceQuestion(
    "second_hand",
    both=s.twin_moved >= 0.5,
    answer=s.twin_left <= LEFT,
    neither=s.twin_left >= 0,
)
CASES = {
    "second_hand/what/through": [
        s.exchanged >= 1,
        s.looked <= LOOKED,
        s.moved <= MOVED,
        s.share_after <= LEFT,
    ],
    "second_hand/what/stays": [s.exchanged >= 1, s.moved <= MOVED, s.share_after >= LEFT],
    "second_hand/what/moved": [s.exchanged >= 1],
    "second_hand/what/own": [s.own_part >= OWN],
    "second_hand/what/begin": [],
}


def opened(state: State) -> tuple[int, int]:
    """The head and the place with which the text opens, whatever a hand has chosen since."""
    at_first = {field.name: state.values[field.name] for field in FIELDS if not field.interactive}
    at_first = permalink.complete(FIELDS, {name: at_first[name] for name in ("experiment", "model", "opening")})
    return HEAD_NAMES.index(at_first["head"]), int(at_first["word"]) - 1


def source_of(state: State) -> tuple[tuple[int, ...], int]:
    """The text with another word in the place from which most comes, and that place: it can be exchanged."""
    begun, (head, place) = begun_of(state.values), opened(state)
    came = explanations.handed_parts(
        heads.model_of(state.model), heads.own_reading(state.model, begun), head, place
    )
    among = parts.of_its_kind(begun)
    most = max((j for j, words in enumerate(among) if len(words) > 1), key=lambda j: came[j])
    return (*begun[:most], among[most][1], *begun[most + 1 :]), most


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    begun, (head, _) = begun_of(state.values), opened(state)
    own, twin = heads.own_reading(state.model, begun), heads.own_reading(state.model, source_of(state)[0])
    answer = int(own.next_word[-1].argmax())
    return {
        **trained.constants(state),
        "offered": list(range(HEADS, 2 * HEADS)),
        "begun": np.array([begun], dtype=float),
        "last": len(begun) - 1,
        "twin_moved": explanations.total_variation_distance(own.weights[head, -1:], twin.weights[head, -1:]),
        "twin_left": float(twin.next_word[-1, answer]),
        "names_offered": list(HEAD_NAMES[HEADS:]),
    }


def names(state: State) -> dict[str, str]:
    """What the model says, by which head it is shown, and how much is asked for."""
    begun = begun_of(state.values)
    return {
        "says": trained.predicted_word(state),
        "asks": parts.word(begun[-1]),
        "head": state.head,
        "looked": format_percentage(LOOKED),
        "moved_most": format_fixed(100 * MOVED, 0),
        "left": format_percentage(LEFT),
        "own": format_percentage(OWN),
    }


def question_names(state: State) -> dict[str, str]:
    """Of the head and place that the text opens with: the word there, that from which most came, and another."""
    begun, (head, there) = begun_of(state.values), opened(state)
    twin, place = source_of(state)
    return names(state) | {
        "there": parts.word(begun[there]),
        "source": parts.word(begun[place]),
        "instead": parts.word(twin[place]),
        "head": HEAD_NAMES[head],
        "on": format_fixed(100 * heads.own_reading(state.model, begun).weights[head, -1, there], 0),
    }


def reachable_goals(state: State) -> list[Goal]:
    """The goals that the model and the text leave to be reached, by the head shown or by another."""
    model, begun = heads.model_of(state.model), begun_of(state.values)
    own = heads.own_reading(state.model, begun)
    head, answer = parts.head_of(state), int(own.next_word[-1].argmax())
    kinds = parts.of_its_kind(begun)
    others = (
        (j, (*begun[:j], word, *begun[j + 1 :]))
        for j, words in enumerate(kinds)
        if own.weights[head, -1, j] <= LOOKED
        for word in words[1:]
    )
    through = any(
        read.next_word[-1, answer] <= LEFT
        and explanations.total_variation_distance(own.weights[head, -1:], read.weights[head, -1:]) <= MOVED
        for read in (heads.own_reading(state.model, text) for _, text in others)
    )
    by_itself = any(
        explanations.handed_parts(model, own, HEADS + k, j)[j] >= OWN
        for k in range(HEADS)
        for j in range(len(begun))
    )
    reached = {"through": through, "own": by_itself}
    return [goal for goal in GOALS if reached[goal.name]]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """Where the last word looks, and by whom what it finds there came; what is said."""
    text, named = state.text, names(state)
    shown = parts.lanes(
        state,
        s.words,
        [
            parts.lane(s.row, text.plain("second_hand/weight", **named), what="weight", ghost=s.row_before),
            parts.lane(
                s.parts,
                text.plain("second_hand/part"),
                what="part",
                form="signed_share",
                ghost=s.parts_before,
                kind="value",
            ),
        ],
        title=text.plain("second_hand/title"),
        swap=parts.swap(s.tokens, s.vocabulary, parts.of_its_kind(begun_of(state.values))),
        choose=s.word,
        marked=s.word,
    )
    offered = parts.chooser(state, {name: {s.head: head} for head, name in enumerate(HEAD_NAMES[HEADS:])})
    left = [figure.pictured(shown), *([offered] if guessed else [])]
    tells = {
        **named,
        "there": s.looked_at,
        "moved": (s.moved, "share"),
        "looked": (s.looked, "share"),
        "part": (s.own_part, "share"),
        "on": (s.weight_there, "share"),
        "share": (s.share_after, "share"),
    }
    right = [parts.before_after(state, s.before.next_word[LAYERS], s.after.next_word[LAYERS], s.vocabulary)]
    if guessed:
        right += parts.concluded(state, CASES, tells)
    return parts.abreast(left, right)


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text, named = state.text, names(state)
    lanes = {
        text.plain("second_hand/weight", **named): now.row[0],
        text.plain("second_hand/part"): now.parts,
    }
    return {
        text["second_hand/title"]: pd.DataFrame(lanes, now.words),
        text["tables/answers"]: answers_table(state, now),
    }
