"""Self-attention, step by step: one word's way through one layer or two, and what only two can tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.state.page_state import PageState
from attention_lab.text.number_format import format_share

from .calculation import (
    ADDING,
    BESIDE,
    BOTH_ENDINGS,
    DRAWN,
    EXAMPLES,
    FIELDS,
    MASKS,
    MATRICES,
    REPLACING,
    STEP_NUMBERS,
    STEPS,
    TWO_LAYERS,
    Layer,
    calculate,
    endings_of,
    is_compared,
    layer_before,
    layers_shown,
)
from .goals import GOALS, MOST_WEIGHT, WIDE, asks_about_ratio, names_of, suiting
from .parts import OWN_PARTS, layer_name, ledger, opened, rivals, stepper
from .real import both_endings

__all__ = [
    "ADDING",
    "BESIDE",
    "BOTH_ENDINGS",
    "EXAMPLES",
    "FIELDS",
    "GOALS",
    "MOST_WEIGHT",
    "OWN_PARTS",
    "REPLACING",
    "TRAINED",
    "TWO_LAYERS",
    "WIDE",
    "asks_about_ratio",
    "both_endings",
    "calculate",
    "first_move",
    "for_programs",
    "names_of",
    "on_stage",
    "shown_matrices",
    "tables",
]

TRAINED = ("trophy_or_box", "gallery")  # what was learned here is of these models
FULL = 16.0  # scores of this size have the full colour
s = BOTH_ENDINGS


def first_move(_: PageState) -> str:
    """What the ring lies on at first."""
    return "step"


def on_stage(page: PageState, now: Results, *, ratios_hidden: bool) -> list[figure.Column]:
    """The goals; the word's way, beside it switches, the open cell and the two endings; below, all words."""
    layers = layers_shown(page)
    way = [arcs(page, ratios_hidden), stepper(page, layers, seen=s.steps_seen), ledger(page, layers)]
    way = [figure.pictured(part) for part in way]
    beside = [switches(page), opened(page, layers), *two_endings(page, ratios_hidden), *what_is_drawn(page)]
    return [
        figure.goals(page, suiting(page), now, names=names_of(page)),
        figure.Column(way, share=1.75, least=340),
        figure.Column(beside, least=300),
        figure.Column(all_words(page), least=figure.WHOLE_WIDTH),
    ]


def arcs(page: PageState, hidden: bool) -> figure.Part:
    """The sentence with the chosen word's weights as arcs; with two endings, a switch between them."""
    exchange = None
    if is_compared(page) and page.example in EXAMPLES and not hidden:
        both = endings_of(page)
        told = zip(both.examples, both.endings, strict=True)
        texts = [{"example": name, "text": f"… {word}", "own": name == page.example} for name, word in told]
        exchange = {"label": page.text["compare/endings"], "of": texts}
    return figure.arcs(
        {"": s.shown_trace.weights},
        title=page.text["sentence"],
        closed=s.shown_trace.masked_scores,
        exchange=exchange,
    )


def switches(page: PageState) -> figure.Part:
    """How many layers, and whom a word may look at."""
    text = page.text
    mask = figure.options(s.mask, text["masks"], [text[f"masks/{name}"] for name in MASKS])
    if len(page.options("layers")) == 1:
        return mask
    layers = figure.options(s.layers, text["layers"], [text["layers/one"], text["layers/two"]])
    return figure.beside(figure.Column([layers], share=0, least=130), figure.Column([mask], least=270))


def two_endings(page: PageState, hidden: bool) -> list[figure.Part]:
    """What *it* gives to its two rivals under either ending, where the sentence has them."""
    if not is_compared(page):
        return []
    weights, ratios = (s.weights_tired, s.weights_wide), (s.ratio_tired, s.ratio_wide)
    return [rivals(page, weights, ratios, s.place, change=s.change, times=s.times, veiled=hidden)]


def what_is_drawn(page: PageState) -> list[figure.Part]:
    """Of a learned vector's many numbers: which are drawn, how much of the spread they show, whose they are."""
    learned = page.worked_example.learned
    if not learned:
        return []
    told = {
        "fingerprint": learned.fingerprint,
        "all": str(len(learned.shares)),
        "drawn": str(DRAWN),
        "share": format_share(learned.shares[:DRAWN].sum()),
    }
    return [figure.remark(page.text.plain("drawn", **told))]


def all_words(page: PageState) -> list[figure.Part]:
    """The step shown, for all words at once; choosing a cell chooses who asks and whom."""
    cases = [_case(page, STEP_NUMBERS[step]) for step in STEPS]
    return [
        figure.heading(page.text.around("all_words/title", numbers=s.numbers_shown[s.step])),
        figure.heatmap(
            s.shown_trace.scores,
            title="",
            what="",
            limit=FULL,
            by=s.step,
            cases=cases,
            turned=page.orientation == "columns",
        ),
        figure.remark(page.text["all_words"]),
    ]


def _case(page: PageState, numbers: str) -> dict[str, Any]:
    """How the heatmap shows one kind of a trace's numbers."""
    case = {
        "of": getattr(s.shown_trace, numbers),
        "title": page.text.filled("all_words/title", numbers=page.text[f"numbers/{numbers}"]),
        "what": f"{numbers.replace('_', ' ')} of all:",
    }
    return case | ({"limit": 1.0, "scale": "share", "form": "percent"} if numbers == "weights" else {})


def shown_matrices(page: PageState) -> dict[str, str]:
    """The head's matrices and their names."""
    return {name: label for name, label in MATRICES.items() if getattr(page, name).size}


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures, for each layer."""
    now, axes, found = calculate(page), page.worked_example.axes, {}
    for layer in layers_shown(page)[now.layers]:
        trace = now[layer.trace]
        of_layer = {"tables/words": pd.DataFrame(now[layer.x], now.words, axes)}
        for name, vectors in (("queries", trace.query), ("keys", trace.key), ("values", trace.value)):
            of_layer[f"tables/{name}"] = _numbered(vectors, now.words)
        for kind in dict.fromkeys(STEP_NUMBERS[step] for step in STEPS):
            of_layer[f"numbers/{kind}"] = pd.DataFrame(getattr(trace, kind), now.words, now.words)
        of_layer["tables/sums"] = _numbered(trace.context, now.words)
        if (
            layer.delta is not None or not page.worked_example.learned
        ):  # else the sums, which are shorter than a vector
            of_layer["tables/new_vectors"] = pd.DataFrame(now[layer.new], now.words, axes)
        found |= {_titled(page, name, layer): table for name, table in of_layer.items()}
    return found


def _numbered(vectors: np.ndarray, words: Sequence[str]) -> pd.DataFrame:
    """Vectors whose entries have no names."""
    return pd.DataFrame(vectors, words, range(1, vectors.shape[1] + 1))


def _titled(page: PageState, name: str, layer: Layer) -> str:
    """The title of a layer's table."""
    title, of = page.text[name], layer_name(page, layer)
    return page.text.filled("tables/of_layer", table=title, layer=of) if of else title


def for_programs(page: PageState) -> dict[str, list | np.ndarray]:
    """What the programs begin with."""
    now = calculate(page)
    may_look = now[s.masks[s.mask]] or [[True] * len(page.words)] * len(page.words)
    head = [getattr(page, name).tolist() for name in MATRICES]
    if page.worked_example.W_output is None:
        head[-1] = None
    before = layer_before(page.worked_example) or {}
    layers = [[before[name].tolist() for name in MATRICES], head] if page.layers == "2" else [head]
    return {"words": list(page.words), "x": now.x, "may_look": may_look, "layers": layers}
