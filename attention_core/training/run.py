"""Training runs: mini-batches, gradients, Adam, and snapshots measured on held-out sentences.

Adam: Kingma & Ba 2015, with β₁ = 0.9, β₂ = 0.99, ε = 1e-8.
"""

import hashlib
from dataclasses import dataclass, fields

import numpy as np

from attention_core import checks
from attention_core.training.gradients import (
    NAMES,
    Switches,
    by_feature,
    checked_parameters,
    entropy_penalty,
    predictions_and_loss,
    run_forward,
    run_loss_and_gradients,
)
from attention_core.training.settings import settings_for
from attention_core.training.tasks import Task, as_task

BATCH = 64
SNAPSHOTS = 200
MOST_STEPS = 100_000  # the sentences of all steps are drawn before the first: more would need gigabytes
BETA_1, BETA_2, EPSILON = 0.9, 0.99, 1e-8
LARGEST = float(np.finfo(np.float32).max)
LEARNED_ACCURACY, LEARNED_LOSS = 0.99, 0.02  # of a learned task; the loss as a fraction of chance


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A training run with its snapshots. Every array is read-only.

    There are at most 200 snapshots: before the first step, after the last one and evenly between.
    All measures are those of the snapshot's parameters on the held-out sentences.
    """

    task: Task
    seed: int
    settings: dict  #: all settings, with the task's
    steps: np.ndarray  #: (snapshots,), the number of steps before each
    parameters: dict  #: {name: (snapshots, …)}, float32; names and shapes as in `loss_and_gradients`
    loss: np.ndarray  #: (snapshots,)
    accuracy: np.ndarray  #: (snapshots,)
    attention_on_answer: np.ndarray  #: (snapshots,), the mean weight on the answers' positions
    attention_by_group: np.ndarray  #: (snapshots, groups), of the group's head, or of the one with the largest
    force: np.ndarray  #: (snapshots, vocabulary, d_model), −∂ loss / ∂ embeddings on the next batch
    updates: dict  #: {name: (snapshots, …)}, float32: Adam's next step
    momentum: dict  #: {name: (snapshots, …)}, float32: the part of `updates` due to earlier gradients
    batches: np.ndarray  #: (steps + 1, 64), the sentences of each step, as indices into the task's sentences
    chance: float  #: the loss of uniform predictions
    learned_at: int | None  #: the steps before the first snapshot with an accuracy of 99%
    ended: str  #: "learned", "steps" (all taken) or "overflow"
    overflow_at: int | None  #: the step whose numbers overflowed; it is not among the snapshots
    fingerprint: str  #: of the last parameters; equal parameters have equal fingerprints

    def at(self, snapshot) -> dict:
        """Return the parameters of one snapshot, by name, as `loss_and_gradients` takes them."""
        return {name: array[snapshot] for name, array in self.parameters.items()}


def initial_parameters(task, seed=0, **settings):
    """Draw the initial parameters of a run: {name: array}, float64 numbers that float32 holds exactly.

    Embeddings and positions are normal with standard deviation ½, matrices with 1 / √(inputs), the bias
    is 0. Each parameter has its own random numbers: settings that add another do not change it.
    Raises `ValueError` as `train` does.
    """
    task = as_task(task)
    return _initial(task, checks.whole_number(seed, "seed", 0), settings_for(task, settings))


def _shapes(task, settings):
    layers, heads, d_model, d_k = (settings[name] for name in ("num_layers", "num_heads", "d_model", "d_k"))
    groups, outputs = len(task.outputs), len(task.outputs[0])
    own = settings["own_heads"] and heads == groups
    shapes = {
        "embeddings": (len(task.words), d_model),
        "positions": (task.sentences.shape[1], d_model),
        "W_query": (layers, heads, d_model, d_k),
        "W_key": (layers, heads, d_model, d_k),
        "W_value": (layers, heads, d_model, d_k),
        "W_output": (layers - 1, heads, d_k, d_model),
        "W_vocabulary": (groups, d_k if own else heads * d_k, outputs),
        "bias": (groups, outputs),
    }
    absent = {
        "positions": not settings["positions"],
        "W_key": settings["shared_query_key"],
        "W_output": layers == 1,
    }
    return {name: shape for name, shape in shapes.items() if not absent.get(name)}


def _initial(task, seed, settings):
    parameters = {}
    for name, shape in _shapes(task, settings).items():
        rng = np.random.default_rng([seed, NAMES.index(name)])
        if name in ("embeddings", "positions"):
            deviation = 0.5
        elif name == "bias":
            deviation = 0.0
        elif name == "W_output":  # of all heads together
            deviation = (shape[1] * shape[2]) ** -0.5
        else:
            deviation = shape[-2] ** -0.5
        numbers = deviation * rng.standard_normal(shape) + 0.0  # no minus zero
        parameters[name] = numbers.astype(np.float32).astype(np.float64)
    return parameters


def train(task, seed=0, steps=200, start=None, **settings):
    """Train a small attention network on a task, and return a `TrainingRun`; deterministic.

    Each step computes the gradients of the mean loss of 64 sentences that are not held out, and takes
    one step of Adam. All calculations are in float64; snapshots are float32.

    Parameters
    ----------
    task : Task or str
        A name stands for `load_task(name)`.
    seed : whole number
        Determines the initial parameters and the sentences of each step.
    steps : whole number from 0 to 100,000
        The maximum. Unless `stop_when_learned` is False, the run ends once the task is learned: when
        the accuracy on the held-out sentences is 99% and the loss at most 2% of chance.
    start : {name: array}, optional
        Initial parameters, such as those of an edited snapshot. The sentences still follow the seed.
        Adam starts without the moments of earlier steps, so a run from a snapshot differs from the
        run that the snapshot is from. Parameters that a setting disables are dropped.
    **settings
        `d_model`, `d_k` (also d_v), `num_heads` (at most one for each group of the task),
        `num_layers` (1 or 2), `learning_rate`, and the switches `positions`, `scaled`,
        `shared_query_key`, `causal`, `own_heads` (with as many heads as groups, each group reads its
        own head), `stop_when_learned`; `entropy_penalty` as in `loss_and_gradients`. The defaults
        are those of the task.

    Returns
    -------
    TrainingRun
        If numbers overflow float32, it ends with the previous snapshot.

    Raises
    ------
    ValueError
        For an unknown or impossible setting, naming the possible ones; a `start` that does not fit; too many
        steps; what is no task, or one with fewer than one sentence to train on and one held out.

    >>> run = train(load_task("which_apple"), steps=100)
    >>> bool(run.accuracy[-1] > run.accuracy[0])
    True
    """
    task = as_task(task)
    settings = settings_for(task, settings)
    seed, steps = checks.whole_number(seed, "seed", 0), checks.whole_number(steps, "steps", 0, MOST_STEPS)
    initial = _initial(task, seed, settings) if start is None else _copy_start(start, _shapes(task, settings))
    return _Training(task, seed, steps, settings, initial).run()


def _copy_start(start, shapes):
    """Checked copies of the initial parameters, in the order of `NAMES`."""
    arrays = checked_parameters(start)
    for name, shape in shapes.items():
        if name not in arrays:
            raise ValueError(f"start has no {name}; it must have {', '.join(shapes)}")
        if arrays[name].shape != shape:
            raise ValueError(f"start must have {name} of shape {shape}, got {arrays[name].shape}")
    with np.errstate(all="ignore"):
        return {
            name: checks.finite(arrays[name].astype(np.float32), f"{name}, as float32,").astype(np.float64)
            for name in shapes
        }


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a run before a step."""

    step: int
    numbers: np.ndarray
    loss: float
    accuracy: float
    on_answer: list
    force: np.ndarray
    update: np.ndarray  # Adam's next step
    momentum: np.ndarray  # the part of the update due to earlier gradients


