from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import layer_norm

# shared: find, read_tensors, translator


def norm(w, name, x):
    """Return every vector normalized, then scaled and shifted as learned."""
    return layer_norm(x, x.shape[-1:], w[f"{name}_scale"], w[f"{name}_shift"])


def attention(w, part, asks, answers, values, causal=False, by_hand=()):
    """Return every head's update and its weights; `by_hand` holds rows that you set: position, head, weights."""
    W_query, W_key, W_value, W_output = (w[f"{part}_W_{name}"] for name in ("query", "key", "value", "output"))
    query, key, value = asks @ W_query, answers @ W_key, values @ W_value
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(len(asks), len(asks), dtype=torch.bool).tril(), -torch.inf)
    weights = scores.softmax(-1)
    for position, head, gets in by_hand:
        if position < len(asks):
            row = torch.tensor(gets).double()
            weights[head, position] = row / (row.sum() or 1)
    return weights @ value @ W_output, weights


# data

# same_as_numpy
