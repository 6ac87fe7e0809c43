"""What the softmax page calculates, aims at and asks: one row of scores, its weights, and what they mix."""

import numpy as np

from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    cosine_similarity,
    entropy,
    first_nonempty,
    largest,
    largest_but,
    max_abs_difference,
    pick,
    ratio,
    row,
    rows,
    softmax,
)
from attention_lab.state import permalink, scores, vocabulary
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import OWN, State

from .operations import counted_rows, log_sum_exp, most_bits, without_undefined, without_zeros

EXAMPLES = ("an_apple_and_an_orange", "an_apple_phone")
COUNTED = ("counted", "out")  # what becomes of words whose score is zero
COLDEST, HOTTEST = 0.05, 20.0
WIDTHS = tuple(str(2**power_of_two) for power_of_two in range(11))
GOAL_NAMES = ("eighty", "cold", "even")
LIFT = 2.0  # by how much all scores go up in the question about it

FIELDS = (
    *vocabulary.fields(EXAMPLES, word="apple", other="orange", sentence=True),
    scores.field(),
    permalink.number(
        "temperature", "the number that divides the scores", COLDEST, HOTTEST, 1.0, interactive=True
    ),
    permalink.choice("zeros", "whether words with a score of zero count", COUNTED, interactive=True),
    permalink.goal_field(GOAL_NAMES),
    permalink.choice("d", "√d: the number of components of the random queries and keys", WIDTHS, "64"),
    permalink.choice("seed", "√d: the seed of the random numbers", [str(seed) for seed in range(8)]),
)


def attention_step(s) -> None:
    """The scores of the word of interest, their weights over all words and without zeros, and the mixture."""
    s.x = rows(s.vectors, s.ids)
    s.score = first_nonempty(s.scores, row(cosine_similarity(s.x, s.x), s.word))
    s.score_all, s.score_nonzero = without_undefined(s.score), without_zeros(s.score)
    s.counted = pick(s.zeros, s.score_all, s.score_nonzero)
    s.exponent = s.counted / s.temperature
    s.log_sum = log_sum_exp(s.exponent)
    s.weights_all = softmax(s.score_all, s.temperature)
    s.weights_nonzero = softmax(s.score_nonzero, s.temperature)
    s.weights = pick(s.zeros, s.weights_all, s.weights_nonzero)
    s.weights_otherwise = pick(s.zeros, s.weights_nonzero, s.weights_all)
    s.entropy, s.most_bits = entropy(s.weights), most_bits(s.counted)
    s.inputs = counted_rows(s.x, s.counted)
    s.context, s.context_otherwise = s.weights @ s.x, s.weights_otherwise @ s.x


def aims(s) -> None:
    """What the goals ask for."""
    s.largest, s.largest_other = largest(s.weights[0]), largest_but(s.weights, s.word)
    s.bits_missing = s.most_bits - s.entropy
    s.sharper = ratio(1.0, s.temperature)
    home_x = rows(s.home, s.ids)
    s.moved = max_abs_difference(s.score, row(cosine_similarity(home_x, home_x), s.word))


def lift(s) -> None:
    """The same scores, all of them higher."""
    s.lifted_largest = largest(softmax(s.score_all + LIFT, s.temperature)[0])
    s.change = s.lifted_largest - largest(s.weights_all[0])


CONSTANTS = (*vocabulary.CONSTANTS, "least_bits")
CALCULATION = s = record(attention_step, FIELDS, constants=CONSTANTS).then(aims)
LIFTED = CALCULATION.then(lift)

UNTOUCHED = s.moved <= 1e-9
GOALS = (
    Goal(
        "eighty",
        s.temperature.within(1e-9, of=1),
        s.largest_other >= 0.8,
        names={"T": s.temperature, "weight": (s.largest_other, "share")},
    ),
    Goal(
        "cold",
        UNTOUCHED,
        s.temperature <= 0.999,
        s.largest >= 0.95,
        names={"T": s.temperature, "times": s.sharper, "weight": (s.largest, "share")},
    ),
    Goal(
        "even",
        UNTOUCHED,
        s.temperature >= 1.001,
        s.bits_missing[0] <= 0.01,
        names={"T": s.temperature, "bits": s.entropy[0], "most": s.most_bits[0]},
    ),
)
FIRST = s.weights_all[0, 0]  # the weight of the sentence's first word: in the examples, an
ZERO_SCORE = ChoiceQuestion("zero_score", nothing=FIRST <= 0, little=FIRST <= 0.1, more=FIRST >= 0.1)
CHANGE = LIFTED.change
LIFT_ALL = ChoiceQuestion(
    "lift_all", grows=CHANGE >= 1e-9, stays=CHANGE.within(1e-9, of=0), shrinks=CHANGE <= -1e-9
)


def reachable_goals(state: State, now: Results) -> list[Goal]:
    """The goals that the words can reach: where two lead nearly alike, neither takes all; one has no other."""
    if len(state.words) == 1:
        return []
    x = now.home[np.asarray(now.ids)]
    coldest = softmax(without_undefined(cosine_similarity(x, x))[[now.word]], COLDEST)
    return [goal for goal in GOALS if goal.name != "cold" or coldest.max() >= 0.95]


def calculate(state: State) -> Results:
    """What follows from the scores or vectors on screen. One's own words are at home wherever they are."""
    known = vocabulary.lookup(state) | {"least_bits": 0.0}
    if state.example == OWN:
        known["home"] = state.vectors
    return CALCULATION.run(state.scope(), known)


def scores_now(state: State) -> list[float]:
    """The scores on screen, for their editor."""
    return list(calculate(state).score[0])


def question(state: State, now: Results) -> tuple[ChoiceQuestion, Results]:
    """What to ask, and in which numbers the answer lies: a word with a score of zero is worth asking about."""
    if state.example != OWN and now.score[0, 0] == 0:
        return ZERO_SCORE, now
    return LIFT_ALL, LIFTED.run_extension(now)
