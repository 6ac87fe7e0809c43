"""Training: take a batch, ask which way is down, take a step, look how it does. A whole run at once.

Adam: Kingma & Ba 2015, with β₁ = 0.9, β₂ = 0.99, ε = 1e-8.
"""

import hashlib
from dataclasses import dataclass

import numpy as np

from attention_core import checks
from attention_core.training.gradients import (
    NAMES,
    Switches,
    checked_parameters,
    entropy_penalty,
    predictions_and_loss,
    run_forward,
    run_loss_and_gradients,
)
from attention_core.training.settings import settings_for
from attention_core.training.tasks import Task

BATCH = 64
SNAPSHOTS = 200
BETA_1, BETA_2, EPSILON = 0.9, 0.99, 1e-8
LARGEST = float(np.finfo(np.float32).max)
LEARNED_ACCURACY, LEARNED_LOSS = 0.99, 0.02  # right so often, and a loss below so much of chance


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A run from the first step to the last. Every array is read-only.

    Snapshots are taken before the first step, after the last one and evenly between, at most 200.
    All measures are of the snapshot's own parameters, on the held-out sentences.
    """

    task: Task
    seed: int
    settings: dict  #: all of them, the task's own among them
    steps: np.ndarray  #: (snapshots,) how many steps had been taken
    parameters: dict  #: {name: (snapshots, …)}, float32; names and shapes as in `loss_and_gradients`
    loss: np.ndarray  #: (snapshots,)
    accuracy: np.ndarray  #: (snapshots,) share of right answers
    attention_on_answer: np.ndarray  #: (snapshots,) mean weight on where the answer stands
    attention_by_group: np.ndarray  #: (snapshots, groups) by the group's head, or the one that looks there most
    force: np.ndarray  #: (snapshots, vocabulary, d_model), −∂ loss / ∂ embeddings on the batch that comes next
    updates: dict  #: {name: (snapshots, …)}, float32: what Adam's next step adds to each parameter
    momentum: dict  #: {name: (snapshots, …)}, float32: the part of `updates` that earlier steps' gradients push
    batches: np.ndarray  #: (steps + 1, 64), the sentences of each step, as indices into the task's
    chance: float  #: the loss of whoever guesses evenly
    learned_at: int | None  #: steps at the first snapshot with 99 % of the answers right, None if there is none
    ended: str  #: why it ended: "learned", "steps" (all taken) or "overflow"
    overflow_at: int | None  #: the step whose numbers were too large, which is not among the snapshots
    fingerprint: str  #: of the last weights: equal weights, equal fingerprints

    def at(self, snapshot) -> dict:
        """The parameters of one snapshot, by name, ready for `loss_and_gradients`."""
        return {name: array[snapshot] for name, array in self.parameters.items()}


def initial_parameters(task, seed=0, **settings):
    """Where a run of that seed begins: {name: array}, float64 numbers that float32 can hold.

    Embeddings and positions are normal with spread ½, matrices with 1 / √(numbers that they sum
    over), the bias is 0. The same numbers come out whether or not other parameters are there.
    """
    settled = settings_for(task, settings)
    return _initial(task, checks.whole_number(seed, "seed", 0), settled)


def _shapes(task, settings):
    """The shape of each parameter that there is."""
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
    left_out = {
        "positions": not settings["positions"],
        "W_key": settings["shared_query_key"],
        "W_output": layers == 1,
    }
    return {name: shape for name, shape in shapes.items() if not left_out.get(name)}


def _initial(task, seed, settings):
    made = {}
    for name, shape in _shapes(task, settings).items():
        random = np.random.default_rng([seed, NAMES.index(name)])  # each its own: a switch changes no other
        if name in ("embeddings", "positions"):
            spread = 0.5
        elif name == "bias":
            spread = 0.0
        elif name == "W_output":  # of all heads together
            spread = (shape[1] * shape[2]) ** -0.5
        else:
            spread = shape[-2] ** -0.5
        numbers = spread * random.standard_normal(shape) + 0.0  # no minus zero
        made[name] = numbers.astype(np.float32).astype(np.float64)
    return made


def train(task, seed=0, steps=200, start=None, **settings):
    """Train a small attention network on a task: a `TrainingRun`, the same for the same arguments.

    Each step takes 64 sentences of those that are not held out, their mean loss's gradients, and
    one step of Adam. Everything is calculated in float64; snapshots are float32.

    Parameters
    ----------
    task : Task
    seed : whole number
        Says where the parameters begin, and which sentences each step takes.
    steps : whole number, 0 or more
        At most so many. It ends sooner once it has learned (unless `stop_when_learned` is False):
        when on the held-out sentences 99 % of the answers are right and the loss is below two
        hundredths of chance.
    start : {name: array}, optional
        Parameters to begin with instead, such as those of a snapshot that a hand has changed. The
        sentences still follow the seed. Adam begins afresh, without a memory of earlier steps: a
        run that goes on from a snapshot is not the run that went on through it. Parameters that a
        switch leaves out are dropped.
    **settings
        `d_model`, `d_k` (also d_v), `num_heads` (at most one for each group of the task),
        `num_layers` (1 or 2), `learning_rate`, and the switches `positions`, `scaled`,
        `shared_query_key`, `causal`, `own_heads` (with as many heads as groups each group is
        answered from a head of its own), `stop_when_learned`; `entropy_penalty` as in
        `loss_and_gradients`. What is not given is as the task has it.

    Returns
    -------
    TrainingRun
        If numbers grow beyond what float32 holds, it ends with the snapshot before.

    Raises
    ------
    ValueError
        For an unknown or impossible setting, naming the possible; a `start` that does not fit;
        a task with fewer than one sentence to train on and one held out.
    """
    settled = settings_for(task, settings)
    seed, steps = checks.whole_number(seed, "seed", 0), checks.whole_number(steps, "steps", 0)
    begin = _initial(task, seed, settled) if start is None else _fitting(start, _shapes(task, settled))
    return _Training(task, seed, steps, settled, begin).run()


def _fitting(start, shapes):
    """Copies of the parameters to start with, in the order of `NAMES`."""
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
    """One moment of a run."""

    step: int
    numbers: np.ndarray
    loss: float
    accuracy: float
    on_answer: list
    force: np.ndarray
    update: np.ndarray  # what the next step adds to the numbers
    momentum: np.ndarray  # the part of it that earlier gradients push


class _Training:
    """A run while it lasts. All parameters lie in one row of numbers, which Adam steps through at once."""

    def __init__(self, task, seed, steps, settings, begin):
        self.task, self.seed, self.steps, self.settings = task, seed, steps, settings
        self.shapes = {name: array.shape for name, array in begin.items()}
        self.numbers = np.concatenate([array.ravel() for array in begin.values()])
        self.parameters = self.views(self.numbers)
        self.switches = Switches(
            **{
                name: settings[name]
                for name in ("positions", "shared_query_key", "scaled", "causal", "entropy_penalty")
            }
        )
        size, n = task.sentences.shape[:2]
        self.sentences = task.sentences.reshape(
            size, n, task.sentences.shape[2] if task.sentences.ndim == 3 else 1
        )
        trained = np.flatnonzero(~task.held_out)
        if not (len(trained) and task.held_out.any()):
            raise ValueError(
                f"{task.name} of size {size} has too few different sentences to train on some and hold out others"
            )
        chosen = np.random.default_rng([seed, len(NAMES)]).integers(len(trained), size=(steps + 1, BATCH))
        self.batches = trained[chosen]
        self.measured = self.sentences[task.held_out], task.targets[task.held_out]
        # For each group the words that find an answer somewhere, and where.
        answers = task.answers[task.held_out].swapaxes(0, 1)
        found = [np.nonzero(of_group.any(axis=-1)) for of_group in answers]
        self.answers = [(place, of_group[place][:, None]) for place, of_group in zip(found, answers, strict=True)]

    def views(self, numbers):
        """A row of numbers, or rows of them, as {name: (…, *shape)}."""
        views, begin = {}, 0
        for name, shape in self.shapes.items():
            end = begin + int(np.prod(shape))
            views[name] = numbers[..., begin:end].reshape(*numbers.shape[:-1], *shape)
            begin = end
        return views

    @np.errstate(all="ignore")  # numbers that run away end the run
    def run(self):
        """Step after step, with snapshots between."""
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
        """Of the loss over some sentences, as things stand."""
        if not np.abs(self.numbers).max() <= LARGEST:
            raise ValueError("parameters overflow float32")
        _, gradients = run_loss_and_gradients(
            self.parameters, self.sentences[batch], self.task.targets[batch], self.switches
        )
        return gradients

    def snapshot(self, step, gradients, update, momentum):
        """What is kept of this moment: the parameters as float32, and how well these do."""
        numbers = self.numbers.astype(np.float32)
        parameters = self.views(numbers.astype(np.float64))
        sentences, targets = self.measured
        result = run_forward(parameters, sentences, self.switches)
        force = -gradients["embeddings"]
        scores, logits = result.layers[-1].scaled_scores, result.logits
        for what, number in (("scores", scores), ("scores", logits), ("forces", force)):
            if not np.abs(number).max() <= LARGEST:
                raise ValueError(f"{what} overflow float32")
        _, (right, _), shares, loss = predictions_and_loss(result.logits, targets)
        weights = result.layers[-1].weights
        if self.settings["entropy_penalty"]:
            loss += entropy_penalty(weights, targets, self.settings["entropy_penalty"])[0]
        accuracy = (shares.argmax(axis=0) == right).mean()
        on_answer = [self.attention_on_answer(weights, group) for group in range(len(self.answers))]
        return Snapshot(step, numbers, float(loss), float(accuracy), on_answer, force, update, momentum)

    def attention_on_answer(self, weights, group):
        """The mean weight on a group's answers, by its own head or by the one that looks there most."""
        (sentence, word), answers = self.answers[group]
        if not len(sentence):
            return 0.0
        own = self.settings["own_heads"] and weights.shape[1] == len(self.answers)
        heads = weights[:, [group]] if own else weights
        there = (heads[sentence, :, word] * answers).sum(axis=-1)
        return float(there.mean(axis=0).max())

    def has_learned(self, snapshot):
        """Nearly all right, and sure of it."""
        return snapshot.accuracy >= LEARNED_ACCURACY and snapshot.loss <= LEARNED_LOSS * self.task.chance

    def record(self, snapshots, ended, overflow_at):
        """The whole run, read-only."""

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
