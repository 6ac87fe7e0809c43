"""Self-attention, step by step: scores, weights and the new vectors of all words, in one layer after another."""

import numpy as np

# given
words = ["money", "bank"]
x = [[2.0, 7.0], [9.0, 3.0]]
may_look = [[True, True], [True, True]]
layers = [
    [
        [[8 / 57, 24 / 57], [14 / 57, -15 / 57]],  # W_query
        [[22 / 57, 50 / 57], [10 / 57, 2 / 57]],  # W_key
        [[1.0, 0.0], [0.0, 1.0]],  # W_value
        None,  # W_output: without one, the sum itself is the new vector
    ]
]
# end given

x, may_look = np.array(x), np.array(may_look)
for W_query, W_key, W_value, W_output in layers:
    query, key, value = x @ np.array(W_query), x @ np.array(W_key), x @ np.array(W_value)
    scores = query @ key.T
    scaled = scores / np.sqrt(key.shape[1])
    masked = np.where(may_look, scaled, -np.inf)
    largest = masked.max(axis=1, keepdims=True)
    powers = np.exp(masked - np.where(np.isfinite(largest), largest, 0.0))
    total = powers.sum(axis=1, keepdims=True)
    weights = powers / np.where(total > 0, total, 1.0)  # nothing to look at: zeros
    context = weights @ value
    x = context if W_output is None else x + context @ np.array(W_output)

    for i, a in enumerate(words):
        for j, b in enumerate(words):
            print(repr(a), repr(b), float(scores[i, j]), float(weights[i, j]))
    for i, a in enumerate(words):
        print(repr(a), *(float(number) for number in x[i]))
