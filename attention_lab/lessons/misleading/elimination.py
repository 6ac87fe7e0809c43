"""Right by elimination: of two answers a head finds one, and gives the other where it finds nothing."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core.training import forward
from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    attention_network,
    gathered,
    max_abs_difference,
    pick,
    row,
    rows,
    softmax,
    token_names,
    total,
    transpose,
)
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed, format_percentage, format_share

from . import heads, parts
from .fields import FIELDS, FIRST_SEED, tokens_of
from .heads import OUTPUTS, TELLS_OF, WORDS
from .operations import shifted_row

LAST = 5  # the place of the word that asks
SURE, HALF, LITTLE = 0.9, 0.5, 0.1
EVEN = 0.15  # on either side of one half
BLANK = "the"
CONSTANTS = (
    "vocabulary",
    "outputs",
    "two",
    "three",
    "begun",
    "unmoved",
    "tells_of",
    "missed",
    "found",
    "blank",
    "hides",
    "ones",
)


def elimination(s) -> None:
    """A small head's row of weights, as a hand has shifted it, and what it answers."""
    s.words = token_names(s.vocabulary, s.tokens)
    s.trained = pick(s.answers, s.two, s.three)
    s.at_first = attention_network(s.two, s.two["embeddings"], s.begun, True, False)
    s.seen = attention_network(s.trained, s.trained["embeddings"], s.tokens, True, False)
    s.own = row(s.seen.layers[0]["weights"][0], LAST)
    s.row = shifted_row(s.own, s.shifted)
    s.context = s.row @ s.seen.layers[0]["value"][0]
    s.answer = softmax(s.context @ s.trained["W_vocabulary"][0] + s.trained["bias"])
    s.before = row(s.at_first.probabilities[0], LAST)
    s.telling = rows(s.tells_of, s.tokens[0])
    s.weight_of = s.row @ s.telling
    s.on_missed = s.weight_of[0, s.missed]
    s.on_found = s.weight_of[0, s.found]
    s.tellers = total(s.telling)
    s.missed_share = s.answer[0, s.missed]
    s.found_share = s.answer[0, s.found]
    s.counted = s.ones @ s.telling
    s.missed_words = s.counted[0, s.missed]
    s.known_share = total(gathered(s.missed_share, s.found_share))
    s.unseen = shifted_row(s.row, transpose(rows(s.hides, s.tokens[0])))  # no weight on what tells the missed
    s.context_unseen = s.unseen @ s.seen.layers[0]["value"][0]
    s.answer_unseen = softmax(s.context_unseen @ s.trained["W_vocabulary"][0] + s.trained["bias"])
    s.missed_unseen = s.answer_unseen[0, s.missed]
    s.by_hand = max_abs_difference(s.shifted, s.unmoved)


CALCULATION = s = record(elimination, FIELDS, CONSTANTS)
TWO, THREE = s.answers <= 0, s.answers >= 1
GOALS = (
    Goal(
        "blind",
        s.missed_share >= SURE,
        s.tellers <= 0,
        TWO,
        s.by_hand <= 0,
        names={"share": (s.missed_share, "share"), "clues": (s.tellers, "whole")},
    ),
    Goal(
        "looks",
        s.on_missed >= HALF,
        s.missed_share >= SURE,
        s.by_hand <= 0,
        names={"on": (s.on_missed, "share"), "share": (s.missed_share, "share")},
        third=THREE,
    ),
    Goal(
        "waver",
        s.missed_share.within(0.1, of=HALF),
        s.by_hand >= 0.01,
        TWO,
        names={"share": (s.missed_share, "share"), "on": (s.on_found, "share")},
    ),
)
GUESS = ChoiceQuestion("elimination", left=s.blank >= SURE, torn=s.blank >= LITTLE, other=s.blank >= 0)
CASES = {
    "elimination/what/moved": [s.by_hand >= 0.01],
    "elimination/what/three": [THREE, s.on_missed >= HALF, s.missed_share >= SURE],
    "elimination/what/unclear": [THREE, s.tellers <= 0, s.known_share <= 1 - SURE],
    "elimination/what/nothing": [TWO, s.tellers <= 0, s.missed_share >= SURE],
    "elimination/what/blank": [TWO, s.tellers <= 0],
    "elimination/what/aside": [
        TWO,
        s.missed_words >= 1,
        s.on_missed <= LITTLE,
        s.missed_share >= SURE,
        s.missed_unseen >= SURE,
    ],
    "elimination/what/half": [TWO, s.missed_share.within(EVEN, of=HALF)],
    "elimination/what/absent": [s.missed_words <= 0],
    "elimination/what/else": [],
}


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    two, three = (heads.small_head(state.seed, answers) for answers in heads.ANSWERS)
    begun = tokens_of(state.values)
    return {
        "vocabulary": list(WORDS),
        "outputs": list(OUTPUTS),
        "two": heads.to_lists(two.parameters),
        "three": heads.to_lists(three.parameters),
        "begun": begun,
        "unmoved": np.zeros(begun.shape),
        "tells_of": TELLS_OF,
        "missed": two.missed,
        "found": 1 - two.missed,
        "blank": blank_share(two, begun),
        "hides": -TELLS_OF[:, [two.missed]],
        "ones": np.ones(begun.shape),
    }


