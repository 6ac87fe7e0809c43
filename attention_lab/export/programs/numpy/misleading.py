"""Small trained heads: the last word's weights, shifted by hand, and the prediction."""

import numpy as np

# shared: softmax


def predict(head, tokens, shifted):
    """Return the last word's weights, and the probability of each answer."""
    x = np.array(head["embeddings"])[tokens]
    query, key, value = (x @ np.array(head[name])[0, 0] for name in ("W_query", "W_key", "W_value"))
    own = softmax(query[-1] @ key.T / np.sqrt(key.shape[1]))
    row = np.maximum(own + np.array(shifted), 0)  # with what you added by hand
    row = row / row.sum()
    return row, softmax(row @ value @ np.array(head["W_vocabulary"])[0] + np.array(head["bias"])[0])


# data

rows = []
for head in heads:
    row, prediction = predict(head, tokens, shifted)
    rows.append(row)
    for word, weight in zip(words, row, strict=True):
        print(f"{word}: weight {weight:.15g}")
    for name, probability in zip(outputs, prediction, strict=False):  # *unclear* only where it was trained
        print(f"{name}: probability {probability:.15g}")
if len(rows) == 2:
    print(f"weight on other words in the second head: {abs(rows[0] - rows[1]).sum() / 2:.15g}")
