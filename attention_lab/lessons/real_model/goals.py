"""What there is to reach on the page, and to guess."""

from attention_lab.state.goals import ArgmaxQuestion, Goal

from .calculation import CALCULATION as s
from .fields import GOAL_NAMES

look_back, rests, together, half, noun = GOAL_NAMES
ALWAYS, MOSTLY = 0.9, 0.8  # shares of a head's attention
LITTLE = 0.05  # a share that hardly counts
NOTEWORTHY = 0.03  # by which the weight of *it* is to move, each time
LESS = 0.5  # of the distance between the senses of the first word

GOALS = (
    Goal(look_back, s.looks_back >= ALWAYS, names={"share": (s.looks_back, "share")}),
    Goal(
        rests,
        s.looks_first >= MOSTLY,
        names={"share": (s.looks_first, "share"), "ratio": (s.value_ratio, "share")},
    ),
    Goal(
        together, s.gap <= LESS * s.gap.at_start, s.layers_left <= 0, names={"gap": s.gap, "left": s.layers_left}
    ),
    Goal(
        half,
        s.share >= 0.5,
        s.share_before <= LITTLE,
        names={"share": (s.share, "share"), "before": (s.share_before, "share"), "raised": s.raised},
    ),
    Goal(noun, s.it_moves >= NOTEWORTHY, names={"shift": (s.it_moves, "signed_share")}),
)

GUESS = ArgmaxQuestion("rests", s.received, among=s.sentence, shares=True)
