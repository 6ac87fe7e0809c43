"""Runs: what is learned and what never is, the same twice, Adam as torch has it, and runs that go wrong."""

import dataclasses
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

import attention_core as core
from attention_core.training import forward, initial_parameters

SEEDS = range(3)
# The most steps to 99 % right, and the least weight on the answer; "which apple" finds it in one word or in two.
LEARNED = {
    "which_apple": (120, 0.8),
    "previous_word": (100, 0.99),
    "reverse": (120, 0.99),
    "own_adjective": (80, 0.97),
    "trophy_box": (80, 0.9),
    "same_shape": (100, 0.93),
    "two_adjectives": (100, 0.97),
    "both_neighbours": (150, 0.99),
    "it": (100, 0.7),
    "induction": (180, 0.95),
}


def test_the_signatures_and_the_fields():
    signature = {name: p.default for name, p in inspect.signature(core.train).parameters.items()}
    empty = inspect.Parameter.empty
    assert signature == {"task": empty, "seed": 0, "steps": 200, "start": None, "settings": empty}
    fields = {field.name for field in dataclasses.fields(core.TrainingRun)}
    assert fields >= {
        "parameters", "steps", "loss", "accuracy", "attention_on_answer", "settings", "chance", "fingerprint"
    }  # fmt: skip


@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize("seed", SEEDS)
def test_it_learns(name, seed):
    """Nearly everything right on sentences that it has never seen, and by looking where the answer stands."""
    run = core.train(core.load_task(name), seed=seed, stop_when_learned=False)
    steps, on_answer = LEARNED[name]
    assert run.accuracy[0] < 0.6
    assert run.learned_at <= steps
    assert run.accuracy[-1] >= 0.97  # a run that goes on may waver
    assert run.loss.min() < 0.05 * run.chance
    assert run.attention_on_answer[-1] > on_answer
    assert (run.ended, run.overflow_at) == ("steps", None)


# What takes a part away that is needed, and how much comes out right at the most.
NEVER = {
    "previous_word without positions": ("previous_word", {"positions": False}, 0.4),
    "reverse without positions": ("reverse", {"positions": False}, 0.4),
    "own_adjective without positions": ("own_adjective", {"positions": False}, 0.75),
    "trophy_box without positions": ("trophy_box", {"positions": False}, 0.75),
    "both_neighbours with one head": ("both_neighbours", {"num_heads": 1}, 0.9),
    "it with one layer": ("it", {"num_layers": 1}, 0.75),
    "induction with one layer": ("induction", {"num_layers": 1}, 0.4),
}


@pytest.mark.parametrize("name", NEVER)
@pytest.mark.parametrize("seed", SEEDS)
def test_it_never_learns_without(name, seed):
    task, settings, at_most = NEVER[name]
    run = core.train(core.load_task(task), seed=seed, **settings)
    assert run.ended == "steps"
    assert run.learned_at is None
    assert run.accuracy.max() < at_most


def test_updates_are_the_steps_taken_and_momentum_can_outweigh_the_gradient():
    run = core.train(core.load_task("which_apple"), seed=0, steps=100)
    against = []
    for name, updates in run.updates.items():
        taken = np.diff(run.parameters[name].astype(np.float64), axis=0)
        np.testing.assert_allclose(taken, updates[:-1], atol=1e-6)
        np.testing.assert_array_equal(run.momentum[name][0], 0)
        gradient_part = updates - run.momentum[name]
        against.append((updates * gradient_part < 0)[1:].ravel())
    assert 0.05 < np.concatenate(against).mean() < 0.5


PRINT = """
import attention_core as core
for name, steps in (("which_apple", 60), ("two_adjectives", 40), ("induction", 20)):
    print(core.train(core.load_task(name), seed=4, steps=steps).fingerprint)
"""


def test_the_same_weights_in_two_processes():
    """Whatever number of threads either of them has."""
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert len(set(printed[0].split())) == 3


