"""What to try, and what to guess first."""

from __future__ import annotations

from controls.goals import Estimate, Goal, Guess
from controls.page_state import PageState

from .calculation import BOTH_ENDINGS, CAUSAL, MASKS, NO_MASK, STEPS, is_compared

s = BOTH_ENDINGS
EQUAL = 1e-12  # two ratios of one layer differ by rounding alone
TWO_LAYERS = s.layers >= 1
UNMASKED, MASKED = s.mask <= MASKS.index(NO_MASK), s.mask >= MASKS.index(CAUSAL)
GOALS = (
    Goal("whole_way", s.steps_seen >= len(STEPS)),
    Goal("ratio_moves", TWO_LAYERS, UNMASKED, s.change >= 0.05),
    Goal("blindfold", TWO_LAYERS, MASKED, s.change.within(EQUAL, of=0)),
)
MOST_WEIGHT = Guess("most_weight", s.last_trace.weights[s.word])
WIDE = Estimate(
    "wide",
    grows=s.growth >= 1 + EQUAL,
    stays=s.growth.within(EQUAL, of=1),
    shrinks=s.growth <= 1 - EQUAL,
)


def asks_about_ratio(page: PageState) -> bool:
    """Whether to ask what the other ending does to the ratio: that is for one layer that sees all."""
    return is_compared(page) and page.layers == "1" and page.mask == NO_MASK
