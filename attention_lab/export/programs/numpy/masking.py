"""Masking: −∞ before the softmax and zero after it, and what another last word changes."""

import numpy as np

# given
words = ["please", "buy", "an", "apple"]
x = [[-0.2, 0.1], [0.2, 0.3], [-0.1, -0.2], [2.4, 2.4]]
W_query = [[1.0, 0.0], [0.0, 1.0]]
W_key = [[1.0, 0.0], [0.0, 1.0]]
W_value = [[1.0, 0.0], [0.0, 1.0]]
may_look = [
    [True, False, False, False],
    [True, True, False, False],
    [True, True, True, False],
    [True, True, True, True],
]
later = [4.8, 0.6]
# end given

x, may_look, later = np.array(x), np.array(may_look), np.array(later)


def softmax(scores):
    """Shares that add up to one in each row; zeros where everything is closed."""
    largest = scores.max(axis=1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    total = powers.sum(axis=1, keepdims=True)
    return powers / np.where(total > 0, total, 1.0)


def attend(x):
    """The scaled scores, the weights and the outputs."""
    query, key, value = x @ np.array(W_query), x @ np.array(W_key), x @ np.array(W_value)
    scores = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(np.where(may_look, scores, -np.inf))
    return scores, weights, weights @ value


scores, weights, output = attend(x)
cut = np.where(may_look, softmax(scores), 0.0)
other = x.copy()
other[-1] = later
moved = np.linalg.norm(attend(other)[2] - output, axis=1)

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), float(weights[i, j]), float(cut[i, j]))
for i, a in enumerate(words):
    print(repr(a), float(weights[i].sum()), float(cut[i].sum()), *output[i].tolist(), float(moved[i]))
