"""What the page of long texts calculates, aims at and asks: scores in tiles, a window, shared keys."""

import math
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core import SHAPES, count_parameters, load_recorded_runs
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import max_abs_difference, ratio, row, softmax
from attention_lab.state import permalink
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.permalink import Range, Rules
from attention_lab.state.state import State
from attention_lab.text import listed

from .operations import cache_bytes, kv_heads_of, softmax_in_tiles

TILES, WINDOW, SHARED = EXPERIMENTS = ("tiles", "window", "shared")
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
MODELS = ("llama2-7b", "llama3-8b", "llama3-70b", "gpt3", "smollm2-135m")  # whose cache is shown, by their shapes
SHORTEST, LONGEST = 2**10, 2**17  # text, in tokens
MEMORY = 24 * 10**9  # bytes that the cache has to fit into
GOAL_NAMES = {TILES: ("shrink", "never"), WINDOW: ("one_first", "no_first"), SHARED: ("fit", "no_sharing")}

SINK_WEIGHT = 0.25  # the mean weight on the first token above which a head counts as using it


def divisors(model: str) -> list[int]:
    """The numbers of KV heads that the query heads of a model can share evenly."""
    heads = SHAPES[model].num_heads
    return [n for n in range(1, heads + 1) if heads % n == 0]


def kv_heads_field() -> permalink.Field:
    """The number of KV heads; one that does not divide the number of query heads is refused."""
    field = permalink.whole_number(
        "kv_heads",
        "shared keys: the number of KV heads, a divisor of that of query heads; 0: as published",
        0,
        max(SHAPES[model].num_heads for model in MODELS),
        lambda _: 0,
        from_example=True,
    )

    def read(text: str, values: permalink.Values) -> int:
        number, possible = field.read(text, values), [0, *divisors(values["model"])]
        if number not in possible:
            raise permalink.refused("no_option", text=text[:24], options=listed(map(str, possible)))
        return number

    return replace(field, read=read)


FIELDS = (
    permalink.choice(
        "experiment", "the part of the page: softmax in tiles, a window, or shared keys", EXPERIMENTS
    ),
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
        1,
        interactive=True,
    ),
    permalink.choice("window", "how many tokens a query sees, with itself", WINDOWS, "64", interactive=True),
    permalink.choice("first", "how many of them are the first of the text", FIRSTS, interactive=True),
    permalink.choice("model", "shared keys: the published model", MODELS, interactive=True),
    kv_heads_field(),
    permalink.whole_number("tokens", "shared keys: the length of the text", SHORTEST, LONGEST, lambda _: LONGEST),
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


def sharing(s) -> None:
    """What the cache of a published model takes with so many KV heads, and with one for each query head."""
    model = s.models[s.model]
    s.kv = kv_heads_of(model["num_heads"], s.kv_heads, model["num_kv_heads"])
    s.per_token = cache_bytes(model["num_layers"], s.kv, model["d_k"], 1)
    s.cache = cache_bytes(model["num_layers"], s.kv, model["d_k"], s.tokens)
    s.per_kv_head = ratio(s.cache, s.kv)
    s.group = ratio(model["num_heads"], s.kv)
    s.part = ratio(s.kv, model["num_heads"])
    s.long_enough = ratio(s.tokens, model["least"])


def compared(s) -> None:
    """What the questions ask: a score is raised, the first token stays in a window, half as many KV heads."""
    llama = SHAPES["llama2-7b"]
    halved, whole = (
        cache_bytes(llama.num_layers, kv_heads, llama.d_k, s.tokens)
        for kv_heads in (llama.num_heads // 2, llama.num_heads)
    )
    s.halved = ratio(halved, whole)
    s.raised = softmax_in_tiles(s.scores + s.lift, s.value, TILE)
    s.sink = ratio(s.perplexities[WINDOWS.index("64"), 1], s.perplexities[WINDOWS.index("64"), 0])


CONSTANTS = ("value", "lift", "widths", "firsts", "backs", "reaches", "perplexities", "layers", "sinks", "heads")
CONSTANTS += ("models",)
# These functions are recorded once, as expressions; `run` computes them with numbers, here and in the browser.
CALCULATION = s = record(in_tiles, FIELDS, constants=CONSTANTS).then(within_a_window).then(sharing)
COMPARED = CALCULATION.then(compared)

LAST_FACTOR = s.tiles.factor[0, COUNT - 1]
MODEL = s.models[s.model]
CACHE = {"cache": (s.cache, "memory"), "tokens": (s.tokens, "whole"), "kv": (s.kv, "whole")}
CACHE |= {"heads": (MODEL["num_heads"], "whole")}
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
    SHARED: (
        Goal("fit", s.cache <= MEMORY, s.tokens >= LONGEST, names=CACHE | {"part": (s.part, "share")}),
        Goal(
            "no_sharing",
            s.cache <= MEMORY,
            s.group <= 1,
            s.long_enough >= 1,
            names=CACHE
            | {name: (MODEL[name], "whole") for name in ("least", "longest")}
            | {"token": (s.per_token, "memory")},
            longest=MODEL["longest"] >= LONGEST,
        ),
    ),
}
FACTOR, SINK = COMPARED.raised.factor[0, COUNT - 1], COMPARED.sink
# A factor is never above 1, so "again" is never right: it is the misconception that the question offers.
SUMS = ChoiceQuestion("sums", again=FACTOR >= 2, stays=FACTOR >= 1, shrinks=FACTOR <= 1)
KEEP_FIRST = ChoiceQuestion("keep_first", little=SINK >= 0.9, some=SINK >= 0.7, much=SINK <= 0.7)
HALVED = COMPARED.halved
HALF_CACHE = ChoiceQuestion("half_cache", quarter=HALVED <= 0.25, half=HALVED <= 0.5, same=HALVED >= 0.9)
QUESTIONS = {TILES: SUMS, WINDOW: KEEP_FIRST, SHARED: HALF_CACHE}


def published(name: str) -> dict[str, int]:
    """The sizes of a published model, the bytes of its parameters, and how long a text fits without sharing."""
    shape = SHAPES[name]
    own = cache_bytes(shape.num_layers, shape.num_heads, shape.d_k, 1)
    fits = min(LONGEST, MEMORY // own)
    sizes = {size: getattr(shape, size) for size in ("num_layers", "num_heads", "num_kv_heads", "d_k")}
    more = {"parameters": 2 * count_parameters(shape).total, "own": own, "longest": fits, "least": fits // 2}
    return sizes | more | {"divisors": divisors(name)}


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
            "models": [published(name) for name in MODELS],
        }
    )


def calculate(state: State) -> Results:
    """What follows from the scores and the window on screen."""
    return CALCULATION.run(state.scope(), constants())
