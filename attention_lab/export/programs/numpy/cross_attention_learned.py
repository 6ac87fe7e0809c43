"""A trained translator predicts French word by word; its weights are in a file beside this program."""

from pathlib import Path

import numpy as np


def read(name):
    """Return the arrays in a file: beside this program, or where the course keeps it."""
    folder = Path() if Path(name).exists() else Path("attention_core/models/shipped")
    with np.load(folder / name) as numbers:
        return {name: numbers[name].astype(float) for name in numbers.files if name != "record"}


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
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    for position, head, gets in by_hand:
        if position < len(asks):
            row = np.array(gets)
            weights[head, position] = row / (row.sum() or 1)
    return weights @ value @ W_output, weights


def encode(w, english, raw_values):
    """Return what the English words' keys and values are computed from."""
    raw = w["source"][english]
    x = raw + w["source_positions"][: len(english)]
    if "encoder_W_query" in w:
        normed = norm(w, "encoder", x)
        mixed = attention(w, "encoder", normed, normed, normed)[0].sum(axis=0)
        x = x + mixed if raw_values else mixed
    keys = norm(w, "memory", x)
    return keys, norm(w, "memory", raw) if raw_values else keys


def decode(w, french, keys, values, heads_off, by_hand):
    """Return the logits of the next French word, and the weights of all heads."""
    y = w["target"][french] + w["target_positions"][: len(french)]
    normed = norm(w, "decoder", y)
    y = y + attention(w, "decoder", normed, normed, normed, causal=True)[0].sum(axis=0)
    updates, weights = attention(w, "across", norm(w, "across", y), keys, values, by_hand=by_hand)
    y = y + sum((update for head, update in enumerate(updates) if head not in heads_off), np.zeros_like(y))
    return y[-1] @ w["W_vocabulary"] + w["bias"], weights


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
