from pathlib import Path

import numpy as np
import torch

# shared: find, read_tensors


def decode(w, numbers, start, causal):
    """Return all heads' weights, and the logits: the first `start` tokens at once, then one at a time, cached."""
    layers, heads, _, d_k = w["W_query"].shape
    n = len(numbers)
    keys, values = torch.zeros(2, layers, heads, n, d_k, dtype=torch.float64)
    weights = torch.zeros(layers, heads, n, n, dtype=torch.float64)
    for begin, end in [(0, start), *((k, k + 1) for k in range(start, n))]:
        x = w["embeddings"][numbers[begin:end]] + w["positions"][begin:end]
        later = torch.arange(end) > torch.arange(begin, end)[:, None]
        for layer in range(layers):
            keys[layer, :, begin:end] = x @ w["W_key"][layer]
            values[layer, :, begin:end] = x @ w["W_value"][layer]
            scores = x @ w["W_query"][layer] @ keys[layer, :, :end].transpose(1, 2) / d_k**0.5
            if causal:
                scores = scores.masked_fill(later, -torch.inf)
            weights[layer, :, begin:end, :end] = scores.softmax(dim=-1)
            context = weights[layer, :, begin:end, :end] @ values[layer, :, :end]
            x = x + (context @ w["W_output"][layer]).sum(dim=0)
    return weights.flatten(0, 1), x[-1] @ w["W_vocabulary"] + w["bias"]


def adjust(logits):
    """Return the probabilities to draw from: temperature, then top-k, then top-p."""
    if temperature == 0:
        return torch.eye(len(logits), dtype=torch.float64)[logits.argmax()]
    logits = (logits - logits.max()) / temperature
    logits = logits.masked_fill(logits < logits.sort().values[-top_k], -torch.inf)
    probabilities = logits.softmax(dim=0)
    order = torch.argsort(-logits, stable=True)
    before = probabilities[order].cumsum(dim=0) - probabilities[order]
    logits[order[before >= top_p]] = -torch.inf
    return logits.softmax(dim=0)


# data

w = read("readable.npz")
whole, logits = decode(w, numbers, len(numbers), causal)
cached, logits_cached = decode(w, numbers, start, causal)
probabilities, adjusted = logits.softmax(dim=0), adjust(logits)
order = torch.argsort(-adjusted, stable=True)
sums = adjusted[order].cumsum(dim=0)
chosen = order[torch.searchsorted(sums, draw * sums[-1], right=True)]
gap = abs(logits_cached.softmax(dim=0) - probabilities).max()

# same_as_numpy
