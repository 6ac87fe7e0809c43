"""What the page of long texts calculates, aims at and asks: scores in tiles, and windows over a cache."""

import math
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core import load_recorded_runs
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import max_abs_difference, ratio, row, softmax
from attention_lab.state import permalink
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.permalink import Range, Rules
from attention_lab.state.state import State

from .operations import softmax_in_tiles

TILES, WINDOW = EXPERIMENTS = ("tiles", "window")
SCORES, VALUES = (1, 3, 2, 7, 0, 4, 5, 6, 1), range(1, 10)
TILE, COUNT = 3, 3  # keys of a tile; tiles
HIGHEST = 12  # score
RAISED = 8  # the key, from 1, whose score the question raises
LIFT = 3  # by how much
RECORDED = "smollm2"  # the file of the recorded runs
ALL = "all"
WINDOWS, FIRSTS = ("16", "32", "64", "128", "256", ALL), ("0", "1", "4")
FIRST_PLACE, LAST_PLACE = 102, 401  # the tokens of the recorded text whose probabilities count, from 1
TOKENS = LAST_PLACE - 1  # what the query before the last of them can see, with itself
BOUND = 30  # the perplexity that goals ask for
GOAL_NAMES = {TILES: ("shrink", "never"), WINDOW: ("one_first", "no_first")}

SINK_WEIGHT = 0.25  # the mean weight on the first token above which a head counts as using it

FIELDS = (
    permalink.choice("experiment", "the part of the page: softmax in tiles, or a window", EXPERIMENTS),
    permalink.ruled(
        "scores",
        "the nine scores of the query",
        lambda _: np.array([SCORES], dtype=float),
        lambda _: Rules((Range(0, HIGHEST),), (1, len(SCORES))),
        from_example=True,
    ),
    permalink.number(
        "passed",
        "how many tiles have been read; halfway the sums before are rescaled",
        0,
        COUNT,
        COUNT,
        interactive=True,
    ),
    permalink.choice("window", "how many tokens a query sees, with itself", WINDOWS, "64", interactive=True),
    permalink.choice("first", "how many of them are the first of the text", FIRSTS, interactive=True),
    permalink.choice("goal", "the goal that is set", lambda v: GOAL_NAMES[v["experiment"]], interactive=True),
)


def in_tiles(s) -> None:
    """One query's scores tile by tile, and the same at once."""
    s.tiles = softmax_in_tiles(s.scores, s.value, TILE)
    s.weights = softmax(s.scores)
    s.plain = s.weights @ s.value
    s.context = row(s.tiles.context[0], COUNT - 1)
    s.difference = max_abs_difference(s.context, s.plain)


def within_a_window(s) -> None:
    """How many keys the last query sees, how far back they reach, and the perplexity that was recorded."""
    s.width, s.kept = s.widths[s.window], s.firsts[s.first]
    s.back = s.backs[s.window, s.first]
    s.reach = s.reaches[s.window, s.first]
    s.perplexity = s.perplexities[s.window, s.first]


def compared(s) -> None:
    """What the questions ask: one score in the last tile is raised; the first token stays in a window of 64."""
    s.raised = softmax_in_tiles(s.scores + s.lift, s.value, TILE)
    s.sink = ratio(s.perplexities[WINDOWS.index("64"), 1], s.perplexities[WINDOWS.index("64"), 0])


CONSTANTS = ("value", "lift", "widths", "firsts", "backs", "reaches", "perplexities", "layers", "sinks", "heads")
# These functions are recorded once, as expressions; `run` computes them with numbers, here and in the browser.
CALCULATION = s = record(in_tiles, FIELDS, constants=CONSTANTS).then(within_a_window)
COMPARED = CALCULATION.then(compared)

LAST_FACTOR = s.tiles.factor[0, COUNT - 1]
GOALS = {
    TILES: (
        Goal("shrink", LAST_FACTOR <= 0.01, names={"factor": (LAST_FACTOR, "weight")}),
        Goal(
            "never",
            s.tiles.factor[0, 1] >= 1,
            LAST_FACTOR >= 1,
            names={"second": s.tiles.factor[0, 1], "third": LAST_FACTOR},
        ),
    ),
    WINDOW: (
        Goal(
            "one_first",
            s.perplexity <= BOUND,
            s.kept.within(0, of=1),
            s.width <= 64,
            names={"perplexity": s.perplexity, "window": (s.width, "whole"), "kept": (s.kept, "whole")},
        ),
        Goal(
            "no_first",
            s.perplexity <= BOUND,
            s.kept <= 0,
            s.width <= 256,
            names={"perplexity": s.perplexity, "window": (s.width, "whole"), "kept": (s.kept, "whole")},
        ),
    ),
}
FACTOR, SINK = COMPARED.raised.factor[0, COUNT - 1], COMPARED.sink
# A factor is never above 1, so "again" is never right: it is the misconception that the question offers.
SUMS = ChoiceQuestion("sums", again=FACTOR >= 2, stays=FACTOR >= 1, shrinks=FACTOR <= 1)
KEEP_FIRST = ChoiceQuestion("keep_first", little=SINK >= 0.9, some=SINK >= 0.7, much=SINK <= 0.7)
QUESTIONS = {TILES: SUMS, WINDOW: KEEP_FIRST}


@cache
def constants() -> MappingProxyType[str, Any]:
    """What nobody moves: values, and what was recorded of the model under each window."""
    try:
        runs = load_recorded_runs()
        layers, recorded = runs.record["layers"], runs.window_perplexities
        on_first = runs.measures["first"]
    except ValueError:  # softmax in tiles does without them
        layers, recorded, on_first = 0, {}, np.zeros((0, 0))
    whole = TOKENS - 1  # tokens back that every layer sees at once
    widths = [TOKENS if w == ALL else int(w) for w in WINDOWS]
    firsts = [int(f) for f in FIRSTS]
    backs = [[width - 1 - (0 if width == TOKENS else first) for first in firsts] for width in widths]
    keys = [[(None, 0) if w == ALL else (int(w), f) for f in firsts] for w in WINDOWS]
    return MappingProxyType(
        {
            "value": [[float(v)] for v in VALUES],
            "lift": [[float(LIFT) if k == RAISED else 0.0 for k in range(1, len(SCORES) + 1)]],
            "widths": widths,
            "firsts": firsts,
            "backs": backs,
            "reaches": [[back if back == whole else layers * back for back in line] for line in backs],
            "perplexities": [[recorded.get(key, math.nan) for key in line] for line in keys],
            "layers": layers,
            "sinks": int((on_first > SINK_WEIGHT).sum()),
            "heads": on_first.size,
        }
    )


def calculate(state: State) -> Results:
    """What follows from the scores and the window on screen."""
    return CALCULATION.run(state.scope(), constants())
