"""Runs of training as the page shows them: computed once for all who ask, kept for a while, ready to travel."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core import Task, TrainingRun, load_task, train
from attention_core.training import forward
from attention_lab import language_models
from attention_lab.calculation import BinaryArrays, pack_arrays
from attention_lab.calculation.caches import SingleFlightCache

SENTENCES = 2048
MOST_ON_THE_WIRE = 200_000  # bytes of one run
MOST_RUNS, MOST_BYTES = 64, 64_000_000  # kept by the process
LEAST_STEPS = 30  # after a hand has moved something, even where all is learned already
MOMENTS = 9  # at which it is looked how far things come
FARTHEST = 40.0  # units that a plane reaches: what runs away leaves it

MEASURES = ("steps", "loss", "accuracy", "attention", "force")  # of a run, at each of its snapshots

Moves = tuple[tuple[float, ...], ...]  # of a hand: at which step, which word, how far to the right, how far up


@lru_cache(32)
def task_of(name: str) -> Task:
    """A task with its sentences, made once for all."""
    return load_task(name, SENTENCES)


RUNS = SingleFlightCache(MOST_RUNS, MOST_BYTES, shared=(Task,))


# A run with all that a hand did to it ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Run:
    """One run as the page draws it: every burst of training, from first step to last, at most 200 kB of it.

    At a step at which a hand moved words there are two moments, before and after. Kept is the one before, with
    the measures of the one after: what a hand did is added where the run is drawn.
    """

    bursts: tuple[TrainingRun, ...]
    begun: tuple[int, ...]  # at which step each burst begins
    steps: np.ndarray  # (snapshots,)
    parameters: dict[str, np.ndarray]  # {name: (snapshots, …)}
    loss: np.ndarray
    accuracy: np.ndarray
    attention: np.ndarray
    force: np.ndarray
    whole: dict[str, np.ndarray]  # steps, loss, accuracy and attention at every snapshot, also at those left out
    axes: dict[str, np.ndarray]  # two, as columns, on which words, queries and keys, and values are drawn
    spread: dict[str, float]  # the part of all spread that these show
    reach: dict[str, float]  # how far the planes must reach, in half units, for all of it
    packed: BinaryArrays

    @property
    def last(self) -> int:
        """The last step."""
        return int(self.steps[-1])

    @property
    def end(self) -> TrainingRun:
        """The last burst."""
        return self.bursts[-1]

    @property
    def learned_at(self) -> int | None:
        """The first step from which 99% of the answers are right, after the last move of the hand's."""
        right = np.flatnonzero(self.accuracy >= 0.99)
        return int(self.steps[right[0]]) if len(right) else None

    def steepest(self, width: int) -> tuple[int, int]:
        """Return the ends, as places in `whole`, of the `width` steps in which the loss falls most."""
        steps, loss = self.whole["steps"], self.whole["loss"]
        ends = np.minimum(np.searchsorted(steps, steps + width), len(steps) - 1)
        first = int((loss - loss[ends]).argmax())
        return first, int(ends[first])

    def accuracy_by(self, step: float) -> float:
        """The highest accuracy up to a step."""
        return float(self.whole["accuracy"][self.whole["steps"] <= step].max())

    @property
    def start(self) -> BinaryArrays:
        """The moment before the first step alone."""
        measures = {name: getattr(self, name)[:1] for name in MEASURES}
        return _packed(measures, {name: array[:1] for name, array in self.parameters.items()}, self.axes)

    def burst_at(self, place: int) -> tuple[TrainingRun, int]:
        """The burst that goes on from a snapshot, and how many of its steps were taken by then."""
        step = int(self.steps[place])
        burst = max(k for k, begun in enumerate(self.begun) if begun <= step)
        return self.bursts[burst], step - self.begun[burst]

    def batch(self, place: int) -> np.ndarray:
        """The sentences that the step after a snapshot takes, by their numbers."""
        run, step = self.burst_at(place)
        return run.batches[min(step, len(run.batches) - 1)]

    def next_step(self, place: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Return what Adam's step after a snapshot adds to each parameter, and what of it is momentum."""
        run, step = self.burst_at(place)
        snapshot = int(np.searchsorted(run.steps, step))
        updates = {name: array[snapshot] for name, array in run.updates.items()}
        return updates, {name: array[snapshot] for name, array in run.momentum.items()}

    def at(self, step: float) -> int:
        """The place of the last snapshot at or before a step."""
        return max(int(np.searchsorted(self.steps, step, side="right")) - 1, 0)


def find_run(task: str, seed: int, steps: int, settings: tuple[tuple[str, Any], ...], moves: Moves = ()) -> Run:
    """Return the run of these settings, with words dragged as `moves` say; trained unless cached."""
    run = task, seed, steps, settings
    if not moves:
        return RUNS.compute((*run, moves), lambda: _trained(*run))
    at = max(move[0] for move in moves)
    earlier = tuple(move for move in moves if move[0] < at)
    return RUNS.compute(
        (*run, moves), lambda before: _moved(*run, moves, before), first=lambda: find_run(*run, earlier)
    )


def _trained(task: str, seed: int, steps: int, settings: tuple[tuple[str, Any], ...]) -> Run:
    run = train(task_of(task), seed, steps, **dict(settings))
    axes, spread = _axes(run)
    measures = _measures(run, 0)
    force = _drawn(run.force, axes["words"])
    return _assemble((run,), (0,), {**measures, "force": force}, dict(run.parameters), measures, axes, spread)


def _moved(
    task: str, seed: int, steps: int, settings: tuple[tuple[str, Any], ...], moves: Moves, before: Run
) -> Run:
    """Train on from the last step at which `moves` move something; `before` is the run of the earlier moves."""
    at = max(move[0] for move in moves)
    here = before.at(at)
    start = {name: array[here] for name, array in before.parameters.items()}
    start["embeddings"] = moved(start["embeddings"], before.axes["words"], [m for m in moves if m[0] == at])
    run = _goes_on(task_of(task), seed, steps, start, dict(settings))
    if run is None:
        return before
    begun = int(before.steps[here])
    there = int(np.searchsorted(before.whole["steps"], begun))
    after = _measures(run, begun)
    force = _drawn(run.force, before.axes["words"])
    measures = {
        name: np.concatenate([getattr(before, name)[:here], column])
        for name, column in {**after, "force": force}.items()
    }
    parameters = {
        name: np.concatenate([array[: here + 1], run.parameters[name][1:]])
        for name, array in before.parameters.items()
    }
    return _assemble(
        (*before.bursts, run),
        (*before.begun, begun),
        measures,
        parameters,
        {name: np.concatenate([before.whole[name][:there], column]) for name, column in after.items()},
        before.axes,
        before.spread,
        {float(move[0]) for move in moves},
    )


def _goes_on(task: Task, seed: int, steps: int, start: dict, settings: dict) -> TrainingRun | None:
    """Training from where a hand has left things: some steps at least. None where it cannot begin."""
    try:
        run = train(task, seed, steps, start=start, **settings)
        if run.ended == "learned" and run.steps[-1] < LEAST_STEPS:
            run = train(task, seed, LEAST_STEPS, start=start, **settings, stop_when_learned=False)
    except ValueError:
        return None
    return run


def moved(embeddings: np.ndarray, axes: np.ndarray, moves) -> np.ndarray:
    """Words' vectors after a hand has moved some of them along the two axes on which they are drawn."""
    result = np.array(embeddings, dtype=float)
    for _, word, right, up in moves:
        if word < len(result):
            result[int(word)] += axes @ (right, up)
    return result


def _assemble(bursts, begun, measures, parameters, whole, axes, spread, moves_at=frozenset()) -> Run:
    """Return the run with only so many snapshots as may travel; those at `moves_at` stay."""
    steps = measures["steps"]
    size = 4 * (sum(array[0].size for array in parameters.values()) + measures["force"][0].size + 4)
    most = max(2, MOST_ON_THE_WIRE // size)
    kept = np.arange(len(steps))
    if len(steps) > most:  # the first half of a run has more to show than the second
        spaced = np.rint((len(steps) - 1) * np.linspace(0, 1, most - len(moves_at)) ** 1.5).astype(int)
        kept = np.union1d(spaced, np.flatnonzero(np.isin(steps, list(moves_at))))
    measures = {name: np.asarray(measures[name])[kept] for name in MEASURES}
    parameters = {name: array[kept] for name, array in parameters.items()}
    reach, packed = _reach(bursts[-1], parameters, axes), _packed(measures, parameters, axes)
    more = {"whole": whole, "axes": axes, "spread": spread, "reach": reach, "packed": packed}
    return Run(bursts, begun, parameters=parameters, **measures, **more)


def _measures(run: TrainingRun, begun: int) -> dict[str, np.ndarray]:
    """How well a burst does at all of its snapshots, by the steps of the whole run."""
    columns = run.loss, run.accuracy, run.attention_on_answer
    return {"steps": begun + run.steps} | dict(zip(("loss", "accuracy", "attention"), columns, strict=True))


def _reach(run: TrainingRun, parameters: dict[str, np.ndarray], axes: dict[str, np.ndarray]) -> dict[str, float]:
    """How far words, queries and keys, and values come from the origin, in a few sentences at a few moments."""
    sentences = run.task.sentences[run.task.shown]
    switches = {name: run.settings[name] for name in ("scaled", "causal")}
    moments = np.unique(np.linspace(0, len(parameters["bias"]) - 1, MOMENTS).astype(int))
    far = {"words": [parameters["embeddings"] @ axes["words"]], "keys": [], "values": []}
    for moment in moments:
        done = forward(
            {name: array[moment].astype(float) for name, array in parameters.items()}, sentences, **switches
        )
        for trace in done.layers:
            far["keys"] += [trace.query @ axes["keys"], trace.key @ axes["keys"]]
            far["values"] += [trace.value @ axes["values"]]
    most = {name: max(float(np.abs(each).max()) for each in places) for name, places in far.items()}
    return {name: float(np.clip(np.ceil(2 * (size + 0.2)) / 2, 1.5, FARTHEST)) for name, size in most.items()}


def _packed(
    measures: dict[str, np.ndarray], parameters: dict[str, np.ndarray], axes: dict[str, np.ndarray]
) -> BinaryArrays:
    arrays = measures | {f"parameters/{name}": array for name, array in parameters.items()}
    return pack_arrays(arrays | {f"axes/{name}": array for name, array in axes.items()})


def _drawn(force: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return (force @ axes).astype(np.float32)


def _axes(run: TrainingRun) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """The two axes along which words, queries and keys, and values spread most at the end of a run."""
    end = run.at(-1)
    words = end["embeddings"].astype(float)
    layer = len(end["W_query"]) - 1
    of_head = [[words @ W for W in end.get(name, end["W_query"])[layer]] for name in ("W_query", "W_key")]
    values = [words @ W for W in end["W_value"][layer]]
    result = {
        "words": _two_axes(words),
        "keys": _two_axes(np.concatenate([*of_head[0], *of_head[1]])),
        "values": _two_axes(np.concatenate(values)),
    }
    return {name: axes for name, (axes, _) in result.items()}, {name: part for name, (_, part) in result.items()}


def _two_axes(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """Two axes, as columns, and the part of all spread along them; of two numbers, these themselves."""
    if vectors.shape[1] == 2:
        return np.eye(2), 1.0
    two, spread = language_models.widest(vectors)
    return two.astype(np.float32).astype(float), spread
