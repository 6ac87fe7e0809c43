"""Self-attention, step by step: one word's way through one layer or two, and what only two can tell."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_share

from . import calculation
from .calculation import BOTH_ENDINGS as s
from .calculation import FIELDS
from .goals import MOST_WEIGHT, WIDE, names_of, reachable_goals
from .parts import layer_name, ledger, opened, rivals, stepper


def draw(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """The goals; the word's way, beside it switches, the open cell and the two endings; below, all words."""
    layers = calculation.layers_shown(state)
    way = [arcs(state, hidden[-1]), stepper(state, layers), ledger(state, layers)]
    both_endings = [rivals(state, veiled=hidden[-1])] if calculation.is_compared(state) else []
    beside = [opened(state, layers), switches(state), *both_endings, *what_is_drawn(state)]
    return [
        figure.goals(state, reachable_goals(state), now, names=names_of(state)),
        figure.Column([figure.pictured(part) for part in way], share=1.75, least=340),
        figure.Column(beside, least=300),
        figure.Column(all_words(state), least=figure.WHOLE_WIDTH),
    ]


def arcs(state: State, hidden: bool) -> figure.Part:
    """The sentence with the chosen word's weights as arcs; with two endings, a switch between them."""
    swap = None
    if calculation.is_compared(state) and state.example in calculation.EXAMPLES and not hidden:
        both = calculation.endings_of(state)
        told = zip(both.examples, both.endings, strict=True)
        texts = [
            {
                "example": name,
                "text": state.text.plain("compare/ending", word=word),
                "own": name == state.example,
            }
            for name, word in told
        ]
        swap = {"label": state.text["compare/endings"], "of": texts}
    return figure.arcs(
        {"": s.shown_trace.weights},
        title=state.text["sentence"],
        closed=s.shown_trace.masked_scores,
        swap=swap,
        upright=True,
    )


def switches(state: State) -> figure.Part:
    """How many layers, and whom a word may look at: folded until a goal or a link asks for it."""
    text = state.text
    mask = figure.options(s.mask, text["masks"], [text[f"masks/{name}"] for name in calculation.MASKS])
    columns = [figure.Column([mask], least=270)]
    if len(state.options("layers")) > 1:
        layers = figure.options(s.layers, text["layers"], [text["layers/one"], text["layers/two"]])
        columns.insert(0, figure.Column([layers], share=0, least=130))
    about = [place for place, goal in enumerate(state.options("goal")) if goal != "whole_way"]
    set_by_link = state.layers != "1" or state.mask != calculation.NO_MASK
    return figure.fold(text["switches"], *columns, goals=about, opened=set_by_link)


def what_is_drawn(state: State) -> list[figure.Part]:
    """Of a learned vector's many numbers: which are drawn, how much of the spread they show, whose they are."""
    learned = state.worked_example.learned
    if not learned:
        return []
    placeholders = {
        "fingerprint": learned.fingerprint,
        "all": str(len(learned.shares)),
        "drawn": str(calculation.DRAWN),
        "share": format_share(learned.shares[: calculation.DRAWN].sum()),
    }
    return [figure.remark(state.text.plain("drawn", **placeholders))]


def all_words(state: State) -> list[figure.Part]:
    """The step shown, for all words at once; choosing a cell chooses who asks and whom."""
    cases = [
        {
            "of": getattr(s.shown_trace, numbers),
            "title": state.text.filled("all_words/title", numbers=state.text[f"numbers/{numbers}"]),
            "what": f"{numbers.replace('_', ' ')} of all:",
            **({"limit": 1.0, "scale": "share", "form": "percent"} if numbers == "weights" else {}),
        }
        for numbers in calculation.STEP_NUMBERS.values()
    ]
    return [
        figure.heading(state.text.around("all_words/title", numbers=s.numbers_shown[s.step])),
        figure.heatmap(
            s.shown_trace.scores,
            title="",
            what="",
            limit=16.0,
            by=s.step,
            cases=cases,
            turned=state.orientation == "columns",
        ),
        figure.remark(state.text["all_words"]),
    ]


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures, for each layer."""
    now, axes, text, result = calculation.calculate(state), state.worked_example.axes, state.text, {}
    for layer in calculation.layers_shown(state)[now.layers]:
        trace = now[layer.trace]
        of_layer = {"tables/words": pd.DataFrame(now[layer.x], now.words, axes)}
        for name, vectors in (("queries", trace.query), ("keys", trace.key), ("values", trace.value)):
            of_layer[f"tables/{name}"] = _numbered(vectors, now.words)
        for kind in dict.fromkeys(calculation.STEP_NUMBERS.values()):
            of_layer[f"numbers/{kind}"] = pd.DataFrame(getattr(trace, kind), now.words, now.words)
        of_layer["tables/sums"] = _numbered(trace.context, now.words)
        # a learned layer that adds nothing has only the sums, which are shorter than a vector
        if layer.delta is not None or not state.worked_example.learned:
            of_layer["tables/new_vectors"] = pd.DataFrame(now[layer.new], now.words, axes)
        name_of_layer = layer_name(state, layer)
        for name, table in of_layer.items():
            title = text[name]
            if name_of_layer:
                title = text.filled("tables/of_layer", table=title, layer=name_of_layer)
            result[title] = table
    return result


def _numbered(vectors: np.ndarray, words: Sequence[str]) -> pd.DataFrame:
    """Vectors whose entries have no names."""
    return pd.DataFrame(vectors, words, range(1, vectors.shape[1] + 1))


def for_programs(state: State) -> dict[str, list | np.ndarray]:
    """What the programs begin with."""
    now = calculation.calculate(state)
    may_look = now[s.masks[s.mask]] or [[True] * len(state.words)] * len(state.words)
    head = [getattr(state, name).tolist() for name in calculation.MATRICES]
    if state.worked_example.W_output is None:
        head[-1] = None
    before = calculation.layer_before(state.worked_example) or {}
    layers = [[before[name].tolist() for name in calculation.MATRICES], head] if state.layers == "2" else [head]
    return {"words": list(state.words), "x": now.x, "may_look": may_look, "layers": layers}


def predictions(state: State, now: Results) -> list[Prediction]:
    """Where does the word attend most; and how does the other ending change the ratio, in one unmasked layer?"""
    asked = [Prediction(MOST_WEIGHT, now)]
    if calculation.is_compared(state) and state.layers == "1" and state.mask == calculation.NO_MASK:
        asked.append(Prediction(WIDE, now, names=names_of(state)))
    return asked


LESSON = Lesson(
    "self_attention",
    FIELDS,
    calculate=calculation.calculate,
    draw=draw,
    predictions=predictions,
    first_move=lambda state, now: "step",
    tables=tables,
    program=for_programs,
    trained=("trophy_or_box", "gallery"),
)
