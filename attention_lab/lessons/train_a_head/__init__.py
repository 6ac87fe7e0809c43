"""Train a head: numbers that nobody chose, from the first step to the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from attention_core import task_names, training
from attention_lab.state import permalink
from attention_lab.state.page_state import PageState

from .calculation import calculate, carried
from .fields import FIELDS as SETTINGS_OF_PAGE
from .fields import SEEDS, SETTINGS, run_of, second_run, seconds_offered, task_of
from .goals import GOALS, LOOKS_AT
from .gradient import labels as number_names
from .gradient import numbers_offered, worked
from .parts import OWN_PARTS, on_stage

__all__ = [
    "FIELDS",
    "GOALS",
    "LAST_SEED",
    "LOOKS_AT",
    "OWN_PARTS",
    "PROVENANCE",
    "PROVENANCE_AT",
    "about_run",
    "another_seed",
    "calculate",
    "carried",
    "choose_seed",
    "choose_task",
    "first_move",
    "for_programs",
    "number_names",
    "on_stage",
    "second_names",
    "second_settings",
    "setting_names",
    "tables",
    "tasks",
    "worked",
]
PROVENANCE = "learned"
PROVENANCE_AT = ("random", "step", 0)  # what is drawn before the first step
FIELDS = (
    *SETTINGS_OF_PAGE,
    permalink.choice("number", "the number whose gradient is shown", numbers_offered),
)
LAST_SEED = SEEDS - 1


def first_move(_: PageState) -> str:
    """What the ring lies on at first."""
    return "step"


KEPT_WITH_TASK = ("seed", "goal")


# What the widgets above the stage show and do ---------------------------------------------------------------


def tasks(page: PageState) -> dict[str, str]:
    """Every task by its name in words."""
    return {name: page.text.plain(f"tasks/{name}") for name in task_names()}


def choose_task(page: PageState) -> None:
    """Another task comes with settings and sentences of its own."""
    known = {name: page.memory.values[name] for name in KEPT_WITH_TASK}
    known |= {f.name: page.memory.values[f.name] for f in page.fields if f.shared}
    page.put(**permalink.complete(page.fields, known | {"task": page.widget_value("task")}))


def choose_seed(page: PageState) -> None:
    """Another seed begins elsewhere: what a hand moved was moved from where the last one began."""
    page.put(seed=page.widget_value("seed"), moves=np.empty((0, 4)))


def another_seed(page: PageState) -> None:
    """The next seed."""
    page.put(seed=(page.seed + 1) % SEEDS, moves=np.empty((0, 4)))


def setting_names(page: PageState) -> dict[str, Mapping[str, str]]:
    """The settings of a run, and what their values are called."""
    return {name: _values(page, name) for name in (*SETTINGS, "steps")}


def second_names(page: PageState) -> dict[str, str]:
    """In what a second run may differ, in words."""
    return {name: page.text.plain(f"seconds/{name}") for name in seconds_offered(page.memory.values)}


def second_settings(page: PageState) -> dict[str, int | None]:
    """What says how a second run differs, where it is not just the other way round: a number up to so much."""
    return {"seed": {"other_seed": LAST_SEED}, "rate": {"other_rate": None}}.get(page.second, {})


def _values(page: PageState, name: str) -> dict[str, str]:
    return {value: page.text.get(f"values/{value}", value) for value in page.options(name)}


# What can be taken away -------------------------------------------------------------------------------------


def about_run(page: PageState) -> tuple[Any, ...]:
    """What makes a guess a new one: another run, or another question to it."""
    names = ("task", "seed", "steps", *SETTINGS, "asks")
    return (*(page.memory.values[name] for name in names), str(page.moves.tolist()))


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures: the run, and its step shown."""
    now, text, values = calculate(page), page.text, page.memory.values
    found = {}
    for end, run in (("", run_of(values)), ("_2", second_run(page))):
        if run is None:
            continue
        measures = {text.plain(f"timeline/{name}"): run.whole[name] for name in ("loss", "accuracy", "attention")}
        found[text[f"tables/run{end}"]] = pd.DataFrame(measures, run.whole["steps"])
        found[text[f"tables/words{end}"]] = _numbered(
            run.parameters["embeddings"][run.at(page.step)], task_of(page.task).words
        )
        trace = now[f"seen{end}"].layers[now.layer if not end else now.layer_2]
        head = now.head if not end else now.head_2
        for name in ("query", "key", "value"):
            found[text[f"tables/{name}{end}"]] = _numbered(getattr(trace, name)[head], now.words)
        found[text[f"tables/weights{end}"]] = pd.DataFrame(trace.weights[head], now.words, now.words)
    return found


def _numbered(vectors: np.ndarray, words: Any) -> pd.DataFrame:
    """Vectors whose entries have no names."""
    return pd.DataFrame(np.asarray(vectors, dtype=float), words, range(1, np.shape(vectors)[1] + 1))


def for_programs(page: PageState) -> dict[str, Any]:
    """What the programs begin with: where the run, or its last burst, begins, its settings and its sentences."""
    run = run_of(page.memory.values)
    return training.for_programs(run.end, begun=run.begun[-1])
