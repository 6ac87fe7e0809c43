"""TITLE: scores and weights of all pairs of words, and the mixtures they make."""

import numpy as np


def attention(x, temperature):
    """Return the scores, the weights and the weighted averages."""
    scores = x @ x.T / np.sqrt(x.shape[1])
    powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)  # no overflow, same weights
    weights = powers / powers.sum(axis=1, keepdims=True)
    return scores, weights, weights @ x


# data

scores, weights, context = attention(np.array(vectors), temperature)

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(f"{a} → {b}: score {scores[i, j]:.15g}, weight {weights[i, j]:.15g}")
for i, a in enumerate(words):
    print(f"{a}: weighted average {show(context[i])}")
