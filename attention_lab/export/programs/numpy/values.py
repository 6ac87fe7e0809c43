"""What is handed over: values shortened to their weights; their sum replaces a vector or is added to it."""

import numpy as np

# given
sentence = ["money", "bank"]
table = ["money", "bank"]
vectors = [[2.0, 7.0], [9.0, 3.0]]
W_query = [[0.14035087719298245, 0.42105263157894735], [0.24561403508771928, -0.2631578947368421]]
W_key = [[0.38596491228070173, 0.8771929824561403], [0.17543859649122806, 0.03508771929824561]]
W_value = [[1.0, 0.0], [0.0, 1.0]]
temperature = 1.0
# end given

x = np.array(vectors)[[table.index(word) for word in sentence]]
query, key, value = x @ np.array(W_query), x @ np.array(W_key), x @ np.array(W_value)
scores = query @ key.T
scaled = scores / np.sqrt(key.shape[1])
weights = np.exp((scaled - scaled.max(axis=1, keepdims=True)) / temperature)
weights /= weights.sum(axis=1, keepdims=True)
context = weights @ value

for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        print(repr(a), "→", repr(b), *map(float, (scores[i, j], scaled[i, j], weights[i, j])))
for i, a in enumerate(sentence):
    print(repr(a), "replaced by", *map(float, context[i]), "or moved to", *map(float, x[i] + context[i]))
