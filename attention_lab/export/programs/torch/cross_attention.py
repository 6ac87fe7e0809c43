"""Cross-attention: one sentence supplies the queries, another the keys and values."""

import torch


def attention(x, memory, W_query, W_key, W_value, pushed, may_look):
    """Return the weights and the context vectors."""
    query = x @ W_query + pushed  # from the sentence that asks; `pushed` is what you moved by hand
    key, value = memory @ W_key, memory @ W_value  # from the sentence that answers
    weights = (query @ key.T / key.shape[1] ** 0.5).masked_fill(~may_look, -torch.inf).softmax(dim=1)
    return weights, weights @ value


def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"


# data

given = (torch.tensor(rows, dtype=torch.float64) for rows in (x, memory, W_query, W_key, W_value, pushed))
weights, context = attention(*given, torch.tensor(may_look))

for i, a in enumerate(words):
    for j, b in enumerate(memory_words):
        print(f"{a} → {b}: weight {weights[i, j]:.15g}")
for i, a in enumerate(words):
    print(f"{a}: context vector {show(context[i])}")
