"""A trained translator predicts French word by word; its weights are in a file beside this program."""

from pathlib import Path

import numpy as np

# shared: find, read_arrays, softmax, translator


def norm(w, name, x):
    """Return every vector normalized, then scaled and shifted as learned."""
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
    return x * w[f"{name}_scale"] + w[f"{name}_shift"]


def attention(w, part, asks, answers, values, causal=False, by_hand=()):
    """Return every head's update and its weights; `by_hand` holds rows that you set: position, head, weights."""
    W_query, W_key, W_value, W_output = (w[f"{part}_W_{name}"] for name in ("query", "key", "value", "output"))
    query, key, value = asks @ W_query, answers @ W_key, values @ W_value
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    if causal:
        scores = np.where(np.tri(len(asks), dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    for position, head, gets in by_hand:
        if position < len(asks):
            row = np.array(gets)
            weights[head, position] = row / (row.sum() or 1)
    return weights @ value @ W_output, weights


# data

w = read(file)
keys, values = encode(w, [source_words.index(word) for word in words], raw_values)
french = [target_words.index("<begin>")]
while True:
    logits, weights = decode(w, french, keys, values, heads_off, rows_by_hand)
    chosen = int(logits.argmax())
    if target_words[chosen] == "<end>" or len(french) == len(w["target_positions"]):
        break
    french.append(chosen)

prediction = [target_words[number] for number in french[1:]]
for head, rows in enumerate(weights, 1):
    for asks, row in zip([*prediction, "(end)"], rows, strict=True):
        for word, weight in zip(words, row, strict=True):
            print(f"head {head}, {asks} → {word}: weight {weight:.15g}")
print(f"prediction: {' '.join(prediction)}")
