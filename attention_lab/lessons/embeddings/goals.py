"""What Embeddings asks for before the result is shown, and what there is to reach."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core import scaled_dot_product_attention
from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.state.goals import Estimate, Goal, Guess
from attention_lab.state.state import OWN, State

from .calculation import (
    CALCULATION,
    ENTRIES,
    calculate_entries,
    phrases_elsewhere,
    side_at_first,
    word_of_interest,
)

s = CALCULATION
LEFT_ALONE = s.moved_here[s.word] <= 0.05
LEAN, LENGTH = s.lean[s.word, 0], s.shift_length[s.word]
OWN_SHARE = s.trace.weights[s.word, s.word]
GOALS = (
    Goal("other_side", LEFT_ALONE, LEAN <= -0.01 * LEAN.at_start),
    Goal(
        "stay_put",
        LEFT_ALONE,
        LENGTH <= 0.1 * LENGTH.at_start,
        tells={"own": (OWN_SHARE, "share")},
        own=OWN_SHARE >= 0.9,
    ),
    Goal("newcomer", s.newcomers >= 1, s.farthest_kept <= 0.05, LEAN <= -0.01, written=True),
    Goal("alone", s.moved_here[s.word] >= 1),
    Goal("outpulled", LEFT_ALONE, s.moved_here[s.rival] <= 0.05, s.outpulled >= 1.05),
    Goal("of_its_kind", s.newcomers >= 1, s.farthest_kept <= 0.05, s.outpulled >= 1.05, written=True),
)
PULL = Guess("strongest_pull", s.trace.weights[s.word])
APART = ENTRIES.apart[0]
START = Estimate("same_start", not_at_all=APART <= 0.0, a_little=APART <= 1.0, far=APART >= 1.0)


def question(state: State, now: Results) -> tuple[Guess | Estimate, Results, Mapping[str, str]]:
    """What is asked, what its answer is read from, and the names that the question says.

    Who pulls most; or, of a word in three phrases, how far apart it is in two of them before any context.
    """
    others = [phrase for phrase in phrases_elsewhere(state) if word_of_interest(state) in phrase.words]
    if len(others) < 2 or state.example == OWN:
        return PULL, now, {}
    names = {"here": " ".join(state.words), "there": " ".join(others[-1].words)}
    return START, calculate_entries(state, now, others[-1]), names


def on_offer(state: State, now: Results) -> figure.Column:
    """What to try: across the diagonal, hardly moved, moved by a newcomer."""
    axes, example = state.worked_example.axes, state.worked_example.words
    names = {
        "side": axes[1 - side_at_first(state, now, state.words)],
        "across": axes[1 - side_at_first(state, now, example)],
        "sentence": " ".join(example),
        "rival": now.words[now.rival],
    }
    offered = [goal for goal in GOALS if goal.name in state.options("goal")]
    if not can_cross(state.defaults()["vectors"], now):
        offered = [goal for goal in offered if goal.name != "other_side"]
    return figure.goals(state, offered, now, names=names)


def can_cross(home: np.ndarray, now: Results) -> bool:
    """Whether the other words, wherever they are put, can pull the word of interest to the other side.

    Beside a word that lies far out, on the plane's edge, nobody has enough to say.
    """
    place, leans = now.ids[now.word], []
    for corner in (np.array([along, out]) for along in np.linspace(-1, 6, 15) for out in (-1.0, 6.0)):
        for there in (home, corner, corner[::-1]):
            x = np.array([home[row] if row == place or there is home else there for row in now.ids])
            leans.append(float((scaled_dot_product_attention(x, x, x).context @ now.sides)[now.word, 0]))
    return min(leans) <= -0.05 if leans[0] >= 0 else max(leans) >= 0.05