def test_the_seed_and_every_setting_change_the_weights():
    task = core.load_task("both_neighbours", size=256)
    changes = [
        {}, {"seed": 1}, {"d_model": 8}, {"d_k": 3}, {"num_heads": 1}, {"num_layers": 2}, {"learning_rate": 0.01},
        {"positions": False}, {"scaled": False}, {"shared_query_key": True}, {"causal": True},
        {"own_heads": False}, {"entropy_penalty": 0.1}, {"start": initial_parameters(task, seed=2)},
    ]  # fmt: skip
    prints = [core.train(task, steps=5, **change).fingerprint for change in changes]
    assert len(set(prints)) == len(changes)


@pytest.mark.parametrize("name", ["which_apple", "two_adjectives", "it"])
def test_every_measure_is_that_of_the_snapshots_own_parameters(name):
    task = core.load_task(name, size=512)
    run = core.train(task, seed=1, steps=30)
    for snapshot in (0, 7, -1):
        parameters = {key: array.astype(np.float64) for key, array in run.at(snapshot).items()}
        held_out = [array[task.held_out] for array in (task.sentences, task.targets)]
        loss, _ = core.loss_and_gradients(parameters, *held_out, **run.settings)
        assert run.loss[snapshot] == pytest.approx(loss, rel=1e-12)
        made = forward(parameters, held_out[0], **run.settings)
        said = np.moveaxis(made.probabilities.argmax(axis=-1), 0, -1)
        asked = held_out[1] >= 0
        assert run.accuracy[snapshot] == pytest.approx((said == held_out[1])[asked].mean(), rel=1e-12)
        for group in range(len(task.outputs)):
            answers = task.answers[task.held_out][:, group]
            weights = made.layers[-1].weights[:, group]
            there = (weights * answers).sum(axis=-1)[answers.any(axis=-1)].mean()
            assert run.attention_by_group[snapshot, group] == pytest.approx(there, rel=1e-12)
        assert run.attention_on_answer[snapshot] == pytest.approx(run.attention_by_group[snapshot].mean())
        batch = run.batches[run.steps[snapshot]]
        _, gradients = core.loss_and_gradients(
            parameters, task.sentences[batch], task.targets[batch], **run.settings
        )
        np.testing.assert_allclose(run.force[snapshot], -gradients["embeddings"], rtol=1e-3, atol=1e-6)


def test_a_step_is_that_of_torchs_adam():
    """The same gradients, the same batches: the same weights after thirty steps, to what float32 can hold."""
    task = core.load_task("own_adjective", size=256)
    run = core.train(task, steps=30, seed=3)
    parameters = {
        name: torch.tensor(array, requires_grad=True) for name, array in initial_parameters(task, seed=3).items()
    }
    adam = torch.optim.Adam(parameters.values(), lr=0.02, betas=(0.9, 0.99), eps=1e-8)
    for batch in run.batches[:30]:
        arrays = {name: tensor.detach().numpy() for name, tensor in parameters.items()}
        _, gradients = core.loss_and_gradients(arrays, task.sentences[batch], task.targets[batch], **run.settings)
        for name, tensor in parameters.items():
            tensor.grad = torch.from_numpy(gradients[name])
        adam.step()
    for name, tensor in parameters.items():
        np.testing.assert_allclose(run.parameters[name][-1], tensor.detach().numpy(), rtol=1e-6, atol=1e-7)


def test_only_sentences_that_are_not_held_out_are_trained_on():
    task = core.load_task("reverse", size=256)
    run = core.train(task, steps=50)
    assert run.batches.shape == (51, 64)
    assert not task.held_out[run.batches].any()
    longer = core.train(task, steps=60)
    np.testing.assert_array_equal(longer.batches[:51], run.batches)


