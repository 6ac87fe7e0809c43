"""A trained translator predicts French word by word; its weights are in a file beside this program."""

from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import layer_norm


def read(name):
    """Return the arrays in a file: beside this program, or where the course keeps it."""
    folder = Path() if Path(name).exists() else Path("attention_core/models/shipped")
    with np.load(folder / name) as numbers:
        return {name: torch.tensor(numbers[name]).double() for name in numbers.files if name != "record"}


def norm(w, name, x):
    """Return every vector normalized, then scaled and shifted as learned."""
    return layer_norm(x, x.shape[-1:], w[f"{name}_scale"], w[f"{name}_shift"])


def attention(w, part, asks, answers, values, causal=False, by_hand=()):
    """Return every head's update and its weights; `by_hand` holds rows that you set: position, head, weights."""
    W_query, W_key, W_value, W_output = (w[f"{part}_W_{name}"] for name in ("query", "key", "value", "output"))
    query, key, value = asks @ W_query, answers @ W_key, values @ W_value
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(len(asks), len(asks), dtype=torch.bool).tril(), -torch.inf)
    weights = scores.softmax(-1)
    for position, head, gets in by_hand:
        if position < len(asks):
            row = torch.tensor(gets).double()
            weights[head, position] = row / (row.sum() or 1)
    return weights @ value @ W_output, weights


def encode(w, english, raw_values):
    """Return what the English words' keys and values are computed from."""
    raw = w["source"][english]
    x = raw + w["source_positions"][: len(english)]
    if "encoder_W_query" in w:
        normed = norm(w, "encoder", x)
        mixed = attention(w, "encoder", normed, normed, normed)[0].sum(dim=0)
        x = x + mixed if raw_values else mixed
    keys = norm(w, "memory", x)
    return keys, norm(w, "memory", raw) if raw_values else keys


def decode(w, french, keys, values, heads_off, by_hand):
    """Return the logits of the next French word, and the weights of all heads."""
    y = w["target"][french] + w["target_positions"][: len(french)]
    normed = norm(w, "decoder", y)
    y = y + attention(w, "decoder", normed, normed, normed, causal=True)[0].sum(dim=0)
    updates, weights = attention(w, "across", norm(w, "across", y), keys, values, by_hand=by_hand)
    y = y + sum((update for head, update in enumerate(updates) if head not in heads_off), torch.zeros_like(y))
    return y[-1] @ w["W_vocabulary"] + w["bias"], weights


# data

# same_as_numpy