class _Training:
    """A run in progress. All parameters are views of one row of numbers, which Adam updates as a whole."""

    def __init__(self, task, seed, steps, settings, initial):
        self.task, self.seed, self.steps, self.settings = task, seed, steps, settings
        self.shapes = {name: array.shape for name, array in initial.items()}
        self.numbers = np.concatenate([array.ravel() for array in initial.values()])
        self.parameters = self.views(self.numbers)
        self.switches = Switches(**{each.name: settings[each.name] for each in fields(Switches)})
        self.sentences = by_feature(task.sentences)
        trained = np.flatnonzero(~task.held_out)
        if not (len(trained) and task.held_out.any()):
            raise ValueError(
                f"{task.name} of size {len(self.sentences)} has too few different sentences to train on some and "
                "hold out others"
            )
        rng = np.random.default_rng([seed, len(NAMES)])
        self.batches = trained[rng.integers(len(trained), size=(steps + 1, BATCH))]
        self.measured = self.sentences[task.held_out], task.targets[task.held_out]
        # For each group the indices (sentence, word) of the words with an answer, and the answers' positions.
        self.answers = []
        for answers in task.answers[task.held_out].swapaxes(0, 1):
            asked = np.nonzero(answers.any(axis=-1))
            self.answers.append((asked, answers[asked][:, None]))

    def views(self, numbers):
        """Views of a row of numbers, or of rows of them, as {name: (…, *shape)}."""
        views, start = {}, 0
        for name, shape in self.shapes.items():
            end = start + int(np.prod(shape))
            views[name] = numbers[..., start:end].reshape(*numbers.shape[:-1], *shape)
            start = end
        return views

    @np.errstate(all="ignore")  # an overflow ends the run
    def run(self):
        """Take all steps, with snapshots between, and return the `TrainingRun`."""
        every = max(1, -(-self.steps // (SNAPSHOTS - 1)))
        mean, square = np.zeros_like(self.numbers), np.zeros_like(self.numbers)
        snapshots, ended, overflow_at = [], "steps", None
        for step in range(self.steps + 1):
            is_snapshot = step % every == 0 or step == self.steps
            try:
                gradients = self.gradients(self.batches[step])
                gradient = np.concatenate([gradients[name].ravel() for name in self.shapes])
                earlier = BETA_1 * mean
                mean += (1 - BETA_1) * (gradient - mean)
                square += (1 - BETA_2) * (gradient * gradient - square)
                size = np.sqrt(square / (1 - BETA_2 ** (step + 1))) + EPSILON
                rate = self.settings["learning_rate"] / (1 - BETA_1 ** (step + 1))
                update, momentum = -(rate * mean / size), -(rate * earlier / size)
                snapshot = self.snapshot(step, gradients, update, momentum) if is_snapshot else None
            except ValueError:  # attention refuses what overflows
                if step == 0:
                    raise
                ended, overflow_at = "overflow", step
                break
            if is_snapshot:
                snapshots.append(snapshot)
                if self.settings["stop_when_learned"] and self.has_learned(snapshot):
                    ended = "learned"
                    break
            self.numbers += update
        return self.record(snapshots, ended, overflow_at)

    def gradients(self, batch):
        """Compute the gradients of the loss over a batch."""
        if not np.abs(self.numbers).max() <= LARGEST:
            raise ValueError("parameters overflow float32")
        _, gradients = run_loss_and_gradients(
            self.parameters, self.sentences[batch], self.task.targets[batch], self.switches
        )
        return gradients

    def snapshot(self, step, gradients, update, momentum):
        """Return the parameters as float32, with their measures."""
        numbers = self.numbers.astype(np.float32)
        parameters = self.views(numbers.astype(np.float64))
        sentences, targets = self.measured
        result = run_forward(parameters, sentences, self.switches)
        force = -gradients["embeddings"]
        scores, logits = result.layers[-1].scaled_scores, result.logits
        for what, number in (("scores", scores), ("scores", logits), ("forces", force)):
            if not np.abs(number).max() <= LARGEST:
                raise ValueError(f"{what} overflow float32")
        _, (right, _), probabilities, loss = predictions_and_loss(result.logits, targets)
        weights = result.layers[-1].weights
        if self.settings["entropy_penalty"]:
            loss += entropy_penalty(weights, targets, self.settings["entropy_penalty"])[0]
        accuracy = (probabilities.argmax(axis=0) == right).mean()
        on_answer = [self.attention_on_answer(weights, group) for group in range(len(self.answers))]
        return Snapshot(step, numbers, float(loss), float(accuracy), on_answer, force, update, momentum)

    def attention_on_answer(self, weights, group):
        """The mean weight on a group's answers, of its own head or of the head with the largest."""
        (sentence, word), answers = self.answers[group]
        if not len(sentence):
            return 0.0
        own = self.settings["own_heads"] and weights.shape[1] == len(self.answers)
        heads = weights[:, [group]] if own else weights
        on_answers = (heads[sentence, :, word] * answers).sum(axis=-1)
        return float(on_answers.mean(axis=0).max())

    def has_learned(self, snapshot):
        """Return whether nearly all answers are right, and confident."""
        return snapshot.accuracy >= LEARNED_ACCURACY and snapshot.loss <= LEARNED_LOSS * self.task.chance

    def record(self, snapshots, ended, overflow_at):
        """Return the run, read-only."""

        def column(name, kind=np.float64):
            return checks.frozen(np.array([getattr(snapshot, name) for snapshot in snapshots], kind))

        steps, accuracy, on_answer = column("step", int), column("accuracy"), column("on_answer")
        numbers = column("numbers", np.float32)
        right = np.flatnonzero(accuracy >= LEARNED_ACCURACY)
        return TrainingRun(
            task=self.task,
            seed=self.seed,
            settings=self.settings,
            steps=steps,
            parameters=self.views(numbers),
            loss=column("loss"),
            accuracy=accuracy,
            attention_on_answer=checks.frozen(on_answer.mean(axis=1)),
            attention_by_group=on_answer,
            force=column("force", np.float32),
            updates=self.views(column("update", np.float32)),
            momentum=self.views(column("momentum", np.float32)),
            batches=checks.frozen(self.batches[: steps[-1] + 1]),
            chance=self.task.chance,
            learned_at=int(steps[right[0]]) if len(right) else None,
            ended=ended,
            overflow_at=overflow_at,
            fingerprint=hashlib.sha256(numbers[-1].tobytes()).hexdigest()[:12],
        )
