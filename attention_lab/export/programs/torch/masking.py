"""Masking: −∞ before the softmax and zero after it, and what another last word changes."""

import torch

# given
words = ["please", "buy", "an", "apple"]
x = [[-0.2, 0.1], [0.2, 0.3], [-0.1, -0.2], [2.4, 2.4]]
W_query = [[1.0, 0.0], [0.0, 1.0]]
W_key = [[1.0, 0.0], [0.0, 1.0]]
W_value = [[1.0, 0.0], [0.0, 1.0]]
may_look = [
    [True, False, False, False],
    [True, True, False, False],
    [True, True, True, False],
    [True, True, True, True],
]
later = [4.8, 0.6]
# end given


def matrix(rows):
    """Rows of numbers as they are on the page."""
    return torch.tensor(rows, dtype=torch.float64)


x, may_look = matrix(x), torch.tensor(may_look)
W_query, W_key, W_value = matrix(W_query), matrix(W_key), matrix(W_value)


def attend(x):
    """The scaled scores, the weights and the outputs."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    scores = query @ key.T / key.shape[1] ** 0.5
    masked = scores.masked_fill(~may_look, -torch.inf)
    weights = torch.softmax(masked, dim=1).nan_to_num()  # nothing to look at: zeros
    return scores, weights, weights @ value


scores, weights, output = attend(x)
cut = torch.softmax(scores, dim=1) * may_look
other = x.clone()
other[-1] = matrix(later)
moved = torch.linalg.vector_norm(attend(other)[2] - output, dim=1)

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), weights[i, j].item(), cut[i, j].item())
for i, a in enumerate(words):
    print(repr(a), weights[i].sum().item(), cut[i].sum().item(), *output[i].tolist(), moved[i].item())
