"""Runs: what is learned and what never is, the same twice, Adam as torch has it, and runs that overflow."""

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch

import attention_core as core
from attention_core.training import forward, initial_parameters
from tests.core.refusals import not_refused

# The most steps to 99% accuracy, and the least weight on the answer where the run ends.
LEARNED = {
    "which_apple": (120, 0.7),
    "previous_word": (100, 0.99),
    "reverse": (120, 0.99),
    "own_adjective": (80, 0.93),
    "trophy_box": (80, 0.9),
    "same_shape": (100, 0.84),
    "two_adjectives": (100, 0.95),
    "both_neighbours": (150, 0.99),
    "it": (100, 0.7),
    "induction": (180, 0.95),
}


@pytest.mark.parametrize("name", LEARNED)
def test_a_head_learns_to_attend_to_the_answer(name):
    run = core.train(core.load_task(name))
    steps, on_answer = LEARNED[name]
    assert run.accuracy[0] < 0.6
    assert run.learned_at <= steps
    assert (run.ended, run.overflow_at) == ("learned", None)
    assert run.accuracy[-1] >= 0.99
    assert run.loss[-1] <= 0.02 * run.chance < run.loss[-2]
    assert run.steps[-1] < 200
    assert run.attention_on_answer[-1] > on_answer


@pytest.mark.parametrize(
    ("name", "settings", "at_most"),
    [
        ("previous_word", {"positions": False}, 0.4),
        ("reverse", {"positions": False}, 0.4),
        ("own_adjective", {"positions": False}, 0.75),
        ("trophy_box", {"positions": False}, 0.75),
        ("both_neighbours", {"num_heads": 1}, 0.9),
        ("it", {"num_layers": 1}, 0.75),
        ("induction", {"num_layers": 1}, 0.4),
    ],
)
def test_a_head_without_a_part_that_it_needs_never_learns(name, settings, at_most):
    run = core.train(core.load_task(name), **settings)
    assert (run.ended, run.learned_at) == ("steps", None)
    assert run.accuracy.max() < at_most


def test_a_run_goes_on_after_learning_only_where_it_is_told_to():
    task = core.load_task("own_adjective", size=512)
    run, on = core.train(task), core.train(task, stop_when_learned=False)
    assert (on.ended, on.steps[-1]) == ("steps", 200)
    assert on.accuracy[-1] >= 0.97
    np.testing.assert_array_equal(on.loss[: len(run.loss)], run.loss)
    again = core.train(task, start=run.at(-1))
    assert (again.ended, again.steps.tolist()) == ("learned", [0])


def test_updates_are_the_steps_taken_and_momentum_can_outweigh_the_gradient():
    run = core.train(core.load_task("which_apple"), steps=60)
    against = []
    for name, updates in run.updates.items():
        taken = np.diff(run.parameters[name].astype(np.float64), axis=0)
        np.testing.assert_allclose(taken, updates[:-1], atol=1e-6)
        np.testing.assert_array_equal(run.momentum[name][0], 0)
        against.append((updates * (updates - run.momentum[name]) < 0)[1:].ravel())
    assert 0.05 < np.concatenate(against).mean() < 0.5


def test_two_processes_with_different_numbers_of_threads_train_the_same_weights():
    code = """
import attention_core as core
for name in ("which_apple", "two_adjectives", "induction"):
    print(core.train(core.load_task(name, size=512), seed=4, steps=20).fingerprint)
"""
    printed = set()
    for threads in ("1", "2"):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
        printed.add(subprocess.check_output([sys.executable, "-c", code], env=environment, text=True))
    assert [len(set(fingerprints.split())) for fingerprints in printed] == [3]


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
    sentences, targets = task.sentences[task.held_out], task.targets[task.held_out]
    for snapshot in (0, 7, -1):
        parameters = {key: array.astype(np.float64) for key, array in run.at(snapshot).items()}
        loss, _ = core.loss_and_gradients(parameters, sentences, targets, **run.settings)
        assert run.loss[snapshot] == pytest.approx(loss, rel=1e-12)
        made = forward(parameters, sentences, **run.settings)
        right = np.moveaxis(made.probabilities.argmax(axis=-1), 0, -1) == targets
        assert run.accuracy[snapshot] == pytest.approx(right[targets >= 0].mean(), rel=1e-12)
        for group in range(len(task.outputs)):
            answers = task.answers[task.held_out][:, group]
            on_answers = (made.layers[-1].weights[:, group] * answers).sum(axis=-1)[answers.any(axis=-1)]
            assert run.attention_by_group[snapshot, group] == pytest.approx(on_answers.mean(), rel=1e-12)
        assert run.attention_on_answer[snapshot] == pytest.approx(run.attention_by_group[snapshot].mean())
        batch = run.batches[run.steps[snapshot]]
        data = task.sentences[batch], task.targets[batch]
        _, gradients = core.loss_and_gradients(parameters, *data, **run.settings)
        np.testing.assert_allclose(run.force[snapshot], -gradients["embeddings"], rtol=1e-3, atol=1e-6)


