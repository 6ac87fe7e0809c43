"""One head of attention, from the words' vectors to their new vectors."""

import numpy as np

# shared: softmax


def attention(x, W_query, W_key, W_value):
    """Return queries, keys, values, scores, weights and context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    weights = softmax(scores / np.sqrt(key.shape[1]))
    return query, key, value, scores, weights, weights @ value


# data

query, key, value, scores, weights, context = attention(*map(np.array, (vectors, W_query, W_key, W_value)))

for i, a in enumerate(words):
    print(f"{a}: query {show(query[i])}, key {show(key[i])}, value {show(value[i])}")
for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(f"{a} → {b}: score {scores[i, j]:.15g}, weight {weights[i, j]:.15g}")
for i, a in enumerate(words):
    print(f"{a}: context vector {show(context[i])}")
