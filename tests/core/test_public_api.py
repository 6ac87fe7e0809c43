"""The public names of `attention_core`: their documentation, their types of numbers, and what they freeze."""

import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
from functools import partial

import numpy as np
import pytest
import torch

import attention_core as core
from tests.core.refusals import not_refused
from tools import core_reference

PUBLIC = {  # other programs import these: a name that goes would break them
    *("dot_product", "cosine_similarity", "scaled_dot_product", "softmax", "entropy"),
    *("causal_mask", "window_mask", "padding_mask", "scaled_dot_product_attention", "AttentionTrace"),
    *("AttentionHead", "MultiHeadAttention", "MultiHeadTrace", "sinusoidal_positions", "rotate_by_position"),
    *("TransformerShape", "count_parameters", "SHAPES", "Example", "example_names", "load_example", "task_names"),
    *("load_task", "train", "TrainingRun", "loss_and_gradients", "load_language_model", "load_translator"),
    *("read_model", "PretrainedModel"),
}


def test_the_public_names_exist_and_have_a_docstring():
    assert set(core.__all__) >= PUBLIC
    assert len(set(core.__all__)) == len(core.__all__)
    undocumented = []
    for name in core.__all__:
        thing = getattr(core, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            first, *_ = inspect.getdoc(thing).splitlines()
            if first.startswith(f"{name}(") or not re.search(r"[.?:]$", first):  # by dataclass, or no sentence
                undocumented.append(name)
    assert undocumented == []


def test_the_reference_is_made_from_the_docstrings():
    page = core_reference.page()
    assert core_reference.PAGE.read_text("utf-8") == page, "run `python -m tools.core_reference`"
    assert page.partition("## Geometry")[0].count(">>>") >= 20


def test_every_public_function_has_an_example_and_every_example_holds():
    failed, with_example = [], set()
    for name in [module.name for module in pkgutil.walk_packages(core.__path__, "attention_core.")]:
        module = importlib.import_module(name)
        names = vars(core) | vars(module) | {"np": np}
        if doctest.testmod(module, globs=names).failed:
            failed.append(name)
        examples = doctest.DocTestFinder(exclude_empty=True).find(module)
        with_example |= {each.name.removeprefix(f"{name}.") for each in examples if each.examples}
    assert failed == []
    functions = {name for name in core.__all__ if inspect.isroutine(inspect.unwrap(getattr(core, name)))}
    assert len(functions) >= 46
    functions |= {"AttentionHead.attend", "MultiHeadAttention.attend"}
    assert functions - with_example == set()


def calls(x):
    """Every function that computes with vectors."""
    for pairwise in (core.dot_product, core.cosine_similarity, core.scaled_dot_product):
        yield partial(pairwise, x, x)
    for of_each in (core.softmax, core.entropy, core.layer_norm):
        yield partial(of_each, x)
    yield partial(core.rotate_by_position, x, [0, 1])
    W = np.ones((2, 2, 2), np.float32)
    yield lambda: vars(core.scaled_dot_product_attention(x, x, x, core.causal_mask(2), 0.5))
    yield lambda: vars(core.AttentionHead(*[W[0]] * 4).attend(x))
    yield lambda: core.MultiHeadAttention(W, W, W, W).attend(x).output


def test_number_types_are_the_same_everywhere_and_inputs_stay():
    for kind in ("float16", "float32", "float64", "int8", "bool"):
        x, expected = np.eye(2, dtype=kind), "float32" if kind in ("float16", "float32") else "float64"
        x.setflags(write=False)
        for call in calls(x):
            result = call()
            arrays = result.values() if isinstance(result, dict) else [result]
            found = {array.dtype for array in arrays if isinstance(array, np.ndarray)} - {np.dtype(bool)}
            assert found == {np.dtype(expected)}, (call, kind)
            np.testing.assert_array_equal(x, np.eye(2, dtype=kind))
    single, double, whole = np.ones((2, 2), "float32"), np.ones((2, 2)), np.ones((2, 2), "int8")
    for mixed in ((single, single, double), (single, whole, single)):
        assert core.scaled_dot_product_attention(*mixed).context.dtype == "float64"
    assert core.AttentionHead(double, double, double).attend(single).context.dtype == "float64"


def test_bfloat16_is_computed_in_float32():
    np.testing.assert_allclose(
        core.softmax(torch.tensor([2, 0], dtype=torch.bfloat16)), [0.881, 0.119], atol=5e-4
    )
    tensor = torch.eye(2, dtype=torch.bfloat16, requires_grad=True)
    for call, same in zip(calls(tensor), calls(np.eye(2, dtype="float32")), strict=True):
        np.testing.assert_equal(call(), same())


def test_masked_arrays_are_refused_everywhere():
    hidden = np.ma.array([[2, 0], [0, 9]], mask=[[0, 0], [0, 1]])
    x, mask = np.eye(2), np.ma.array(core.causal_mask(2), mask=[[0, 0], [1, 0]])
    cases = [*calls(hidden), *calls([hidden[0], hidden[1]])]
    cases += [partial(core.scaled_dot_product_attention, *([x] * i), hidden, *([x] * (2 - i))) for i in range(3)]
    cases += [partial(core.scaled_dot_product_attention, x, x, x, mask), *head_calls(x, mask)]
    cases += [partial(core.padding_mask, mask), partial(core.rotate_by_position, x, hidden[0])]
    cases += [partial(core.softmax, [1.0, np.ma.masked]), partial(core.rank_correlation, hidden[0], hidden[1])]
    cases += [partial(core.AttentionHead, hidden, x, x), partial(core.low_rank, hidden, 1)]
    cases += [partial(core.convex_hull, hidden), partial(core.temperature_path, hidden[0])]
    assert not_refused((call, r"must not be a masked array: .*\.filled") for call in cases) == []


def test_results_are_frozen_and_their_arrays_read_only():
    x, matrices, task = np.eye(2), [np.ones((2, 2, 2))] * 4, core.load_task("which_apple", size=64)
    heads = core.MultiHeadAttention(*matrices)
    head = core.AttentionHead(*np.ones((4, 2, 2)))
    several, one = heads.attend(x, mask=core.causal_mask(2)), head.attend(x)
    run = core.train(task, steps=3)
    assert run.settings == task.settings
    results = [heads, head, several, several.head(0), several.heads, one, task, run, core.SHAPES["gpt2"]]
    for result in (*results, *map(core.load_example, core.example_names())):
        fields = vars(result)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, next(iter(fields)), None)
        arrays = [*fields.values(), *fields.get("parameters", {}).values()]
        assert not any(array.flags.writeable for array in arrays if isinstance(array, np.ndarray)), result
    with pytest.raises(TypeError):
        core.SHAPES["mine"] = core.SHAPES["gpt2"]


def head_calls(x, mask):
    W = np.array([[1e-9, 0], [0, -1e-9]]).astype(x.dtype if x.dtype != np.float16 else np.float32)
    several = np.stack([W, W.T])
    yield partial(core.AttentionHead(W, W, W, W).attend, x, mask=mask)
    yield partial(core.MultiHeadAttention(several, several, several, several).attend, x, mask=mask)
