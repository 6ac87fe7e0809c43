"""Cross-attention: one sentence asks, another answers and hands over."""

import numpy as np

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

x, memory, may_look = np.array(x), np.array(memory), np.array(may_look)

query = x @ np.array(W_query) + np.array(pushed)  # the sentence that asks, and what a hand has moved
key, value = memory @ np.array(W_key), memory @ np.array(W_value)  # the sentence that answers
scores = np.where(may_look, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
powers = np.exp(scores - scores.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)
context = weights @ value

for i, a in enumerate(words):
    for j, b in enumerate(memory_words):
        print(repr(a), "looks at", repr(b), float(weights[i, j]))
for i, a in enumerate(words):
    print(repr(a), "becomes", *context[i].tolist())