def test_a_step_is_that_of_torchs_adam():
    """The same gradients and batches give the same weights after thirty steps, as far as float32 can tell."""
    task = core.load_task("own_adjective", size=256)
    run = core.train(task, steps=30, seed=3)
    initial = initial_parameters(task, seed=3)
    parameters = {name: torch.tensor(array, requires_grad=True) for name, array in initial.items()}
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
    run, longer = core.train(task, steps=10), core.train(task, steps=50)
    assert longer.batches.shape == (51, 64)
    assert not task.held_out[longer.batches].any()
    np.testing.assert_array_equal(longer.batches[:11], run.batches)


def test_a_run_has_at_most_200_snapshots_with_the_first_and_the_last_state():
    task = core.load_task("which_apple", size=64)
    for steps, snapshots in ((0, 1), (1, 2), (199, 200), (200, 101), (450, 151)):
        run = core.train(task, steps=steps, learning_rate=1e-6)
        assert (len(run.steps), run.steps[0], run.steps[-1]) == (snapshots, 0, steps)
        assert (np.diff(run.steps) > 0).all()
        for name, initial in initial_parameters(task).items():
            array = run.parameters[name]
            assert (array.dtype, array.shape) == (np.float32, (snapshots, *initial.shape))
            np.testing.assert_array_equal(array[0], initial)
        measures = run.loss, run.accuracy, run.attention_on_answer, run.force
        assert {len(measure) for measure in measures} == {snapshots}


def test_a_switch_changes_no_other_initial_parameters():
    task = core.load_task("reverse", size=64)
    fewer = initial_parameters(task, seed=1, positions=False, shared_query_key=True)
    assert initial_parameters(task, seed=1).keys() - fewer.keys() == {"positions", "W_key"}
    for name, array in fewer.items():
        np.testing.assert_array_equal(array, initial_parameters(task, seed=1)[name])


def test_a_run_starts_from_an_edited_snapshot_with_a_new_adam():
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
    assert "W_key" not in core.train(task, steps=1, start=start, shared_query_key=True).parameters
    # Adam's first step is the learning rate, whatever the gradient.
    first = further.parameters["embeddings"][1] - further.parameters["embeddings"][0]
    np.testing.assert_allclose(np.abs(first[1]), 0.02, rtol=0.01)


def test_chance_is_the_loss_of_equal_probabilities():
    task = core.load_task("two_adjectives", size=256)
    run = core.train(task, steps=0, start={name: 0 * array for name, array in initial_parameters(task).items()})
    assert run.loss[0] == pytest.approx(run.chance) == pytest.approx(np.log(5))


def test_an_overflow_ends_the_run_with_the_snapshot_before():
    task = core.load_task("reverse", size=256)
    for rate in (1e12, 1e30, 1e300):
        with np.errstate(all="raise"):
            run = core.train(task, steps=100, learning_rate=rate)
        assert run.ended == "overflow"
        assert 1 <= run.overflow_at <= 100
        assert run.steps[-1] < run.overflow_at
        for measure in (*run.parameters.values(), run.force, run.loss, run.accuracy, run.attention_on_answer):
            assert len(measure) == len(run.steps)
            assert np.isfinite(measure).all()


def test_name_of_a_task_stands_for_the_task():
    by_name, by_task = (core.train(task, steps=3) for task in ("reverse", core.load_task("reverse")))
    assert by_name.fingerprint == by_task.fingerprint


def test_refusals():
    task = core.load_task("reverse", size=64)
    begin = initial_parameters(task)
    sizes = {"embeddings": 1e-20, "positions": 0.0, "W_value": 1e25, "W_vocabulary": 1e25}
    steep = begin | {name: begin[name] * size for name, size in sizes.items()}
    without = initial_parameters(task, positions=False)
    cases = [
        ({"rate": 1}, "no setting is called 'rate'; there are d_model, d_k, num_heads, num_layers"),
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
        ({"steps": 10**9}, "steps must be at most 100,000, got 1000000000"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"start": {}}, "embeddings is missing among the parameters: there are none"),
        ({"start": begin, "d_k": 3}, r"start must have W_query of shape \(1, 1, 16, 3\), got \(1, 1, 16, 2\)"),
        ({"start": without}, "start has no positions; it must have embeddings, positions, W_query"),
        ({"start": begin | {"embeddings": np.full((10, 16), 1e300)}}, "embeddings, as float32, must be finite"),
        ({"start": begin | {"embeddings": np.full((10, 16), 1e38)}}, "overflow"),
        ({"start": steep}, "forces overflow float32"),
    ]
    assert not_refused((partial(core.train, task, **arguments), said) for arguments, said in cases) == []
    for call in (core.train, initial_parameters):
        with pytest.raises(ValueError, match="task must be a Task, as load_task returns"):
            call(3)
    with pytest.raises(ValueError, match="reverse of size 1 has too few different sentences"):
        core.train(core.load_task("reverse", size=1))
    assert core.train(core.load_task("reverse", size=2), steps=2).steps.tolist() == [0, 1, 2]
