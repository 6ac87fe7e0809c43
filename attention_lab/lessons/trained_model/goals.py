"""What there is to reach on the page, and to guess."""

from functools import lru_cache, partial

import numpy as np

from attention_lab import language_models
from attention_lab.calculation import Results
from attention_lab.calculation.operations import listed
from attention_lab.language_models import ALL_ON, HEADS, LAYERS, SENSES, token_numbers
from attention_lab.state.goals import ArgmaxQuestion, Goal
from attention_lab.state.state import State

from .calculation import CALCULATION, HALF, constants
from .fields import GOAL_NAMES, OPENINGS
from .operations import loss_of_each

s = CALCULATION
ablate, few_heads, other_answer, undecided = GOAL_NAMES
ALL = LAYERS * HEADS
LEFT = 0.1  # of the distance between senses: with less they have not parted

GOALS = (
    Goal(
        ablate,
        s.answer_share <= HALF * s.answer_share.at_start,
        s.heads_left.within(0.02, of=ALL - 1),
        s.from_opening <= 0,
        names={"share": (s.answer_share, "share"), "left": s.heads_left},
    ),
    Goal(
        few_heads,
        s.answer_share >= HALF,
        s.too_many <= 0,
        s.from_opening <= 0,
        names={"share": (s.answer_share, "share"), "left": s.heads_left},
    ),
    Goal(
        other_answer,
        s.twin_share >= HALF,
        s.from_opening <= 1,
        s.strength_changed <= 0,
        names={"share": (s.twin_share, "share")},
    ),
    Goal(
        undecided,
        s.apart <= LEFT * s.apart.at_start,
        s.heads_left >= ALL - 1,
        s.sense <= 0,
        names={"unlike": (s.unlike_2, "steady"), "same": (s.same_2, "steady"), "apart": (s.apart, "steady")},
    ),
)


def _each_off(s) -> None:
    s.points = (listed(loss_of_each(s.learned, s.tokens, s.strengths)) * 100)[0]


EACH_OFF = CALCULATION.then(_each_off)
GUESS = ArgmaxQuestion("breaks", EACH_OFF.points, among=EACH_OFF.names_of_heads)


def each_off(state: State, now: Results) -> Results:
    """What is guessed: how much of its share the answer loses with each head off. No word asks for it."""
    if not state.predict:
        return now
    result = EACH_OFF.run_extension(now)
    del result["word"]
    return result


def one_head_decides(name: str, opening: str) -> bool:
    """Whether there is a single head without which an opening's answer keeps at most half of its probability."""
    first = token_numbers(OPENINGS[opening][0])
    whole = float(language_models.next_word_probabilities(name, first).max())
    return whole - float(language_models.loss_without(name, first).max()) <= HALF * whole


@lru_cache(8)
def one_head_parts(name: str) -> bool:
    """Whether there is a single head without which the senses of the first word do not part."""
    without = ALL_ON - np.eye(ALL).reshape(ALL, *ALL_ON.shape)
    apart = partial(language_models.apart, name, SENSES[0])
    return min(map(apart, without)) <= LEFT * apart(ALL_ON)


def reachable_goals(state: State) -> list[Goal]:
    """The goals that the model and the opening leave to be reached."""
    known = constants(state.model, state.opening)
    offered = {
        ablate: one_head_decides(state.model, state.opening),
        other_answer: known["answer"] != known["twin_answer"],
        undecided: one_head_parts(state.model),
    }
    return [goal for goal in GOALS if offered.get(goal.name, True)]
