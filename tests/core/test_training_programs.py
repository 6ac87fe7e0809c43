"""The programs that train a head alone: the same losses as the core's, and by torch the same weights."""

import re

import numpy as np
import pytest
import torch

import attention_core as core
from attention_core.training import for_programs
from attention_lab.export import program

RUNS = {
    "which_apple": ("which_apple", {}),
    "two features": ("same_shape", {"scaled": False, "entropy_penalty": 0.05}),
    "two groups": ("two_adjectives", {"learning_rate": 0.01}),
    "one head for both": ("both_neighbours", {"num_heads": 1, "shared_query_key": True}),
    "both heads for both": ("both_neighbours", {"own_heads": False}),
    "two layers": ("it", {"positions": False, "causal": True}),
}


def result_of(library, run, capsys):
    """What a program prints, as pairs of step and loss, and the weights that it ends with."""
    names = {}
    exec(compile(program(library, "train_a_head", for_programs(run)), library, "exec"), names)
    out = capsys.readouterr().out
    printed = np.array(re.findall(r"after (\d+) steps: loss (\S+)", out), float)
    weights = {name: torch.as_tensor(array).detach().numpy() for name, array in names["parameters"].items()}
    return printed, weights


@pytest.mark.parametrize("name", RUNS)
def test_they_train_the_same_head(name, capsys):
    """A hundred steps from the same start."""
    task, settings = RUNS[name]
    run = core.train(core.load_task(task, size=256), seed=6, steps=100, stop_when_learned=False, **settings)
    with_numpy, by_numpy = result_of("numpy", run, capsys)
    with_torch, by_torch = result_of("torch", run, capsys)
    for printed in (with_numpy, with_torch):
        np.testing.assert_array_equal(printed[:, 0], run.steps)
        np.testing.assert_allclose(printed[:, 1], run.loss, rtol=1e-7)
    assert by_numpy.keys() == by_torch.keys() == run.parameters.keys()
    for key, array in by_torch.items():
        np.testing.assert_allclose(array, by_numpy[key], rtol=0, atol=1e-6, err_msg=key)
        np.testing.assert_allclose(array, run.parameters[key][-1], rtol=0, atol=1e-6, err_msg=key)


def test_going_on_by_hand_and_stopping_early(capsys):
    """The start is the one that the hand has left, and the end is the run's own."""
    task = core.load_task("which_apple", size=512)
    start = {name: array.copy() for name, array in core.train(task, steps=5).at(-1).items()}
    start["embeddings"][3] = [1.25, -2]
    run = core.train(task, start=start, steps=150)
    assert run.ended == "learned"
    printed, weights = result_of("torch", run, capsys)
    np.testing.assert_allclose(printed, np.column_stack([run.steps, run.loss]), rtol=1e-7)
    np.testing.assert_allclose(weights["embeddings"], run.parameters["embeddings"][-1], atol=1e-6)
