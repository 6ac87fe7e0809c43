"""One token of a language model: its cache, what may come next, and which token a draw chooses.

Its own weights are in a file of the course, ``readable.npz``.
"""

from pathlib import Path

import numpy as np

# shared: find, read_arrays, softmax


def decode(w, numbers, start, causal):
    """Return all heads' weights, and the logits: the first `start` tokens at once, then one at a time, cached."""
    layers, heads, _, d_k = w["W_query"].shape
    n = len(numbers)
    keys, values = np.zeros((2, layers, heads, n, d_k))
    weights = np.zeros((layers, heads, n, n))
    steps = [(0, start), *((k, k + 1) for k in range(start, n))]
    for begin, end in steps:
        x = w["embeddings"][numbers[begin:end]] + w["positions"][begin:end]
        later = np.arange(end) > np.arange(begin, end)[:, None]
        for layer in range(layers):
            keys[layer, :, begin:end] = x @ w["W_key"][layer]
            values[layer, :, begin:end] = x @ w["W_value"][layer]
            query = x @ w["W_query"][layer]
            scores = query @ keys[layer, :, :end].swapaxes(1, 2) / np.sqrt(d_k)
            if causal:
                scores = np.where(later, -np.inf, scores)
            weights[layer, :, begin:end, :end] = softmax(scores)
            context = weights[layer, :, begin:end, :end] @ values[layer, :, :end]
            x = x + (context @ w["W_output"][layer]).sum(axis=0)
    return weights.reshape(layers * heads, n, n), x[-1] @ w["W_vocabulary"] + w["bias"]


def adjust(logits):
    """Return the probabilities to draw from: temperature, then top-k, then top-p."""
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    logits = (logits - logits.max()) / temperature
    logits = np.where(logits < np.sort(logits)[-top_k], -np.inf, logits)
    probabilities = softmax(logits)
    order = np.argsort(-logits, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    logits[order[before >= top_p]] = -np.inf
    return softmax(logits)


# data

w = read("readable.npz")
whole, logits = decode(w, numbers, len(numbers), causal)
cached, logits_cached = decode(w, numbers, start, causal)
probabilities, adjusted = softmax(logits), adjust(logits)
order = np.argsort(-adjusted, kind="stable")
sums = np.cumsum(adjusted[order])
chosen = order[np.searchsorted(sums, draw * sums[-1], side="right")]
gap = abs(softmax(logits_cached) - probabilities).max()

print(f"head {head // 5 + 1}.{head % 5 + 1}, last token: weights {show(whole[head, -1])}")
for k in map(int, order[:5]):
    print(f"{vocabulary[k]}: probability, adjusted {show([probabilities[k], adjusted[k]])}")
print(f"next token: {vocabulary[chosen]}")
print(f"cached and recomputed differ, newest row, next token: {show([abs(cached - whole)[:, -1].max(), gap])}")
