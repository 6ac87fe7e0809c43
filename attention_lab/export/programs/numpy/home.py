"""One head of attention, from the words' vectors to their new vectors."""

import numpy as np

# given
words = ["an", "apple", "phone"]
vectors = [[0.0, -1.0], [2.0, 2.0], [4.0, 0.0]]
W_query = [[0.0, 0.5], [1.0, 0.0]]
W_key = [[0.5, 0.0], [0.0, 0.5]]
W_value = [[1.0, 0.0], [-0.5, 1.0]]
# end given

x = np.array(vectors)
query, key, value = x @ np.array(W_query), x @ np.array(W_key), x @ np.array(W_value)
scores = query @ key.T
scaled = scores / np.sqrt(key.shape[1])
powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))  # the largest taken off: no overflow, same shares
weights = powers / powers.sum(axis=1, keepdims=True)
context = weights @ value

for i, word in enumerate(words):
    print("query", repr(word), *map(float, query[i]))
    print("key", repr(word), *map(float, key[i]))
    print("value", repr(word), *map(float, value[i]))
for i, asks in enumerate(words):
    for j, answers in enumerate(words):
        print(repr(asks), repr(answers), "score", float(scores[i, j]), "weight", float(weights[i, j]))
for i, word in enumerate(words):
    print("context", repr(word), *map(float, context[i]))
