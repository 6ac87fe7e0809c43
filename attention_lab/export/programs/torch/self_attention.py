"""Self-attention, step by step: scores, weights and the new vectors of all words, layer by layer."""

import torch


def attention(x, W_query, W_key, W_value, W_output, may_look):
    """Return the scores, the weights and the new vectors of one layer."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    masked = (scores / key.shape[1] ** 0.5).masked_fill(~may_look, -torch.inf)
    weights = masked.softmax(dim=1).nan_to_num()  # zeros where a row has nothing but −∞
    context = weights @ value
    return scores, weights, context if W_output is None else x + context @ W_output


# data

x, may_look = torch.tensor(x, dtype=torch.float64), torch.tensor(may_look)
for number, matrices in enumerate(layers, 1):
    if len(layers) > 1:
        print(f"layer {number} of {len(layers)}")
    matrices = [
        None if W is None else torch.tensor(W, dtype=torch.float64) for W in matrices
    ]  # without W_output, the sum is the new vector
    scores, weights, x = attention(x, *matrices, may_look)
    for i, a in enumerate(words):
        for j, b in enumerate(words):
            print(f"{a} → {b}: score {scores[i, j]:.15g}, weight {weights[i, j]:.15g}")
    for i, a in enumerate(words):
        print(f"{a}: new vector {show(x[i])}")
