"""Gradients: as autograd has them, as finite differences have them, and what is refused."""

from itertools import product

import numpy as np
import pytest
import torch

import attention_core as core
from attention_core.training import initial_parameters

SWITCHES = ("positions", "scaled", "shared_query_key", "causal", "own_heads")
SMALL = {"d_model": 5, "d_k": 3}


def all_settings(groups):
    """Every switch on and off, with every number of heads and layers."""
    for values in product([True, False], repeat=len(SWITCHES)):
        for heads, layers in product(range(1, groups + 1), (1, 2)):
            yield dict(zip(SWITCHES, values, strict=True)) | SMALL | {"num_heads": heads, "num_layers": layers}


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
