import torch
from torch.nn.functional import embedding, softmax


def attention(x):
    """Return each word's weights for all words, and the weighted averages of their vectors."""
    weights = softmax(x @ x.T / x.shape[1] ** 0.5, dim=1)
    return weights, weights @ x


# data

tokens = torch.tensor([table.index(word) for word in sentence])
x = embedding(tokens, torch.tensor(vectors, dtype=torch.float64))  # a word has one vector, wherever it stands
weights, context = attention(x)

# same_as_numpy
