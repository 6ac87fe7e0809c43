"""Train a head: numbers that nobody chose, from the first step to the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from attention_core import task_names, training
from attention_lab.calculation import Results
from attention_lab.lesson import Lesson
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from .calculation import arrays, calculate
from .fields import FIELDS as SETTINGS_OF_PAGE
from .fields import SEEDS, SETTINGS, run_of, second_run, second_values, seconds_offered, task_of
from .goals import LOOKS_AT
from .gradient import numbers_offered
from .parts import OWN_PARTS, figure_columns

PROVENANCE = "learned"
PROVENANCE_AT = ("random", "step", 0)  # what is drawn before the first step
FIELDS = (
    *SETTINGS_OF_PAGE,
    permalink.choice("number", "the number whose gradient is shown", numbers_offered),
)
LAST_SEED = SEEDS - 1


def first_move(_: State, __: Results) -> str:
    """What the ring lies on at first."""
    return "step"


KEPT_WITH_TASK = ("seed", "goal")


# What the widgets above the stage show and do ---------------------------------------------------------------


def tasks(state: State) -> dict[str, str]:
    """Every task by its name in words."""
    return {name: state.text.plain(f"tasks/{name}") for name in task_names()}


def choose_task(state: State, task: str) -> permalink.Values:
    """Another task comes with settings and sentences of its own."""
    known = {name: state.values[name] for name in KEPT_WITH_TASK}
    known |= {f.name: state.values[f.name] for f in state.fields if f.shared}
    return permalink.complete(state.fields, known | {"task": task})


def choose_seed(state: State, seed: int) -> permalink.Values:
    """Another seed begins elsewhere: what a hand moved was moved from where the last one began."""
    return {"seed": seed, "moves": np.empty((0, 4))}


def another_seed(state: State) -> permalink.Values:
    """The next seed."""
    return {"seed": (state.seed + 1) % SEEDS, "moves": np.empty((0, 4))}


def setting_names(state: State) -> dict[str, Mapping[str, str]]:
    """The settings of a run, and what their values are called."""
    return {name: _values(state, name) for name in (*SETTINGS, "steps")}


def second_names(state: State) -> dict[str, str]:
    """In what a second run may differ, in words."""
    return {name: _second_name(state, name) for name in seconds_offered(state.values)}


def _second_name(state: State, name: str) -> str:
    """Name a second run by the value that its one setting would have, where this depends on the first run."""
    value = (second_values(state.values | {"second": name}) or {}).get(name)
    return state.text.plain(
        section if (section := f"seconds/{name}/{value}") in state.text else f"seconds/{name}"
    )


def second_settings(state: State) -> dict[str, int | None]:
    """What says how a second run differs, where it is not just the other way round: a number up to so much."""
    return {"seed": {"other_seed": LAST_SEED}, "rate": {"other_rate": None}}.get(state.second, {})


def _values(state: State, name: str) -> dict[str, str]:
    return {value: state.text.get(f"values/{value}", value) for value in state.options(name)}


# What can be taken away -------------------------------------------------------------------------------------


def about_run(state: State) -> tuple[Any, ...]:
    """What makes a guess a new one: another run, or another question to it."""
    names = ("task", "seed", "steps", *SETTINGS, "asks")
    return (*(state.values[name] for name in names), str(state.moves.tolist()))


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures: the run, and its step shown."""
    now, text, values = calculate(state), state.text, state.values
    result = {}
    for end, run in (("", run_of(values)), ("_2", second_run(state))):
        if run is None:
            continue
        measures = {text.plain(f"timeline/{name}"): run.whole[name] for name in ("loss", "accuracy", "attention")}
        result[text[f"tables/run{end}"]] = pd.DataFrame(measures, run.whole["steps"])
        result[text[f"tables/words{end}"]] = _numbered(
            run.parameters["embeddings"][run.at(state.step)], task_of(state.task).words
        )
        trace = now[f"seen{end}"].layers[now.layer if not end else now.layer_2]
        head = now.head if not end else now.head_2
        for name in ("query", "key", "value"):
            result[text[f"tables/{name}{end}"]] = _numbered(getattr(trace, name)[head], now.words)
        result[text[f"tables/weights{end}"]] = pd.DataFrame(trace.weights[head], now.words, now.words)
    return result


def _numbered(vectors: np.ndarray, words: Any) -> pd.DataFrame:
    """Vectors whose entries have no names."""
    return pd.DataFrame(np.asarray(vectors, dtype=float), words, range(1, np.shape(vectors)[1] + 1))


def for_programs(state: State) -> dict[str, Any]:
    """What the programs begin with: where the run, or its last burst, begins, its settings and its sentences."""
    run = run_of(state.values)
    return training.for_programs(run.end, begun=run.begun[-1])


def predictions(state: State, now: Results) -> list[Prediction]:
    """Where will the head attend at the end?"""
    return [Prediction(LOOKS_AT, now, again=about_run(state), names={"asking": now.words[now.asks]})]


LESSON = Lesson(
    "train_a_head",
    FIELDS,
    calculate=calculate,
    figure=figure_columns,
    predictions=predictions,
    provenance=PROVENANCE,
    provenance_at=PROVENANCE_AT,
    first_move=first_move,
    arrays=lambda state, hidden: arrays(state, hidden=hidden[0]),
    tables=tables,
    program=for_programs,
    own_parts=OWN_PARTS,
)
