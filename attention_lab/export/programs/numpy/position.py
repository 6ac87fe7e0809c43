"""Does order matter? Attention on a sentence and on the same words in another order."""

import numpy as np

# given
words = ["dog", "bites", "man"]
vectors = [[2.0, 0.0, 2.0, 0.0], [0.0, 2.0, 1.0, 0.0], [2.0, 0.0, 0.0, 2.0]]
order = [2, 1, 0]
positions = "none"
strength = 1.0
# end given


def angles(n, d):
    """How far each pair of numbers has turned at each place."""
    return np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)


def sinusoidal(n, d):
    """The table of 2017: sines and cosines."""
    table, angle = np.empty((n, d)), angles(n, d)
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])
    return table


def turn(x):
    """Rotary positions: each pair of numbers turned by its place's angle."""
    angle, turned = strength * angles(*x.shape), np.empty_like(x)
    turned[:, 0::2] = x[:, 0::2] * np.cos(angle) - x[:, 1::2] * np.sin(angle)
    turned[:, 1::2] = x[:, 0::2] * np.sin(angle) + x[:, 1::2] * np.cos(angle)
    return turned


def attend(x):
    """Every word's new vector; queries and keys are the words' own vectors."""
    if positions == "sinusoidal":
        x = x + strength * sinusoidal(*x.shape)
    q = k = turn(x) if positions == "rotary" else x
    scores = q @ k.T / np.sqrt(x.shape[1])
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ x


x = np.array(vectors)
first, then = attend(x), attend(x[order])
back = then[np.argsort(order)]  # put back where the words were

for word, a, b in zip(words, first, back, strict=True):
    print(repr(word), "as given", *a.tolist(), "in the other order", *b.tolist())
print("largest difference", float(np.abs(first - back).max()))
