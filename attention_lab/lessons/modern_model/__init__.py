"""Inside a modern language model: 270 heads as a wall, what each adds to an answer, and the first token."""

from typing import Any

import pandas as pd

from attention_core import load_recorded_runs
from attention_lab.calculation import Results
from attention_lab.lesson import Lesson
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.labels import shown
from attention_lab.text.number_format import format_share

from . import recorded
from .calculation import CLOSING, calculate
from .fields import FIELDS
from .parts import counts, draw
from .recorded import FILE, MEASURES

CLEAR = 0.9  # of a head's weight: it rests on the first token


def missing_file(_: State) -> str:
    """The file of recorded runs without which the page has no figure."""
    return f"{FILE}.npz" if recorded.missing() else ""


def choose_text(state: State, text: str) -> permalink.Values:
    """Another text has tokens of its own; the head, the colours and what is off stay."""
    kept = {f.name: state.values[f.name] for f in state.fields if f.name not in ("text", "word")}
    return permalink.complete(state.fields, kept | {"text": text})


def first_move(state: State, now: Results) -> str:
    """The ring is on the first head that rests on the first token."""
    on_first = now.recorded["measures"][MEASURES.index("first")]
    return f"head {now.head_names[int((on_first >= CLEAR).argmax())]}"


def predictions(state: State, now: Results) -> list[Prediction]:
    """What happens to the answer where the first token is closed?"""
    answer = recorded.prepared(state.values["text"]).answers[0]
    names = {"answer": shown(answer.token), "first": now.sentence[0], **counts()}
    names |= {"before": format_share(answer.probability), "after": format_share(answer.first_closed)}
    return [Prediction(CLOSING, now, again=(state.values["text"],), names=names)]


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, of = calculate(state), state.text, recorded.prepared(state.values["text"])
    heads = [text.plain("tables/head", head=name) for name in now.head_names]
    kinds = text.parts("measure")
    bits = ["".join(map(str, bits)) for bits in recorded.choices()]
    columns = {kinds[name]: row for name, row in zip(MEASURES, of.measures, strict=True)}
    for answer, row in zip(of.answers, of.with_head_off, strict=True):
        columns[text.plain("tables/without", answer=shown(answer.token))] = row
    every = [load_recorded_runs().runs[name].answers[0] for name in text.parts("texts")]
    closings = {
        text["closings/before"]: [answer.probability for answer in every],
        text["closings/after"]: [answer.first_closed for answer in every],
    }
    table = {
        text["tables/heads"]: pd.DataFrame(columns, heads),
        text.plain("tables/weights", head=state.head): pd.DataFrame(now.pattern, now.words, now.words),
        text["folds/closings"]: pd.DataFrame(closings, list(text.parts("texts").values())),
    }
    for name, heads_of, column in zip(("six", "others"), recorded.groups(), recorded.perplexities(), strict=True):
        title = text.plain(f"tables/{name}", heads=" ".join(heads_of))
        table[title] = pd.DataFrame({text["list/perplexity"]: [value for (value,) in column]}, bits)
    return table


def for_programs(state: State) -> dict[str, Any]:
    """What the programs begin with: a head's weights, the answer and its effect."""
    now = calculate(state)
    return {
        "words": list(now.words),
        "weights": now.pattern.tolist(),
        "probability": float(now.before),
        "effect": float(now.effect),
        "first_closed": float(now.closed[0]),
    }


LESSON = Lesson(
    "modern_model",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    provenance="learned",
    settings=lambda state: {"text": {} if recorded.missing() else state.text.parts("texts")},
    missing_file=missing_file,
    first_move=first_move,
    arrays=lambda state, hidden: {"recorded": recorded.prepared(state.values["text"]).packed},
    tables=tables,
    program=for_programs,
)
