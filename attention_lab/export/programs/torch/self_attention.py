"""Self-attention, step by step: scores, weights and the new vectors of all words, in one layer after another."""

import torch

# given
words = ["money", "bank"]
x = [[2.0, 7.0], [9.0, 3.0]]
may_look = [[True, True], [True, True]]
layers = [
    [
        [[8 / 57, 24 / 57], [14 / 57, -15 / 57]],  # W_query
        [[22 / 57, 50 / 57], [10 / 57, 2 / 57]],  # W_key
        [[1.0, 0.0], [0.0, 1.0]],  # W_value
        None,  # W_output: without one, the sum itself is the new vector
    ]
]
# end given


def matrix(rows):
    """Rows of numbers as they are on the page."""
    return torch.tensor(rows, dtype=torch.float64)


x, may_look = matrix(x), torch.tensor(may_look)
for W_query, W_key, W_value, W_output in layers:
    query, key, value = x @ matrix(W_query), x @ matrix(W_key), x @ matrix(W_value)
    scores = query @ key.T
    masked = (scores / key.shape[1] ** 0.5).masked_fill(~may_look, -torch.inf)
    weights = torch.softmax(masked, dim=1).nan_to_num()  # nothing to look at: zeros
    context = weights @ value
    x = context if W_output is None else x + context @ matrix(W_output)

    for i, a in enumerate(words):
        for j, b in enumerate(words):
            print(repr(a), repr(b), scores[i, j].item(), weights[i, j].item())
    for i, a in enumerate(words):
        print(repr(a), *x[i].tolist())
