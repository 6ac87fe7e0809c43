"""Masking: −∞ before softmax, 0 after softmax, and the effect of another last word."""

import numpy as np

# shared: softmax_or_zeros


def attention(x, W_query, W_key, W_value, may_look):
    """Return the scaled scores, the weights and the context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(np.where(may_look, scores, -np.inf))
    return scores, weights, weights @ value


# data

x, may_look = np.array(x), np.array(may_look)
matrices = [np.array(W) for W in (W_query, W_key, W_value)]
scores, weights, context = attention(x, *matrices, may_look)
cut = np.where(may_look, softmax(scores), 0.0)
other = x.copy()
other[-1] = later
moved = np.linalg.norm(attention(other, *matrices, may_look)[2] - context, axis=1)

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(f"{a} → {b}: weight {weights[i, j]:.15g}, if zeroed after softmax {cut[i, j]:.15g}")
for i, a in enumerate(words):
    sums = f"weights sum to {weights[i].sum():.15g}, if zeroed after softmax to {cut[i].sum():.15g}"
    print(f"{a}: {sums}, context vector {show(context[i])}, moved by another last word {moved[i]:.15g}")
