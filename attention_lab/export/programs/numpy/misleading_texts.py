"""A trained language model that runs with changed weights: one head's are replaced, or words or heads count less.

Its own weights are in a file of the course, ``readable.npz`` or ``plain.npz``.
"""

from pathlib import Path

import numpy as np

# shared: find, read_arrays, softmax, contributions


def changed(number, weights, pattern, head, kept, reader):
    """Return a head's weights as you set them by hand, or with only so much left of the weight of each word."""
    if pattern is not None and number == head:
        return np.array(pattern)
    if kept is not None and reader in (-1, number):
        left = weights * np.array(kept)
        whole = left.sum(axis=-1, keepdims=True)
        return np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
    return weights


def run(w, tokens, strengths, change):
    """Return the vectors at the start and at the end, and of all heads the weights and the values as updates."""
    x = first = w["embeddings"][tokens] + w["positions"][: len(tokens)]
    patterns, values = [], []
    for layer, strength in enumerate(strengths):
        update = 0
        for number in range(len(strength)):
            query, key, value = (x @ w[name][layer, number] for name in ("W_query", "W_key", "W_value"))
            scores = query @ key.T / np.sqrt(key.shape[1])
            weights = softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -np.inf))  # a causal mask
            patterns.append(changed(layer * len(strength) + number, weights, *change))
            values.append(value @ w["W_output"][layer, number])
            update = update + strength[number] * patterns[-1] @ values[-1]
        x = x + update
    return first, x, patterns, values


# data

w, strengths = read(f"{model}.npz"), np.array(strengths)
first, x, patterns, values = run(w, tokens, strengths, (pattern, head, kept, reader))
probabilities = softmax(x[-1] @ w["W_vocabulary"] + w["bias"])
likely = np.argsort(-probabilities, kind="stable")[:6]

for word, weight in zip(words, patterns[head][-1], strict=True):
    print(f"{word}: weight {weight:.15g}")
for k in map(int, likely):
    print(f"next word {vocabulary[k]}: probability {probabilities[k]:.15g}")
if place is not None:
    parts = contributions(w, first, patterns, values, place, head, strengths.shape[1])
    for word, part in zip(words, parts, strict=True):
        print(f"from {word}: contribution {part:.15g}")
