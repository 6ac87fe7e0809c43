"""Embeddings and context: the other words of a sentence move each word's vector."""

import numpy as np

# shared: softmax


def attention(x):
    """Return each word's weights for all words, and the weighted averages of their vectors."""
    weights = softmax(x @ x.T / np.sqrt(x.shape[1]))
    return weights, weights @ x


# data

x = np.array(vectors)[[table.index(word) for word in sentence]]  # a word has one vector, wherever it stands
weights, context = attention(x)

for i, a in enumerate(sentence):
    print(f"{a}: context vector {show(context[i])}")
for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        print(f"{a} → {b}: weight {weights[i, j]:.15g}")
