"""Multi-head attention: each head's weights and update; two ways to combine them; the new vectors."""

import numpy as np

# shared: softmax


def attention(x, W_query, W_key, W_value, may_look):
    """Return the weights and the output of one head."""
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    weights = softmax(np.where(may_look, query @ key.T / np.sqrt(key.shape[1]), -np.inf))
    return weights, weights @ value


# data

x, W_output = np.array(x), np.array(W_output)
weights, outputs = [], []
for *matrices, is_on in zip(W_query, W_key, W_value, on, strict=True):
    of_head, output = attention(x, *map(np.array, matrices), np.array(may_look))
    weights.append(of_head)
    outputs.append(is_on * output)
joined = np.concatenate(outputs, axis=1) @ W_output.reshape(-1, x.shape[1])  # all heads at once
added = sum(output @ W for output, W in zip(outputs, W_output, strict=True))  # head by head
largest = np.abs(joined - added).max()

for head, of_head in enumerate(weights, 1):
    for a, row in zip(words, of_head, strict=True):
        print(f"head {head}, {a}: weights {show(row)}")
print(f"largest difference between the two ways: {largest:.15g}")
for a, vector in zip(words, x + added, strict=True):
    print(f"{a}: new vector {show(vector)}")