def blank_share(head: heads.SmallHead, begun: np.ndarray) -> float:
    """The share of the answer that it does not look for, where no word tells any."""
    tokens = begun[0].astype(int)
    tokens = np.where(TELLS_OF[tokens].any(axis=1), WORDS.index(BLANK), tokens)
    return float(forward(head.parameters, tokens[None]).probabilities[0, 0, LAST, head.missed])


def names(state: State) -> dict[str, str]:
    """The answer that the head looks for, the one that is left over, and a word that tells it."""
    two = heads.small_head(state.seed)
    missed = two.missed
    return {
        "right": format_fixed(100 * two.right, 0),
        "missed": OUTPUTS[missed],
        "found": OUTPUTS[1 - missed],
        "teller": WORDS[1 + 4 * missed],
        "finder": WORDS[5 - 4 * missed],
        "blank": BLANK,
        "half": format_percentage(HALF),
        "sure": format_percentage(SURE),
    }


def reachable_goals(state: State) -> list[Goal]:
    """Return the goals that can be reached with this seed."""
    two, three = (heads.small_head(state.seed, answers) for answers in heads.ANSWERS)
    blank = blank_share(two, tokens_of(state.values)) >= SURE
    reached = {"blind": blank, "waver": blank, "looks": three.share[two.missed] >= HALF}
    return [goal for goal in GOALS if reached[goal.name]]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """The sentence with its weights, and what is answered."""
    text, named = state.text, names(state)
    vocabulary = list(range(len(WORDS)))
    left = parts.lanes(
        state,
        s.words,
        [
            parts.lane(
                s.row,
                text.plain("elimination/weight"),
                what="weight",
                ghost=s.own,
                axis=text["lanes/axis"],
                drag=parts.by_shifting(s.shifted, s.own),
            )
        ],
        title=text.plain("elimination/title"),
        swap=parts.swap(s.tokens, s.vocabulary, [*[vocabulary] * LAST, [WORDS.index(heads.ASKS)]]),
    )
    trained = figure.options(
        s.answers,
        text["elimination/answers"],
        [text.plain(f"elimination/{answers}") for answers in heads.ANSWERS],
    )
    tells = {
        **named,
        "share": (s.missed_share, "share"),
        "on": (s.on_missed, "share"),
        "hit": (s.on_found, "share"),
        "rest": (s.found_share, "share"),
        "without": (s.missed_unseen, "share"),
    }
    right = [parts.before_after(state, s.before[0], s.answer[0], s.outputs, small=True)]
    if guessed:
        right += parts.concluded(state, CASES, tells, [figure.remark(figures(state))])
    return parts.abreast([figure.pictured(left), *([trained] if guessed else [])], right)


def figures(state: State) -> str:
    """How right both heads are, and how much of their weight lies on words that tell, over what is held out."""
    two, three = (heads.small_head(state.seed, answers) for answers in heads.ANSWERS)
    placeholders = {
        "count": str(len(two.answers)),
        "on": format_share(two.share[two.missed]),
        "hit": format_share(two.share[1 - two.missed]),
        "three": format_fixed(100 * three.right, 0),
        "third": format_share(three.share[two.missed]),
        "seed": str(state.seed),
        "several": str(two.alone[two.missed]),
        "others": str(two.alone[1 - two.missed]),
        "more": str(three.alone[two.missed]),
    }
    sections = ["elimination/figures", *(["elimination/chosen"] if state.seed == FIRST_SEED else [])]
    return "\n\n".join(state.text.plain(section, **placeholders, **names(state)) for section in sections)


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text = state.text
    weights = {text.plain("lanes/own"): now.own[0], text.plain("elimination/weight"): now.row[0]}
    answers = {
        text.plain(f"answers/{when}"): pd.Series(shares[0], OUTPUTS[: shares.shape[1]])
        for when, shares in (("before", now.before), ("after", now.answer))
    }
    return {
        text["tables/weights"]: pd.DataFrame(weights, now.words),
        text["tables/answers"]: pd.DataFrame(answers).fillna(0.0),
    }
