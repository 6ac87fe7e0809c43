"""Long texts: softmax without the whole pattern, a window without the whole text, and heads that share keys."""

from typing import Any

import pandas as pd

from attention_core.models import unreadable
from attention_lab.calculation import Results
from attention_lab.lesson import Lesson
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_bytes, format_number

from . import calculation
from .calculation import (
    COUNT,
    FIELDS,
    FIRSTS,
    MEMORY,
    MODELS,
    QUESTIONS,
    RECORDED,
    SHARED,
    TILE,
    TILES,
    TOKENS,
    WINDOW,
    WINDOWS,
    published,
)
from .drawn import draw, key_names


def title(state: State) -> str:
    """What the figure shows."""
    name = "figure" if state.experiment == TILES else f"{state.experiment}/figure"
    return state.text.plain(name, memory=format_bytes(MEMORY))


def predictions(state: State, now: Results) -> list[Prediction]:
    """What a larger score does to the sums; what one first token does for a window; half as many KV heads."""
    compared = calculation.COMPARED.run_extension(now)
    before, after = compared.perplexities[WINDOWS.index("64")][:2]
    numbers = {"factor": compared.raised.factor[0, COUNT - 1], "before": before, "after": after}
    numbers |= {name: calculation.constants()[name] for name in ("sinks", "heads")}
    names = {name: format_number(float(number)) for name, number in numbers.items()}
    return [Prediction(QUESTIONS[state.experiment], compared, names=names)]


def choose(state: State, chosen: str) -> permalink.Values:
    """The other part of the page, as it begins."""
    return state.anew(experiment=chosen)


def missing_file(state: State) -> str:
    """The file of recorded runs without which there is nothing to show of a window."""
    return f"{RECORDED}.npz" if state.experiment == WINDOW and unreadable((RECORDED,)) else ""


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, names = calculation.calculate(state), state.text.parts("tables")
    if state.experiment == WINDOW:
        all_windows = [*WINDOWS[:-1], state.text["window/all"]]
        return {names["perplexities"]: pd.DataFrame(now.perplexities, all_windows, FIRSTS)}
    if state.experiment == SHARED:
        rows = {state.text[f"models/{name}"]: published(name) for name in MODELS}
        sizes = pd.DataFrame.from_dict(rows, orient="index").drop(columns=["divisors", "least"])
        cache = pd.DataFrame({"bytes": {1: now.per_token, state.tokens: now.cache}}, dtype=object)
        return {names["models"]: sizes, names["cache"]: cache}
    by_key = {
        names["score"]: now.scores[0],
        names["value"]: [value for (value,) in now["value"]],
        names["weight"]: now.weights[0],
    }
    steps = now.tiles
    by_tile = {
        "m": steps.largest[0],
        state.text["tiles/row_factor"]: steps.factor[0],
        "ℓ": steps.total[0],
        "o": steps.output[0, :, 0],
        "o ÷ ℓ": steps.context[0, :, 0],
    }
    tiles = [state.text.filled("tiles/tile", n=str(k + 1)) for k in range(COUNT)]
    return {
        names["keys"]: pd.DataFrame(by_key, key_names(state)),
        names["tiles"]: pd.DataFrame(by_tile, tiles),
    }


def for_programs(state: State) -> dict[str, Any]:
    """What the programs begin with."""
    now = calculation.calculate(state)
    return {
        "scores": now.scores[0].tolist(),
        "values": [value for (value,) in now["value"]],
        "tile": TILE,
        "tokens": TOKENS,
        "layers": int(now.layers),
        "window": int(now.width),
        "first": int(now.kept),
        "kv_heads": now.kv,
        "d_k": now.models[MODELS.index(state.model)]["d_k"],
        "cached_layers": now.models[MODELS.index(state.model)]["num_layers"],
        "cached_tokens": state.tokens,
    }


LESSON = Lesson(
    "long_texts",
    FIELDS,
    calculate=calculation.calculate,
    draw=draw,
    predictions=predictions,
    title=title,
    promise=lambda state: state.text[f"{SHARED}/promise" if state.experiment == SHARED else "promise"],
    settings=lambda state: {"experiment": state.text.parts("experiments")},
    paragraphs=lambda state: ["text" if state.experiment == TILES else f"{state.experiment}_text"],
    first_move=lambda state, _: {
        TILES: "passed",
        WINDOW: "window",
        SHARED: state.text["shared/handle"],
    }[state.experiment],
    tables=tables,
    program=for_programs,
    trained=(RECORDED,),
    missing_file=missing_file,
    provenance="by hand",
    comes_from=lambda values: {WINDOW: "learned", SHARED: "published"}.get(values["experiment"]),
)
