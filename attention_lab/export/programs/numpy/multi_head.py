"""Multi-head attention: each head's weights and what it adds; two ways to join them; the new vectors."""

import numpy as np

# given
words = ["Harry", "wizard"]
x = [[2.0, 2.0], [4.6, 0.2]]
may_look = [[True, True], [True, True]]
on = [1.0, 1.0]
W_query = [[[1.0], [0.0]], [[0.0], [1.0]]]
W_key = [[[1.0], [0.0]], [[0.0], [1.0]]]
W_value = [[[1.0], [0.0]], [[0.0], [1.0]]]
W_output = [[[0.5, 0.0]], [[0.0, 0.5]]]
# end given

x, on, W_output = np.array(x), np.array(on), np.array(W_output)
contexts, deltas = [], []
for W_q, W_k, W_v, W_o, is_on in zip(W_query, W_key, W_value, W_output, on, strict=True):
    query, key, value = x @ np.array(W_q), x @ np.array(W_k), x @ np.array(W_v)
    scaled = np.where(may_look, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    contexts.append(is_on * (weights @ value))
    deltas.append(contexts[-1] @ W_o)
    for i, a in enumerate(words):
        print(repr(a), *(float(weight) for weight in weights[i]))

joined = np.concatenate(contexts, axis=1) @ W_output.reshape(-1, x.shape[1])  # all at once
added = sum(deltas)  # slice by slice
print(float(np.abs(joined - added).max()))
for i, a in enumerate(words):
    print(repr(a), *(float(number) for number in (x + added)[i]))
