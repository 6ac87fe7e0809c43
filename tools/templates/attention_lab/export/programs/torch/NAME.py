"""TITLE: scores and weights of all pairs of words, and the mixtures they make."""

import torch

# given
words = ["orange", "apple", "phone"]
vectors = [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
temperature = 1.0
# end given

x = torch.tensor(vectors, dtype=torch.float64)
scores = x @ x.T / x.shape[1] ** 0.5
weights = torch.softmax(scores / temperature, dim=1)
context = weights @ x

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), scores[i, j].item(), weights[i, j].item())
for i, a in enumerate(words):
    print(repr(a), "becomes", *context[i].tolist())
