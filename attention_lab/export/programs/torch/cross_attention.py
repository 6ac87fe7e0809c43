import torch


def attention(x, memory, W_query, W_key, W_value, pushed, may_look):
    """Return the weights and the context vectors."""
    query = x @ W_query + pushed  # from the sentence that asks; `pushed` is what you moved by hand
    key, value = memory @ W_key, memory @ W_value  # from the sentence that answers
    weights = (query @ key.T / key.shape[1] ** 0.5).masked_fill(~may_look, -torch.inf).softmax(dim=1)
    return weights, weights @ value


# data

given = (torch.tensor(rows, dtype=torch.float64) for rows in (x, memory, W_query, W_key, W_value, pushed))
weights, context = attention(*given, torch.tensor(may_look))

# same_as_numpy
