"""What is calculated: a head's pattern, the answer after an intervention, the perplexity without some heads."""

from functools import lru_cache
from typing import Any

from attention_core import load_recorded_runs
from attention_core.models.recorded import LARGEST
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import argmax, largest, ratio, row, row_sums, rows, triangle
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State

from . import recorded
from .fields import CUTS, FIELDS, FIRST, GOAL_NAMES, HEAD
from .operations import count_at_least
from .recorded import SHARPEST

CONSTANTS = (
    "recorded",
    "words",
    "sentence",
    "head_names",
    "scale",
    "later",
    "last",
    "probabilities",
    "closed",
    "strongest",
    "powers",
    "perplexities",
)
LEFT = 0.2  # of the answer's probability, where it counts as lost
STAYS = 0.5  # a probability above that of every other token
DESTROYED, UNCHANGED = 0.1, 0.9  # of the answer's probability
HIGH = 1000  # perplexity
EXACT = 1e-6


# Recorded once as a graph, never run line by line: what a line says is calculated here and in the browser.
def modern_model(s) -> None:
    """One head's weights and effect, the answer after the intervention, and a list without some heads."""
    s.pattern = triangle(s.recorded["weights", s.head]) / s.scale
    s.last_row = row(s.pattern, s.last)
    s.most = argmax(s.last_row)
    s.most_weight = largest(s.last_row[0])
    s.received = s.later @ s.pattern
    s.on_first = s.received[0, 0]
    s.effect = s.recorded["effects", 0, s.head]
    s.gap = s.effect - s.strongest
    s.before = s.probabilities[0]
    s.without = s.recorded["with_head_off", 0, s.head]
    s.by_cut = [s.before, s.without, s.closed[0]]
    s.probability = s.by_cut[s.cut]
    s.left = ratio(s.probability, s.before)
    s.kept = ratio(s.closed[0], s.before)
    s.count_shown = count_at_least(s.recorded["measures", s.measure], s.least)
    s.codes = s.off @ s.powers
    s.count_off = row_sums(s.off)
    s.of_induction = rows(s.perplexities[0], s.codes[0])
    s.of_others = rows(s.perplexities[1], s.codes[1])


CALCULATION = s = record(modern_model, FIELDS, CONSTANTS)
lost, sink, missed, induction = GOAL_NAMES
NAMES = {"before": (s.before, "share"), "after": (s.probability, "share")}
HEAD_NAME = {"head": s.head_names[s.head]}
HEAD_OFF, FIRST_CLOSED = (s.cut.within(0, of=CUTS.index(name)) for name in (HEAD, FIRST))
GOALS = (
    Goal(
        lost,
        s.left <= LEFT,
        HEAD_OFF,
        names=NAMES
        | HEAD_NAME
        | {"left": (s.left, "share"), "weight": (s.most_weight, "share"), "key": s.words[s.most[0]]},
    ),
    Goal(sink, FIRST_CLOSED, names=NAMES, destroyed=s.kept <= DESTROYED, unchanged=s.kept >= UNCHANGED),
    Goal(missed, s.gap <= EXACT, HEAD_OFF, names=NAMES | HEAD_NAME | {"effect": (s.effect, "signed")}),
    Goal(
        induction,
        s.of_induction[0, 0] >= HIGH,
        s.count_off[1] >= SHARPEST,
        names={
            "perplexity": s.of_induction[0, 0],
            "others": s.of_others[0, 0],
            "count": (s.count_off[0], "whole"),
            "count_others": (s.count_off[1], "whole"),
        },
    ),
)
CLOSING = ChoiceQuestion(
    "closing", hardly=s.kept >= UNCHANGED, falls=s.kept >= DESTROYED, lost=s.kept <= DESTROYED
)


def calculate(state: State) -> Results:
    """What was recorded of the head and the intervention that are chosen."""
    return CALCULATION.run(state.scope(), constants(state.values["text"]))


@lru_cache(16)
def constants(text: str) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    now = recorded.prepared(text)
    last = len(now.tokens) - 1
    return {
        "recorded": now.packed.arrays,
        "words": now.names,
        "sentence": now.tokens,
        "head_names": load_recorded_runs().head_names,
        "scale": LARGEST,
        "later": [[0.0] + [1 / last] * last],  # the mean over all queries but the first
        "last": last,
        "probabilities": [answer.probability for answer in now.answers],
        "closed": [answer.first_closed for answer in now.answers],
        "strongest": float(now.packed.arrays["effects"][0].min()),
        "powers": [[2.0**k] for k in range(SHARPEST)],
        "perplexities": recorded.perplexities(),
    }


def offered(text: str) -> list[Goal]:
    """The goals that a text leaves to be reached."""
    now = recorded.prepared(text)
    least = now.with_head_off[0].min()
    reachable = {lost: least <= LEFT * now.answers[0].probability, missed: least >= STAYS}
    return [goal for goal in GOALS if reachable.get(goal.name, True)]
