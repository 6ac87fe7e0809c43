"""Embeddings and context: the other words of a sentence move each word's vector."""

import torch
from torch.nn.functional import embedding, softmax


def attention(x):
    """Return each word's weights for all words, and the weighted averages of their vectors."""
    weights = softmax(x @ x.T / x.shape[1] ** 0.5, dim=1)
    return weights, weights @ x


def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"


# data

tokens = torch.tensor([table.index(word) for word in sentence])
x = embedding(tokens, torch.tensor(vectors, dtype=torch.float64))  # a word has one vector, wherever it stands
weights, context = attention(x)

for i, a in enumerate(sentence):
    print(f"{a}: context vector {show(context[i])}")
for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        print(f"{a} → {b}: weight {weights[i, j]:.15g}")
