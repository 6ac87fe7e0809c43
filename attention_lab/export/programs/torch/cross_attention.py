"""Cross-attention: one sentence asks, another answers and hands over."""

import torch

# given
words = ["zone", "économique", "européenne"]
memory_words = ["European", "Economic", "Area"]
x = [[1.0, 0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0]]
memory = [[0.0, 0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 1.0]]
W_query = [[2.0, 0.0], [-1.0, 1.75], [-1.0, -1.75], [0.0, 0.0], [0.0, 0.0]]
W_key = [[2.0, 0.0], [-1.0, 1.75], [-1.0, -1.75], [0.0, 0.0], [0.0, 0.0]]
W_value = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 1.0],
]
pushed = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
may_look = [[True, True, True], [True, True, True], [True, True, True]]
# end given


def matrix(rows):
    """Rows of numbers as they are on the page."""
    return torch.tensor(rows, dtype=torch.float64)


x, memory, may_look = matrix(x), matrix(memory), torch.tensor(may_look)

query = x @ matrix(W_query) + matrix(pushed)  # the sentence that asks, and what a hand has moved
key, value = memory @ matrix(W_key), memory @ matrix(W_value)  # the sentence that answers
scores = (query @ key.T / key.shape[1] ** 0.5).masked_fill(~may_look, -torch.inf)
weights = torch.softmax(scores, dim=1)
context = weights @ value

for i, a in enumerate(words):
    for j, b in enumerate(memory_words):
        print(repr(a), "looks at", repr(b), weights[i, j].item())
for i, a in enumerate(words):
    print(repr(a), "becomes", *context[i].tolist())
