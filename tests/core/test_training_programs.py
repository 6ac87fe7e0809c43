"""The exported programs that train a head: the same losses and the same weights as the core's."""

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
    """The steps and losses that a program prints, and its last parameters."""
    names = {}
    exec(compile(program(library, "train_a_head", for_programs(run)), library, "exec"), names)
    printed = np.array(re.findall(r"after (\d+) steps: loss (\S+)", capsys.readouterr().out), float)
    return printed, {name: torch.as_tensor(array).detach().numpy() for name, array in names["parameters"].items()}


@pytest.mark.parametrize("name", RUNS)
def test_the_programs_train_the_same_head(name, capsys):
    task, settings = RUNS[name]
    run = core.train(core.load_task(task, size=256), seed=6, steps=40, stop_when_learned=False, **settings)
    for library in ("numpy", "torch"):
        printed, weights = result_of(library, run, capsys)
        np.testing.assert_array_equal(printed[:, 0], run.steps)
        np.testing.assert_allclose(printed[:, 1], run.loss, rtol=1e-7)
        assert weights.keys() == run.parameters.keys()
        for key, array in weights.items():
            np.testing.assert_allclose(array, run.parameters[key][-1], rtol=0, atol=1e-6, err_msg=key)


def test_a_program_starts_from_an_edited_snapshot_and_stops_early(capsys):
    task = core.load_task("which_apple", size=512)
    start = {name: array.copy() for name, array in core.train(task, steps=5).at(-1).items()}
    start["embeddings"][3] = [1.25, -2]
    run = core.train(task, start=start, steps=150)
    assert run.ended == "learned"
    printed, weights = result_of("torch", run, capsys)
    np.testing.assert_allclose(printed, np.column_stack([run.steps, run.loss]), rtol=1e-7)
    np.testing.assert_allclose(weights["embeddings"], run.parameters["embeddings"][-1], atol=1e-6)