@pytest.mark.parametrize(("steps", "snapshots"), [(0, 1), (1, 2), (199, 200), (200, 101), (450, 151)])
def test_snapshots(steps, snapshots):
    """From before the first step to after the last one, at most 200."""
    task = core.load_task("which_apple", size=64)
    run = core.train(task, steps=steps, learning_rate=1e-6)
    assert len(run.steps) == snapshots
    assert run.steps[0] == 0
    assert run.steps[-1] == steps
    assert (np.diff(run.steps) > 0).all()
    begin = initial_parameters(task)
    for name, array in run.parameters.items():
        assert array.dtype == np.float32
        assert array.shape == (snapshots, *begin[name].shape)
        np.testing.assert_array_equal(array[0], begin[name])
    for measure in (run.loss, run.accuracy, run.attention_on_answer, run.force):
        assert len(measure) == snapshots
    assert sum(array.size for array in begin.values()) == 51


def test_a_switch_changes_no_other_numbers_at_the_start():
    task = core.load_task("reverse", size=64)
    every = initial_parameters(task, seed=1)
    fewer = initial_parameters(task, seed=1, positions=False, shared_query_key=True)
    assert every.keys() - fewer.keys() == {"positions", "W_key"}
    for name, array in fewer.items():
        np.testing.assert_array_equal(array, every[name])


def test_going_on_from_a_snapshot():
    """From where the hand has put a word; what a switch leaves out is dropped; Adam begins afresh."""
    task = core.load_task("which_apple", size=512)
    run = core.train(task, steps=40, stop_when_learned=False)
    start = {name: array.astype(np.float64) for name, array in run.at(-1).items()}
    start["embeddings"][1] = [3, -2]
    before = {name: array.copy() for name, array in start.items()}
    further = core.train(task, steps=40, start=start, stop_when_learned=False)
    np.testing.assert_array_equal(further.parameters["embeddings"][0], start["embeddings"].astype(np.float32))
    np.testing.assert_array_equal(further.batches, run.batches)
    assert further.loss[-1] < further.loss[0]
    for name, array in start.items():
        np.testing.assert_array_equal(array, before[name])
    shared = core.train(task, steps=1, start=start, shared_query_key=True)
    assert "W_key" not in shared.parameters
    first = further.parameters["embeddings"][1] - further.parameters["embeddings"][0]
    np.testing.assert_allclose(
        np.abs(first[1]), 0.02, rtol=0.01
    )  # Adam's first step: the rate, whatever the slope


def test_it_stops_when_it_has_learned():
    task = core.load_task("own_adjective")
    run = core.train(task)
    assert run.ended == "learned"
    assert run.steps[-1] < 200
    assert run.loss[-1] <= 0.02 * run.chance < run.loss[-2]
    on = core.train(task, stop_when_learned=False)
    assert on.ended == "steps"
    assert on.steps[-1] == 200
    np.testing.assert_array_equal(on.loss[: len(run.loss)], run.loss)
    again = core.train(task, start=run.at(-1))
    assert (again.ended, again.steps.tolist()) == ("learned", [0])


def test_chance_is_guessing_evenly():
    """All parameters zero: every answer gets the same share."""
    task = core.load_task("two_adjectives", size=256)
    zeros = {name: 0 * array for name, array in initial_parameters(task).items()}
    run = core.train(task, steps=0, start=zeros)
    assert run.chance == pytest.approx(np.log(5))
    assert run.loss[0] == pytest.approx(run.chance)


def test_the_penalty_makes_up_its_mind():
    """Once it has learned: the weights move to one place."""
    task = core.load_task("same_shape")
    learned = core.train(task)
    start = learned.at(-1)
    with_it, without = (
        core.train(task, steps=60, start=start, entropy_penalty=strength, stop_when_learned=False)
        for strength in (0.1, 0.0)
    )
    assert with_it.accuracy[-1] >= 0.99
    assert with_it.attention_on_answer[-1] > 0.99
    assert with_it.attention_on_answer[-1] > without.attention_on_answer[-1]


