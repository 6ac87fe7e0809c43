"""Train a head: numbers that nobody chose, from the first step to the last."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core import training
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
from .parts import draw

FIELDS = (
    *SETTINGS_OF_PAGE,
    permalink.choice("number", "the parameter whose gradient is shown", numbers_offered),
)


# What the widgets above the stage show and do ---------------------------------------------------------------


def choose_task(state: State, task: str) -> permalink.Values:
    """Another task comes with settings and sentences of its own; the seed and the goal stay."""
    return state.anew("seed", "goal", task=task)


def choose_seed(state: State, seed: int) -> permalink.Values:
    """Another seed begins elsewhere: what a hand moved was moved from where the last one began."""
    return {"seed": seed, "moves": np.empty((0, 4))}


def another_seed(state: State) -> permalink.Values:
    """The next seed."""
    return choose_seed(state, (state.seed + 1) % SEEDS)


def setting_names(state: State) -> dict[str, dict[str, str]]:
    """The settings of a run, and what their values are called."""
    return {
        name: {value: state.text.get(f"values/{value}", value) for value in state.options(name)}
        for name in (*SETTINGS, "steps")
    }


def second_names(state: State) -> dict[str, str]:
    """In what a second run may differ, in words: by the value it would have, where the first run decides that."""
    result, text = {}, state.text
    for name in seconds_offered(state.values):
        value = (second_values(state.values | {"second": name}) or {}).get(name)
        by_value = f"seconds/{name}/{value}"
        result[name] = text.plain(by_value if by_value in text else f"seconds/{name}")
    return result


# What can be taken away -------------------------------------------------------------------------------------


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
        trace, head = now[f"seen{end}"].layers[now[f"layer{end}"]], now[f"head{end}"]
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
    run = [state.values[name] for name in ("task", "seed", "steps", *SETTINGS)]
    again = (*run, state.asks, str(state.moves.tolist()))
    return [Prediction(LOOKS_AT, now, again=again, names={"asking": now.words[now.asks]})]


LESSON = Lesson(
    "train_a_head",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    provenance="learned",
    provenance_at=("random", "step", 0),  # what is drawn before the first step
    settings=lambda state: {"task": {name: state.text.plain(f"tasks/{name}") for name in state.options("task")}},
    first_move=lambda state, now: "step",
    arrays=lambda state, hidden: arrays(state, hidden=hidden[0]),
    tables=tables,
    program=for_programs,
)
