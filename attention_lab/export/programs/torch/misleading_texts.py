from pathlib import Path

import numpy as np
import torch

# shared: find, read_tensors, contributions


def changed(number, weights, pattern, head, kept, reader):
    """Return a head's weights as you set them by hand, or with only so much left of the weight of each word."""
    if pattern is not None and number == head:
        return torch.tensor(pattern, dtype=torch.float64)
    if kept is not None and reader in (-1, number):
        left = weights * torch.tensor(kept, dtype=torch.float64)
        whole = left.sum(dim=-1, keepdim=True)
        return torch.where(whole > 0, left / whole, torch.zeros_like(left))
    return weights


def run(w, tokens, strengths, change):
    """Return the vectors at the start and at the end, and of all heads the weights and the values as updates."""
    n = len(tokens)
    x = first = w["embeddings"][tokens] + w["positions"][:n]
    later = torch.ones(n, n, dtype=torch.bool).triu(1)  # for a causal mask
    patterns, values = [], []
    for layer, strength in enumerate(strengths):
        query, key, value = (x @ w[name][layer] for name in ("W_query", "W_key", "W_value"))  # one for each head
        scores = (query @ key.transpose(1, 2) / key.shape[2] ** 0.5).masked_fill(later, -torch.inf)
        start = layer * len(strength)
        weights = [changed(start + number, row, *change) for number, row in enumerate(scores.softmax(dim=-1))]
        updates = value @ w["W_output"][layer]
        x = x + (strength[:, None, None] * (torch.stack(weights) @ updates)).sum(dim=0)
        patterns.extend(weights)
        values.extend(updates)
    return first, x, patterns, values


# data

w, strengths = read(f"{model}.npz"), torch.tensor(strengths, dtype=torch.float64)
first, x, patterns, values = run(w, tokens, strengths, (pattern, head, kept, reader))
probabilities = (x[-1] @ w["W_vocabulary"] + w["bias"]).softmax(dim=-1)
likely = torch.argsort(-probabilities, stable=True)[:6]

# same_as_numpy
