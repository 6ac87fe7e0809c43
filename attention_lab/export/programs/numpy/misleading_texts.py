"""A trained language model that goes on from weights not its own: one head's exchanged, words or heads dimmed.

The weights are a file of the course, ``readable.npz`` or ``plain.npz``, handed over with this program.
"""

from pathlib import Path

import numpy as np

# given
words = ["the", "soccer", "player"]
tokens = [1, 115, 116]
model = "readable"
vocabulary = [".", "the"]
pattern = None
head = 0
kept = None
reader = -1
strengths = [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0]]
place = None
# end given

places = [Path(), Path("attention_core/models/shipped")]
file = next((path for path in (folder / f"{model}.npz" for folder in places) if path.exists()), None)
if file is None:
    raise SystemExit(
        f"Its weights are missing: save {model}.npz, which the page offers under Take away, beside it."
    )
with np.load(file) as found:
    w = {name: found[name].astype(float) for name in found.files if found[name].dtype.kind == "f"}
strengths = np.array(strengths)
of_layer = strengths.shape[1]


def softmax(scores):
    """Shares along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def look(number, weights):
    """Where a head looks: as a hand has set it, or with what is left of each word's weight."""
    if pattern is not None and number == head:
        return np.array(pattern)
    if kept is not None and reader in (-1, number):
        left = weights * np.array(kept)
        whole = left.sum(axis=-1, keepdims=True)
        return np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
    return weights


x = w["embeddings"][tokens] + w["positions"][: len(tokens)]
patterns, handed, first = [], [], x
for layer in range(len(strengths)):
    added = 0
    for number in range(of_layer):
        query, key, value = (x @ w[name][layer, number] for name in ("W_query", "W_key", "W_value"))
        scores = query @ key.T / np.sqrt(key.shape[1])
        weights = softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -np.inf))  # nobody looks ahead
        patterns.append(look(layer * of_layer + number, weights))
        handed.append(value @ w["W_output"][layer, number])
        added = added + strengths[layer, number] * patterns[-1] @ handed[-1]
    x = x + added
shares = softmax(x[-1] @ w["W_vocabulary"] + w["bias"])

for word, weight in zip(words, patterns[head][-1], strict=True):
    print(repr(word), float(weight))
names = dict(enumerate(vocabulary))
for k in np.argsort(-shares, kind="stable")[:6]:
    print(repr(names.get(int(k))), float(shares[k]))
if place is not None:  # of what the word there hands over in this head, how much came from whom
    brought = sum(patterns[k][place][:, None] * handed[k] for k in range(of_layer))
    brought[place] += first[place]
    at = head - of_layer
    parts = brought @ w["W_value"][1, at] @ w["W_output"][1, at]
    whole = parts.sum(axis=0)
    for word, part in zip(words, parts @ whole / (whole @ whole), strict=True):
        print("from", repr(word), float(part))
