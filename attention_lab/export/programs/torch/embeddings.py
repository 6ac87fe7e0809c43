"""Embeddings and context: each word of a sentence is pulled away from its place in the table."""

import torch
from torch.nn.functional import embedding, softmax

# given
sentence = ["please", "buy", "an", "apple", "and", "an", "orange"]
table = ["please", "buy", "an", "apple", "and", "orange"]
vectors = [[-0.2, 0.1], [0.2, 0.3], [-0.1, -0.2], [2.4, 2.4], [0.1, -0.3], [0.6, 4.8]]
# end given

tokens = torch.tensor([table.index(word) for word in sentence])
x = embedding(tokens, torch.tensor(vectors, dtype=torch.float64))  # one entry for each word, wherever it stands
weights = softmax(x @ x.T / x.shape[1] ** 0.5, dim=1)
context = weights @ x

for i, a in enumerate(sentence):
    print("context", repr(a), *context[i].tolist())
for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        print("weight", repr(a), repr(b), weights[i, j].item())
