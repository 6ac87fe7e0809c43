"""What the address of the page holds: the text, the head, what is switched off."""

import numpy as np

from attention_core import load_recorded_runs
from attention_lab.state import permalink
from attention_lab.state.permalink import Range, Rules, Values

from . import recorded
from .recorded import MEASURES, SHARPEST

NOTHING = ("–",)  # where there are no recorded runs, so that the page can say so
GOAL_NAMES = ("lost", "sink", "missed", "induction")
NONE, HEAD, FIRST = CUTS = ("none", "head", "first")


def texts(_: Values) -> tuple[str, ...]:
    """The recorded texts."""
    return NOTHING if recorded.missing() else tuple(load_recorded_runs().runs)


def heads(_: Values) -> tuple[str, ...]:
    """Every head by its layer and its number in it."""
    return NOTHING if recorded.missing() else load_recorded_runs().head_names


def tokens(values: Values) -> tuple[str, ...]:
    """A name for each token before the answer."""
    return NOTHING if recorded.missing() else recorded.prepared(values["text"]).names


def fingerprint(_: Values) -> str:
    """What stands for the model's weights."""
    return "" if recorded.missing() else permalink.fingerprint_of(load_recorded_runs().record["sha256"])


FIELDS = (
    permalink.version(fingerprint),
    permalink.choice("text", "the recorded text", texts),
    permalink.choice("head", "the head shown: layer and number", heads, interactive=True),
    permalink.choice("word", "the query token", tokens, lambda values: tokens(values)[-1], interactive=True),
    permalink.choice("measure", "what the colours of the heads show", MEASURES, interactive=True),
    permalink.number(
        "least", "how large the measure is at least in the heads that are shown", 0, 1, 0, interactive=True
    ),
    permalink.choice(
        "cut", "the intervention: none, the head off, or the first token closed", CUTS, interactive=True
    ),
    permalink.ruled(
        "off",
        "which heads are off in the repeated list, as ones: six induction heads, and six others",
        lambda _: np.zeros((2, SHARPEST)),
        lambda _: Rules((Range(0, 1, whole=True),), (2, SHARPEST)),
        from_example=True,
    ),
    permalink.goal_field(GOAL_NAMES),
)
