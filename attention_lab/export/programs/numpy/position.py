"""Does order matter? Attention on a sentence, and on the same words in another order."""

import numpy as np


def angles(n, d):
    """Return the angle of each pair of components at each position."""
    return np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)


def sinusoidal(n, d):
    """Return the table of 2017: sines and cosines."""
    table, angle = np.empty((n, d)), angles(n, d)
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])
    return table


def rotate(x, strength):
    """Return rotary positions: each pair of components rotated by the angle of its position."""
    angle, rotated = strength * angles(*x.shape), np.empty_like(x)
    rotated[:, 0::2] = x[:, 0::2] * np.cos(angle) - x[:, 1::2] * np.sin(angle)
    rotated[:, 1::2] = x[:, 0::2] * np.sin(angle) + x[:, 1::2] * np.cos(angle)
    return rotated


def attention(x, positions, strength):
    """Return every word's new vector; queries and keys are the words' own vectors."""
    if positions == "sinusoidal":
        x = x + strength * sinusoidal(*x.shape)
    q = k = rotate(x, strength) if positions == "rotary" else x
    scores = q @ k.T / np.sqrt(x.shape[1])
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ x


# data

x = np.array(vectors)
first, then = attention(x, positions, strength), attention(x[order], positions, strength)
back = then[np.argsort(order)]  # in the order of the sentence again
largest = np.abs(first - back).max()

for word, a, b in zip(words, first, back, strict=True):
    print(f"{word}: new vector {show(a)}, in the other order {show(b)}")
print(f"largest difference: {largest:.15g}")
