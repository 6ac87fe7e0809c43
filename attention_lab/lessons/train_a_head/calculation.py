"""What is calculated at a step of a run: the words' vectors, who looks at whom, and what is answered."""

from typing import Any

import numpy as np

from attention_lab.calculation import BinaryArrays, Calculation, Expression, Results, record
from attention_lab.calculation.operations import attention_network, largest, token_names, words_unlike
from attention_lab.state import permalink
from attention_lab.state.state import State

from . import fields
from .operations import each_at, last_at_most, lifted, moved_at
from .runs import Run

FORCE_SCALE = 12.0  # times the gradient: so long is an arrow
LAST = 1e9  # a step that no run reaches
OF_THE_STEPS = 9 / 10  # of a run by itself: until then it must have learned when words are moved for it
READY = 8  # sentences that every task offers, at most
CONSTANTS = (
    "vocabulary",
    "scaled",
    "causal",
    "trained",
    "counted_moves",
    "learned_at",
    "switched",
    "moved_words",
    "apart",
    "right_at_end",
    "right_in_time",
    "ready_sentences",
)
OF_SECOND = ("scaled_2", "causal_2", "trained_2", "head_2", "layer_2")


def trained_head(s, *, second: bool = False) -> None:
    """One run at the step shown, and perhaps a second one."""
    s.words = token_names(s.vocabulary, s.sentence)
    at_step(s, s.trained, "", s.moves, s.scaled, s.causal, s.layer, s.head)
    end = last_at_most(s.trained["steps"], LAST)
    learned = each_at(s.trained["parameters"], end)
    s.end = attention_network(learned, s.trained["parameters"]["embeddings"][end], s.sentence, s.scaled, s.causal)
    s.end_row = s.end.layers[s.layer]["weights"][s.head, s.asks]
    s.unlike_ready = [words_unlike(s.sentence, s.ready_sentences[k]) for k in range(READY)]
    s.surest = largest(s.probabilities[0, s.asks])
    if second:
        at_step(s, s.trained_2, "_2", None, s.scaled_2, s.causal_2, s.layer_2, s.head_2)


def at_step(
    s,
    run: Expression,
    end: str,
    moves: Expression | None,
    scaled: Expression,
    causal: Expression,
    layer: Expression,
    head: Expression,
) -> None:
    """What one run is at the step shown; its names have that `end`."""

    def keep(name: str, value: Expression) -> Expression:
        setattr(s, name + end, value)
        return s[name + end]

    here = keep("snapshot", last_at_most(run["steps"], s.step))
    at = keep("at", run["steps"][here])
    parameters = keep("parameters", each_at(run["parameters"], here))
    axes, trained = run["axes"], run["parameters"]["embeddings"][here]
    before = keep("words_before", trained @ axes["words"])
    if moves is None:
        places, embeddings = before, trained
    else:
        places = moved_at(before, moves, at)
        embeddings = lifted(trained, before, places, axes["words"])
    places, embeddings = keep("words_at", places), keep("embeddings", embeddings)
    keep("pushed", places + run["force"][here] * FORCE_SCALE)
    seen = keep("seen", attention_network(parameters, embeddings, s.sentence, scaled, causal))
    of_layer = seen.layers[layer]
    keep("weights", of_layer["weights"][head])
    keep("scores", of_layer["scaled_scores"][head])
    keep("row", of_layer["weights"][head, s.asks])
    keep("queries_at", of_layer["query"][head] @ axes["keys"])
    keep("keys_at", of_layer["key"][head] @ axes["keys"])
    keep("values_at", of_layer["value"][head] @ axes["values"])
    keep("contexts_at", of_layer["context"][head] @ axes["values"])
    keep("probabilities", seen.probabilities)
    keep("loss", run["loss"][here])
    keep("accuracy", run["accuracy"][here])
    keep("attention", run["attention"][here])


ONE: Calculation = record(trained_head, fields.FIELDS, CONSTANTS)
TWO: Calculation = record(trained_head, fields.FIELDS, (*CONSTANTS, *OF_SECOND), second=True)


def calculate(state: State) -> Results:
    """What follows from the runs of the settings on screen."""
    second = fields.second_run(state)
    known = constants(state, fields.run_of(state.values))
    if second is None:
        return ONE.run(state.scope(), known)
    return TWO.run(state.scope(), known, of_second(state, second))


def arrays(state: State, *, hidden: bool) -> dict[str, BinaryArrays]:
    """The runs as they travel; of those that are to be guessed first, only how they begin."""
    runs = {"trained": fields.run_of(state.values), "trained_2": fields.second_run(state)}
    return {name: run.start if hidden else run.packed for name, run in runs.items() if run is not None}


def constants(state: State, run: Run) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    values = state.values
    settings, ready = fields.settings_of(values), fields.sentences_of(values["task"])
    return {
        "vocabulary": list(fields.task_of(values["task"]).words),
        "scaled": settings["scaled"],
        "causal": settings["causal"],
        "trained": run.packed.arrays,
        "counted_moves": np.array(fields.moves_of(values)).reshape(-1, 4),
        "learned_at": np.inf if run.learned_at is None else run.learned_at,
        "switched": switched(state),
        "moved_words": len({row[1] for row in values["moves"]}),
        "apart": likeness(run, fields.run_of(usual_values(values["task"]))),
        "right_at_end": float(run.accuracy[-1]),
        "right_in_time": right_in_time(state, run),
        "ready_sentences": np.array([ready[k % len(ready)] for k in range(READY)]),
    }


def usual_run(state: State) -> Run:
    """The run from the same start with the task's own settings, in which no hand has moved anything."""
    return fields.run_of(usual_values(state.task) | {"seed": state.seed})


def time_limit(state: State) -> int | None:
    """The step until which a run with moved words must have learned; None where the usual one never has."""
    learned_at = usual_run(state).learned_at
    return None if learned_at is None else int(OF_THE_STEPS * learned_at)


def right_in_time(state: State, run: Run) -> float:
    """The highest accuracy of a run up to the time limit."""
    limit = time_limit(state)
    return 0.0 if limit is None else run.accuracy_by(limit)


def of_second(state: State, run: Run) -> dict[str, Any]:
    """The same of the second run: its own switches, and the head and layer that it has."""
    settings = fields.settings_of(fields.second_values(state.values))
    layers, heads, *_ = run.parameters["W_query"][0].shape
    return {
        "scaled_2": settings["scaled"],
        "causal_2": settings["causal"],
        "trained_2": run.packed.arrays,
        "head_2": min(state.scope()["head"], heads - 1),
        "layer_2": layers - 1,
    }


def switched(state: State) -> int:
    """How many settings are not as the task has them."""
    usual = usual_values(state.task)
    return sum(state.values[name] != usual[name] for name in ("steps", *fields.SETTINGS))


def usual_values(task: str) -> dict[str, Any]:
    """A task's settings before anything was changed."""
    return permalink.complete(fields.FIELDS, {"task": task})


def likeness(run: Run, first: Run) -> float:
    """How alike two arrangements of the words are at the end of two runs: 1, the same; 0, nothing in common."""
    tables = [each.parameters["embeddings"][-1] for each in (run, first)]
    a, b = (table.astype(float) - table.mean(axis=0) for table in tables)
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return float((a * b).sum() / size) if size else 0.0
