"""Multi-head attention: each head's weights and what it adds; two ways to join them; the new vectors."""

import torch

# given
words = ["Harry", "wizard"]
x = [[2.0, 2.0], [4.6, 0.2]]
may_look = [[True, True], [True, True]]
on = [1.0, 1.0]
W_query = [[[1.0], [0.0]], [[0.0], [1.0]]]
W_key = [[[1.0], [0.0]], [[0.0], [1.0]]]
W_value = [[[1.0], [0.0]], [[0.0], [1.0]]]
W_output = [[[0.5, 0.0]], [[0.0, 0.5]]]
# end given


def matrix(rows):
    """Rows of numbers as they are on the page."""
    return torch.tensor(rows, dtype=torch.float64)


x, on, W_output = matrix(x), matrix(on), matrix(W_output)
query, key, value = (x @ matrix(W) for W in (W_query, W_key, W_value))  # one for each head
scaled = query @ key.transpose(1, 2) / key.shape[2] ** 0.5
weights = torch.softmax(scaled.masked_fill(~torch.tensor(may_look), -torch.inf), dim=2)
contexts = on[:, None, None] * (weights @ value)
for of_head in weights:
    for i, a in enumerate(words):
        print(repr(a), *of_head[i].tolist())

joined = contexts.transpose(0, 1).flatten(1) @ W_output.flatten(0, 1)  # all at once
added = (contexts @ W_output).sum(dim=0)  # slice by slice
print((joined - added).abs().max().item())
for i, a in enumerate(words):
    print(repr(a), *(x + added)[i].tolist())
