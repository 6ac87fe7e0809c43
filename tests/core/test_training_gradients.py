"""Gradients: as autograd has them, at the edges, and what is refused."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import torch

import attention_core as core
from attention_core.training import forward, initial_parameters
from tests.core.refusals import not_refused

SWITCHES = ("positions", "scaled", "shared_query_key", "causal", "own_heads")
SMALL = {"d_model": 5, "d_k": 3}


def all_settings(groups):
    """Every switch on and off, with every number of heads and layers."""
    for values in product([True, False], repeat=len(SWITCHES)):
        for heads, layers in product(range(1, groups + 1), (1, 2)):
            settings = dict(zip(SWITCHES, values, strict=True)) | {"num_heads": heads, "num_layers": layers}
            if heads > 1 or settings["own_heads"]:  # one head is everybody's
                yield settings | SMALL


def a_case(task, settings, kind=np.float64):
    """Parameters that are zero nowhere, and a few sentences of the task."""
    random = np.random.default_rng(1)
    parameters = {
        name: (array + 0.1 * random.standard_normal(array.shape)).astype(kind)
        for name, array in initial_parameters(task, seed=2, **settings).items()
    }
    return parameters, task.sentences[:5], task.targets[:5]


def with_torch(parameters, sentences, targets, settings):
    """The loss by torch, written as the page says it: nothing of the core is used."""
    sentences = torch.tensor(sentences.reshape(*sentences.shape[:2], -1))
    x = parameters["embeddings"][sentences].sum(dim=2)
    n = x.shape[1]
    if settings["positions"]:
        x = x + parameters["positions"][:n]
    W_key = parameters["W_query" if settings["shared_query_key"] else "W_key"]
    for layer, W_query in enumerate(parameters["W_query"]):
        of_heads = []
        for head, W in enumerate(W_query):
            query, key, value = x @ W, x @ W_key[layer, head], x @ parameters["W_value"][layer, head]
            scores = query @ key.transpose(1, 2)
            if settings["scaled"]:
                scores = scores / W.shape[1] ** 0.5
            if settings["causal"]:
                scores = scores.masked_fill(~torch.ones(n, n, dtype=bool).tril(), -torch.inf)
            weights = scores.softmax(dim=-1)
            of_heads.append((weights, weights @ value))
        if layer < len(parameters["W_query"]) - 1:
            for head, (_, context) in enumerate(of_heads):
                x = x + context @ parameters["W_output"][layer, head]
    loss, asked = 0.0, 0
    groups, width, outputs = parameters["W_vocabulary"].shape
    for group in range(groups):
        own = width < sum(context.shape[-1] for _, context in of_heads)
        read = of_heads[group][1] if own else torch.cat([context for _, context in of_heads], dim=-1)
        logits = read @ parameters["W_vocabulary"][group] + parameters["bias"][group]
        right = torch.tensor(targets[..., group]).reshape(-1)
        loss = loss + torch.nn.functional.cross_entropy(
            logits.reshape(-1, outputs), right, ignore_index=-1, reduction="sum"
        )
        asked += (right >= 0).sum()
    loss = loss / asked
    if settings.get("entropy_penalty"):
        there = torch.tensor((targets >= 0).any(axis=-1))
        entropies = [torch.special.entr(weights).sum(dim=-1)[there] for weights, _ in of_heads]
        loss = loss + settings["entropy_penalty"] * torch.stack(entropies).mean()
    return loss


@pytest.mark.parametrize("name", ["trophy_box", "same_shape", "two_adjectives"])
def test_gradients_are_those_of_autograd(name):
    """With every switch on and off: sentences of words, of tokens with two features, and two groups."""
    task = core.load_task(name, size=24)
    for settings in all_settings(len(task.outputs)):
        settings["entropy_penalty"] = 0.3 if settings["scaled"] and not settings["causal"] else 0.0
        parameters, sentences, targets = a_case(task, settings)
        loss, gradients = core.loss_and_gradients(parameters, sentences, targets, **settings)
        tensors = {key: torch.tensor(array, requires_grad=True) for key, array in parameters.items()}
        expected = with_torch(tensors, sentences, targets, settings)
        expected.backward()
        assert loss == pytest.approx(expected.item(), abs=1e-12)
        assert gradients.keys() == parameters.keys()
        for key, tensor in tensors.items():
            np.testing.assert_allclose(
                gradients[key], tensor.grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=f"{key} {settings}"
            )


def test_the_forward_pass_is_the_cores_own_attention():
    task = core.load_task("two_adjectives", size=24)
    for num_heads, causal in product((1, 2), (False, True)):
        settings = dict(SMALL, num_heads=num_heads, num_layers=2, causal=causal)
        parameters, sentences, _ = a_case(task, settings)
        result = forward(parameters, sentences, **settings)
        mask = core.causal_mask(sentences.shape[1]) if causal else None
        for layer, head in product(range(2), range(num_heads)):
            W = [parameters[name][layer, head] for name in ("W_query", "W_key", "W_value")]
            alone = core.AttentionHead(*W).attend(result.x[layer], mask=mask)
            for part in ("query", "key", "value", "scores", "scaled_scores", "weights", "context"):
                ours = getattr(result.layers[layer], part)[:, head]
                np.testing.assert_allclose(ours, getattr(alone, part), atol=1e-14, err_msg=part)
        np.testing.assert_allclose(result.probabilities.sum(axis=-1), 1)


def test_number_types():
    task = core.load_task("reverse", size=24)
    for kind, out in ((np.float64, np.float64), (np.float32, np.float32), (np.float16, np.float32)):
        parameters, *data = a_case(task, task.settings, kind)
        loss, gradients = core.loss_and_gradients(parameters, *data)
        assert type(loss) is float
        assert {gradient.dtype for gradient in gradients.values()} == {np.dtype(out)}
        exact, _ = core.loss_and_gradients({name: np.float64(array) for name, array in parameters.items()}, *data)
        assert loss == pytest.approx(exact, rel=1e-5)


def test_without_sentences_words_or_questions_loss_and_gradients_are_zero():
    task = core.load_task("two_adjectives", size=24)
    parameters, sentences, targets = a_case(task, task.settings)
    shapes = {name: array.shape for name, array in parameters.items()}
    for case in (
        (np.zeros((0, 9), int), np.zeros((0, 9, 2), int)),
        (np.zeros((4, 0), int), np.zeros((4, 0, 2), int)),
        (sentences, np.full_like(targets, -1)),
    ):
        for switches in ({}, {"causal": True, "entropy_penalty": 0.5}):
            with np.errstate(all="raise"):
                loss, gradients = core.loss_and_gradients(parameters, *case, **switches)
            assert loss == 0
            assert {name: array.shape for name, array in gradients.items()} == shapes
            assert not any(gradient.any() for gradient in gradients.values())


def test_a_parameter_that_a_switch_disables_has_no_part_in_the_loss():
    task = core.load_task("reverse", size=24)
    parameters, *data = a_case(task, task.settings)
    off = {"positions": False, "shared_query_key": True}
    loss, gradients = core.loss_and_gradients(parameters, *data, **off)
    without = {name: array for name, array in parameters.items() if name not in ("positions", "W_key")}
    assert loss == core.loss_and_gradients(without, *data)[0]
    assert gradients.keys() == parameters.keys()
    assert not gradients["positions"].any()
    assert not gradients["W_key"].any()


def test_arguments_that_do_not_fit_are_refused_by_name():
    task = core.load_task("reverse", size=24)
    parameters, s, t = a_case(task, task.settings)
    cases = []
    for changes, settings, said in (
        ({"W_quary": np.ones(2)}, {}, r"no parameter is called 'W_quary'; there are embeddings, positions"),
        ({"W_value": None}, {}, "W_value is missing among the parameters: embeddings, positions, W_query"),
        ({"bias": np.ones(10)}, {}, r"bias must have shape \(1, 10\) to fit W_vocabulary, got \(10,\)"),
        ({"W_key": np.ones((1, 1, 16, 3))}, {}, r"W_key must .* \(1, 1, 16, 2\) .* got \(1, 1, 16, 3\)"),
        ({"W_vocabulary": np.ones((1, 3, 10))}, {}, r"W_vocabulary must .* \(1, 2, 10\) to read 1 heads"),
        ({"embeddings": np.full((10, 16), np.nan)}, {}, "embeddings must be finite, got nan at index"),
        ({"embeddings": np.full((10, 16), 1e200)}, {}, "scores overflow float64|query must be finite"),
        ({"positions": None}, {"positions": True}, "these parameters have no positions"),
        ({"W_key": None}, {"shared_query_key": False}, "these parameters have no W_key"),
        ({}, {"d_k": 3}, "d_k is 2 in these parameters, got 3"),
        ({}, {"heads": 2}, "no setting is called 'heads'; there are d_model, d_k, num_heads"),
    ):
        changed = {name: array for name, array in (parameters | changes).items() if array is not None}
        cases.append((partial(core.loss_and_gradients, changed, s, t, **settings), said))
    for sentences, targets, said in (
        (s[0], t, r"sentences must have shape \(size, n\) or .*, got \(8,\)"),
        (s + 9, t, "sentences must be 0 to 9, got"),
        (s * 1.0, t, "sentences must be whole numbers, got float64"),
        (s, t[..., 0], r"targets must have shape \(5, 8, 1\) .* got \(5, 8\)"),
        (s, t - 9, "targets must be -1 to 9, got"),
        (np.tile(s, 2), np.tile(t, (1, 2, 1)), r"longer than positions of shape \(8, 16\)"),
    ):
        cases.append((partial(core.loss_and_gradients, parameters, sentences, targets), said))
    with np.errstate(all="raise"):
        assert not_refused(cases) == []
