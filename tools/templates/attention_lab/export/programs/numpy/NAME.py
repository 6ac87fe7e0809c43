"""TITLE: scores and weights of all pairs of words, and the mixtures they make."""

import numpy as np

# given
words = ["orange", "apple", "phone"]
vectors = [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
temperature = 1.0
# end given

x = np.array(vectors)
scores = x @ x.T / np.sqrt(x.shape[1])
heated = scores / temperature
exponentials = np.exp(heated - heated.max(axis=1, keepdims=True))  # less the largest, so that none overflows
weights = exponentials / exponentials.sum(axis=1, keepdims=True)
context = weights @ x

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), float(scores[i, j]), float(weights[i, j]))
for i, a in enumerate(words):
    print(repr(a), "becomes", *context[i].tolist())
