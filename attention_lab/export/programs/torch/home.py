import torch


def attention(x, W_query, W_key, W_value):
    """Return queries, keys, values, scores, weights and context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T
    weights = (scores / key.shape[1] ** 0.5).softmax(dim=1)
    context = torch.nn.functional.scaled_dot_product_attention(query[None], key[None], value[None])[0]
    return query, key, value, scores, weights, context


# data

given = (torch.tensor(rows, dtype=torch.float64) for rows in (vectors, W_query, W_key, W_value))
query, key, value, scores, weights, context = attention(*given)

# same_as_numpy
