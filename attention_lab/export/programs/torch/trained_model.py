from pathlib import Path

import numpy as np
import torch

# shared: find, read_tensors


def run(w, numbers, strengths):
    """Return each word's vector before and after each layer, all heads' weights, and each state's prediction."""
    n = len(numbers)
    x = w["embeddings"][numbers] + w["positions"][:n]
    later = torch.ones(n, n, dtype=torch.bool).triu(1)  # for a causal mask
    states, patterns = [x], []
    for layer, strength in enumerate(strengths):
        query, key, value = (x @ w[name][layer] for name in ("W_query", "W_key", "W_value"))  # one for each head
        scores = (query @ key.transpose(1, 2) / key.shape[2] ** 0.5).masked_fill(later, -torch.inf)
        weights = scores.softmax(dim=-1)
        updates = weights @ value @ w["W_output"][layer]  # each head's own Δx
        x = x + (strength[:, None, None] * updates).sum(dim=0)
        states.append(x)
        patterns.extend(weights)
    states = torch.stack(states)
    return states, patterns, (states[:, -1] @ w["W_vocabulary"] + w["bias"]).softmax(dim=-1)


# data

w, strengths = read(f"{model}.npz"), torch.tensor(strengths, dtype=torch.float64)
states, patterns, probabilities = run(w, numbers, strengths)
states_before, _, _ = run(w, numbers_before, strengths)
likely = torch.argsort(-probabilities[-1], stable=True)[:6]
same_length = states.shape == states_before.shape
change = (states - states_before).norm(dim=-1) / states_before.norm(dim=-1) if same_length else None

# same_as_numpy
