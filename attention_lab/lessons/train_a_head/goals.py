"""What there is to reach on the page, and to guess."""

from __future__ import annotations

from attention_lab.state.goals import Goal, Guess
from attention_lab.state.state import State

from .calculation import ONE, READY, time_limit
from .fields import GOAL_NAMES

s = ONE
LEARNED, MOST_WORDS = 0.99, 3
arrange, one_switch, other_arrangement, in_doubt = GOAL_NAMES

GOALS = (
    Goal(
        arrange,
        s.right_in_time >= LEARNED,
        s.moved_words >= 1,
        s.moved_words <= MOST_WORDS,
        s.switched <= 0,
        tells={"at": (s.learned_at, "whole")},
    ),
    Goal(
        one_switch,
        s.switched.within(0, of=1),
        s.right_at_end <= 0.9,
        s.moved_words <= 0,
        tells={"right": (s.right_at_end, "share")},
    ),
    Goal(
        other_arrangement,
        s.apart <= -0.5,
        s.right_at_end >= LEARNED,
        s.switched <= 0,
        s.moved_words <= 0,
        tells={"apart": s.apart},
    ),
    Goal(
        in_doubt,
        *(s.unlike_ready[k] >= 1 for k in range(READY)),
        s.accuracy >= LEARNED,
        s.surest <= 0.6,
        tells={"surest": (s.surest, "share")},
    ),
)
OPENS = "which_apple"  # whose words lie on a plane, and whose answers a sentence can leave open
LOOKS_AT = Guess("looks_at", s.end_row)


def suiting(state: State) -> list[Goal]:
    """The goals that suit the task: two are about words on a plane and about an answer that is left open."""
    offered = [goal for goal in GOALS if state.task == OPENS or goal.name in (arrange, one_switch)]
    return [goal for goal in offered if goal.name != arrange or time_limit(state)]
