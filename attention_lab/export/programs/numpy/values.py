"""Values: each value times its weight; their sum replaces a word's vector or is added to it."""

import numpy as np

# shared: softmax


def attention(x, W_query, W_key, W_value, temperature):
    """Return scores, scaled scores, weights and context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    scaled = scores / np.sqrt(key.shape[1])
    weights = softmax(scaled / temperature)
    return scores, scaled, weights, weights @ value


# data

x = np.array(vectors)[[table.index(word) for word in sentence]]
scores, scaled, weights, context = attention(x, *map(np.array, (W_query, W_key, W_value)), temperature)

for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        numbers = f"score {scores[i, j]:.15g}, scaled score {scaled[i, j]:.15g}, weight {weights[i, j]:.15g}"
        print(f"{a} → {b}: {numbers}")
for i, a in enumerate(sentence):
    print(f"{a}: context vector {show(context[i])}, added to its own vector {show(x[i] + context[i])}")
