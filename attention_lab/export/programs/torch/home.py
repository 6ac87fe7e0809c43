"""One head of attention, from the words' vectors to their new vectors."""

import torch


def attention(x, W_query, W_key, W_value):
    """Return queries, keys, values, scores, weights and context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    weights = (scores / key.shape[1] ** 0.5).softmax(dim=1)
    context = torch.nn.functional.scaled_dot_product_attention(query[None], key[None], value[None])[0]
    return query, key, value, scores, weights, context


def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"


# data

given = (torch.tensor(rows, dtype=torch.float64) for rows in (vectors, W_query, W_key, W_value))
query, key, value, scores, weights, context = attention(*given)

for i, a in enumerate(words):
    print(f"{a}: query {show(query[i])}, key {show(key[i])}, value {show(value[i])}")
for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(f"{a} → {b}: score {scores[i, j]:.15g}, weight {weights[i, j]:.15g}")
for i, a in enumerate(words):
    print(f"{a}: context vector {show(context[i])}")
