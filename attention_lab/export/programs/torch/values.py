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


# data

x = torch.tensor(vectors, dtype=torch.float64)[[table.index(word) for word in sentence]]
matrices = (torch.tensor(W, dtype=torch.float64) for W in (W_query, W_key, W_value))
scores, scaled, weights, context = attention(x, *matrices, temperature)

# same_as_numpy
