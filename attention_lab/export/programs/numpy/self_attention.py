"""Self-attention, step by step: scores, weights and the new vectors of all words, layer by layer."""

import numpy as np

# shared: softmax_or_zeros


def attention(x, W_query, W_key, W_value, W_output, may_look):
    """Return the scores, the weights and the new vectors of one layer."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    weights = softmax(np.where(may_look, scores / np.sqrt(key.shape[1]), -np.inf))
    context = weights @ value
    return scores, weights, context if W_output is None else x + context @ W_output


# data

x, may_look, found = np.array(x), np.array(may_look), []
for matrices in layers:  # without W_output, the sum is the new vector
    found.append(attention(x, *(None if W is None else np.array(W) for W in matrices), may_look))
    x = found[-1][2]

for number, (scores, weights, x) in enumerate(found, 1):
    if len(layers) > 1:
        print(f"layer {number} of {len(layers)}")
    for i, a in enumerate(words):
        for j, b in enumerate(words):
            print(f"{a} → {b}: score {scores[i, j]:.15g}, weight {weights[i, j]:.15g}")
    for i, a in enumerate(words):
        print(f"{a}: new vector {show(x[i])}")
