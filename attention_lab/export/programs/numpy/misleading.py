"""Small trained heads: where the last word looks, as a hand has shifted its weights, and what is answered."""

import numpy as np

# given
words = ["phone", "apple"]
tokens = [1, 0]
heads = [
    {
        "embeddings": [[1.0, 0.0], [0.0, 1.0]],
        "W_query": [[[[1.0, 0.0], [0.0, 1.0]]]],
        "W_key": [[[[1.0, 0.0], [0.0, 1.0]]]],
        "W_value": [[[[1.0, 0.0], [0.0, 1.0]]]],
        "W_vocabulary": [[[1.0, 0.0], [0.0, 1.0]]],
        "bias": [[0.0, 0.0]],
    }
]
shifted = [0.0, 0.0]
outputs = ["fruit", "tech"]
# end given


def softmax(scores):
    """Shares of all."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


rows = []
for head in heads:
    x = np.array(head["embeddings"])[tokens]
    query, key, value = (x @ np.array(head[name])[0, 0] for name in ("W_query", "W_key", "W_value"))
    own = softmax(query[-1] @ key.T / np.sqrt(key.shape[1]))
    row = np.maximum(own + np.array(shifted), 0)  # what a hand has added
    row = row / row.sum()
    answer = softmax(row @ value @ np.array(head["W_vocabulary"])[0] + np.array(head["bias"])[0])
    rows.append(row)
    for word, weight in zip(words, row, strict=True):
        print(repr(word), float(weight))
    for name, share in zip(outputs, answer, strict=False):  # *unclear* only where it was trained
        print(name, float(share))
if len(rows) == 2:
    print("of the weight elsewhere", float(np.abs(rows[0] - rows[1]).sum() / 2))
