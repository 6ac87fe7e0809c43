"""Small trained heads: where the last word looks, as a hand has shifted its weights, and what is answered."""

import torch

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


def tensor(numbers):
    """Numbers in double precision."""
    return torch.tensor(numbers, dtype=torch.float64)


rows = []
for head in heads:
    x = tensor(head["embeddings"])[tokens]
    query, key, value = (x @ tensor(head[name])[0, 0] for name in ("W_query", "W_key", "W_value"))
    own = torch.softmax(query[-1] @ key.T / key.shape[1] ** 0.5, dim=0)
    row = (own + tensor(shifted)).clamp(min=0)  # what a hand has added
    row = row / row.sum()
    answer = torch.softmax(row @ value @ tensor(head["W_vocabulary"])[0] + tensor(head["bias"])[0], dim=0)
    rows.append(row)
    for word, weight in zip(words, row.tolist(), strict=True):
        print(repr(word), weight)
    for name, share in zip(outputs, answer.tolist(), strict=False):  # *unclear* only where it was trained
        print(name, share)
if len(rows) == 2:
    print("of the weight elsewhere", float((rows[0] - rows[1]).abs().sum() / 2))