@pytest.mark.parametrize("rate", [1e12, 1e30, 1e300])
def test_numbers_that_run_away_end_the_run(rate):
    task = core.load_task("reverse", size=256)
    with np.errstate(all="raise"):
        run = core.train(task, steps=100, learning_rate=rate)
    assert run.ended == "overflow"
    assert 1 <= run.overflow_at <= 100
    assert run.steps[-1] < run.overflow_at
    for measure in (*run.parameters.values(), run.force, run.loss, run.accuracy, run.attention_on_answer):
        assert len(measure) == len(run.steps)
        assert np.isfinite(measure).all()


def test_a_run_is_frozen():
    task = core.load_task("which_apple", size=64)
    run = core.train(task, steps=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.seed = 1
    measures = (run.steps, run.loss, run.accuracy, run.attention_on_answer, run.attention_by_group, run.force)
    for array in (*run.parameters.values(), *measures, run.batches):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert run.settings == task.settings
    assert list(run.settings)[:9] == [
        "d_model", "d_k", "num_heads", "num_layers", "learning_rate", "positions", "scaled", "shared_query_key",
        "causal",
    ]  # fmt: skip


REFUSED = [
    ({"rate": 1}, "no setting is called 'rate'; there are d_model, d_k, num_heads, num_layers, learning_rate"),
    ({"num_heads": 2}, "num_heads must be 1 for reverse, which asks 1 thing of a word, got 2"),
    ({"num_layers": 3}, "num_layers must be 1 or 2, got 3"),
    ({"d_k": 0}, "d_k must be a whole number of at least 1, got 0"),
    ({"d_model": 4.0}, r"d_model must be a whole number of at least 1, got 4\.0"),
    ({"d_model": 1000}, "d_model must be at most 128, got 1000"),
    ({"learning_rate": 0}, "learning_rate must be above zero, got 0"),
    ({"learning_rate": float("nan")}, "learning_rate must be a finite number, got nan"),
    ({"causal": 1}, "causal must be True or False, got 1"),
    ({"entropy_penalty": -0.1}, r"entropy_penalty must be 0 or more, got -0\.1"),
    ({"steps": -1}, "steps must be a whole number of at least 0, got -1"),
    ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
    ({"start": {}}, "embeddings is missing among the parameters: there are none"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=[said[:30] for _, said in REFUSED])
def test_what_is_impossible_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        core.train(core.load_task("reverse", size=64), **arguments)


def test_a_start_that_does_not_fit():
    task = core.load_task("reverse", size=64)
    begin = initial_parameters(task)
    with pytest.raises(
        ValueError, match=r"start must have W_query of shape \(1, 1, 16, 3\), got \(1, 1, 16, 2\)"
    ):
        core.train(task, start=begin, d_k=3)
    with pytest.raises(ValueError, match="start has no positions; it must have embeddings, positions, W_query"):
        core.train(task, start=initial_parameters(task, positions=False))
    with pytest.raises(ValueError, match="embeddings, as float32, must be finite"):
        core.train(task, start=begin | {"embeddings": np.full((10, 16), 1e300)})
    with pytest.raises(ValueError, match="overflow"):
        core.train(task, start=begin | {"embeddings": np.full((10, 16), 1e38)})
    steep = {"embeddings": 1e-20, "positions": 0.0, "W_value": 1e25, "W_vocabulary": 1e25}
    with pytest.raises(ValueError, match="forces overflow float32"):
        core.train(task, start=begin | {name: begin[name] * size for name, size in steep.items()})


def test_too_few_sentences_to_hold_some_out():
    with pytest.raises(ValueError, match="reverse of size 1 has too few different sentences"):
        core.train(core.load_task("reverse", size=1))
    assert core.train(core.load_task("reverse", size=2), steps=2).steps.tolist() == [0, 1, 2]
