"""Cross-attention: one sentence supplies the queries, another the keys and values."""

import numpy as np

# shared: softmax


def attention(x, memory, W_query, W_key, W_value, pushed, may_look):
    """Return the weights and the context vectors."""
    query = x @ W_query + pushed  # from the sentence that asks; `pushed` is what you moved by hand
    key, value = memory @ W_key, memory @ W_value  # from the sentence that answers
    weights = softmax(np.where(may_look, query @ key.T / np.sqrt(key.shape[1]), -np.inf))
    return weights, weights @ value


# data

weights, context = attention(*map(np.array, (x, memory, W_query, W_key, W_value, pushed, may_look)))

for i, a in enumerate(words):
    for j, b in enumerate(memory_words):
        print(f"{a} → {b}: weight {weights[i, j]:.15g}")
for i, a in enumerate(words):
    print(f"{a}: context vector {show(context[i])}")
