"""Embeddings and context: each word of a sentence is pulled away from its place in the table."""

import numpy as np

# given
sentence = ["please", "buy", "an", "apple", "and", "an", "orange"]
table = ["please", "buy", "an", "apple", "and", "orange"]
vectors = [[-0.2, 0.1], [0.2, 0.3], [-0.1, -0.2], [2.4, 2.4], [0.1, -0.3], [0.6, 4.8]]
# end given

x = np.array(vectors)[[table.index(word) for word in sentence]]  # one entry for each word, wherever it stands
scores = x @ x.T / np.sqrt(x.shape[1])
weights = np.exp(scores - scores.max(axis=1, keepdims=True))  # softmax: the largest score becomes e to the 0
weights /= weights.sum(axis=1, keepdims=True)
context = weights @ x

for i, a in enumerate(sentence):
    print("context", repr(a), *map(float, context[i]))
for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        print("weight", repr(a), repr(b), float(weights[i, j]))
