import torch


def attention(x, W_query, W_key, W_value, may_look):
    """Return the scaled scores, the weights and the context vectors."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T / key.shape[1] ** 0.5
    weights = scores.masked_fill(~may_look, -torch.inf).softmax(dim=1).nan_to_num()  # zeros where all is masked
    return scores, weights, weights @ value


# data

x, may_look = torch.tensor(x, dtype=torch.float64), torch.tensor(may_look)
matrices = [torch.tensor(W, dtype=torch.float64) for W in (W_query, W_key, W_value)]
scores, weights, context = attention(x, *matrices, may_look)
cut = scores.softmax(dim=1) * may_look
other = x.clone()
other[-1] = torch.tensor(later, dtype=torch.float64)
moved = torch.linalg.vector_norm(attention(other, *matrices, may_look)[2] - context, dim=1)

# same_as_numpy
