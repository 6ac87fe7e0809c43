"""Values: each value times its weight; their sum replaces a word's vector or is added to it."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def attention(x, W_query, W_key, W_value, temperature):
    """Return scores, scaled scores, weights and context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    scaled = scores / key.shape[1] ** 0.5
    weights = (scaled / temperature).softmax(dim=1)
    context = scaled_dot_product_attention(query, key, value, scale=key.shape[1] ** -0.5 / temperature)
    return scores, scaled, weights, context


def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"


# data

x = torch.tensor(vectors, dtype=torch.float64)[[table.index(word) for word in sentence]]
matrices = (torch.tensor(W, dtype=torch.float64) for W in (W_query, W_key, W_value))
scores, scaled, weights, context = attention(x, *matrices, temperature)

for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        numbers = f"score {scores[i, j]:.15g}, scaled score {scaled[i, j]:.15g}, weight {weights[i, j]:.15g}"
        print(f"{a} → {b}: {numbers}")
for i, a in enumerate(sentence):
    print(f"{a}: context vector {show(context[i])}, added to its own vector {show(x[i] + context[i])}")
