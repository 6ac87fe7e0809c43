"""What Embeddings asks for before the result is shown, and what there is to reach."""

from __future__ import annotations

from collections.abc import Mapping

from controls import stage
from controls.calculation import Results
from controls.goals import Estimate, Goal, Guess
from controls.page_state import OWN, PageState

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
GOALS = (
    Goal("other_side", LEFT_ALONE, LEAN <= -0.01 * LEAN.at_start),
    Goal("stay_put", LEFT_ALONE, LENGTH <= 0.1 * LENGTH.at_start),
    Goal("newcomer", s.newcomers >= 1, s.farthest_kept <= 0.05, LEAN <= -0.01),
)
PULL = Guess("strongest_pull", s.trace.weights[s.word])
APART = ENTRIES.apart[0]
START = Estimate("same_start", not_at_all=APART <= 0.0, a_little=APART <= 1.0, far=APART >= 1.0)


def question(page: PageState, now: Results) -> tuple[Guess | Estimate, Results, Mapping[str, str]]:
    """What is asked, what its answer is read from, and the names that the question says.

    Who pulls most; or, of a word in three phrases, how far apart it is in two of them before any context.
    """
    others = [phrase for phrase in phrases_elsewhere(page) if word_of_interest(page) in phrase.words]
    if len(others) < 2 or page.example == OWN:
        return PULL, now, {}
    names = {"here": " ".join(page.words), "there": " ".join(others[-1].words)}
    return START, calculate_entries(page, now, others[-1]), names


def on_offer(page: PageState, now: Results) -> stage.Part:
    """What to try: across the diagonal, hardly moved, moved by a newcomer."""
    axes, example = page.worked_example.axes, page.worked_example.words
    names = {
        "side": axes[1 - side_at_first(page, now, page.words)],
        "across": axes[1 - side_at_first(page, now, example)],
        "sentence": " ".join(example),
    }
    offered = [goal for goal in GOALS if goal.name in page.options("goal")]
    return stage.goals(page, offered, now, names=names)
