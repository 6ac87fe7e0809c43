"""What to try, and what to guess first."""

from attention_lab.state.goals import ArgmaxQuestion, ChoiceQuestion, Goal
from attention_lab.state.state import State

from .calculation import ASKS, CAUSAL, MASKS, STEPS, endings_of, is_compared
from .calculation import BOTH_ENDINGS as s

EQUAL = 1e-12  # two ratios of one layer differ by rounding alone
TWO_LAYERS = s.layers >= 1
GOALS = (
    Goal("whole_way", s.steps_seen >= len(STEPS), names={"seen": (s.steps_seen, "whole")}),
    Goal("ratio_moves", TWO_LAYERS, s.change >= 0.05, names={"tired": s.ratio_tired, "wide": s.ratio_wide}),
    Goal(
        "blindfold",
        TWO_LAYERS,
        s.mask >= MASKS.index(CAUSAL),
        s.change.within(EQUAL, of=0),
        names={"ratio": s.ratio_tired, "wide": s.ratio_wide},
    ),
)
MOST_WEIGHT = ArgmaxQuestion("most_weight", s.last_trace.weights[s.word], shares=True)
WIDE = ChoiceQuestion(
    "wide",
    grows=s.growth >= 1 + EQUAL,
    stays=s.growth.within(EQUAL, of=1),
    shrinks=s.growth <= 1 - EQUAL,
)


def reachable_goals(state: State) -> list[Goal]:
    """The goals that suit the sentence: two are about its endings, one of these about one behind *it*."""
    if not is_compared(state):
        return [goal for goal in GOALS if goal.name == "whole_way"]
    hidden = state.words.index(ASKS) < next(
        state.words.index(word) for word in endings_of(state).endings if word in state.words
    )
    return [goal for goal in GOALS if hidden or goal.name != "blindfold"]


def names_of(state: State) -> dict[str, str]:
    """What sentences about the two endings call them and their rivals."""
    both = endings_of(state)
    return dict(zip(("first", "second", "ending", "instead"), (*both.rivals, *both.endings), strict=True))
