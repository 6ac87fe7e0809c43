"""What there is to reach on the page, and to guess."""

from attention_lab.state.goals import ArgmaxQuestion, Goal
from attention_lab.state.state import State

from .calculation import ONE as s
from .calculation import READY, time_limit, usual_run
from .fields import GOAL_NAMES

LEARNED, MOST_WORDS = 0.99, 3
all_right, other_arrangement, one_switch, in_doubt, arrange = GOAL_NAMES

GOALS = (
    Goal(
        all_right,
        s.accuracy >= 1,
        names={"accuracy": (s.accuracy, "share"), "step": (s.at, "whole"), "loss": s.loss},
    ),
    Goal(
        other_arrangement,
        s.apart <= -0.5,
        s.right_at_end >= LEARNED,
        s.switched <= 0,
        s.moved_words <= 0,
        needs_python=True,
        names={"apart": (s.apart, "signed"), "right": (s.right_at_end, "share")},
    ),
    Goal(
        one_switch,
        s.switched.within(0, of=1),
        s.right_at_end <= 0.9,
        s.moved_words <= 0,
        needs_python=True,
        names={"right": (s.right_at_end, "share"), "switched": (s.switched, "whole")},
    ),
    Goal(
        in_doubt,
        *(s.unlike_ready[k] >= 1 for k in range(READY)),
        s.accuracy >= LEARNED,
        s.surest <= 0.6,
        names={"surest": (s.surest, "share"), "accuracy": (s.accuracy, "share")},
    ),
    Goal(
        arrange,
        s.right_in_time >= LEARNED,
        s.moved_words >= 1,
        s.moved_words <= MOST_WORDS,
        s.switched <= 0,
        needs_python=True,
        names={"at": (s.learned_at, "whole"), "moved": (s.moved_words, "whole")},
    ),
)
OPENS = "which_apple"  # whose words lie on a plane, and whose answers a sentence can leave open
LOOKS_AT = ArgmaxQuestion("looks_at", s.end_row, shares=True)


def reachable_goals(state: State) -> list[Goal]:
    """Return the goals that suit the task: most need words on a plane, or an answer that can be left open."""
    reachable = {all_right: usual_run(state).accuracy.max() >= 1, arrange: time_limit(state) is not None}
    offered = [goal for goal in GOALS if state.task == OPENS or goal.name in (all_right, one_switch)]
    return [goal for goal in offered if reachable.get(goal.name, True)]
