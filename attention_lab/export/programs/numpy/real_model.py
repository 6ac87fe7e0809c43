"""One head of a real sentence encoder: its scores become weights; and a word's senses, layer by layer.

The vectors of the senses are in a file of the course, ``gallery.npz``.
"""

from math import inf  # noqa: F401 - the data hold the score −inf where a word is masked
from pathlib import Path

import numpy as np

# shared: find, softmax


def cosines_of_senses(vectors, senses):
    """Return for each layer the mean cosine similarity within a sense, and between senses."""
    units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    alike = np.array([[one == two for two in senses] for one in senses])
    pairs = np.triu(np.ones_like(alike), 1)  # each pair once, no word with itself
    cosines = [units[:, layer] @ units[:, layer].T for layer in range(units.shape[1])]
    return [(each[alike & pairs].mean(), each[~alike & pairs].mean()) for each in cosines]


# data

scores = np.array(scores)
scores[word, other] += raised
weights = softmax(scores)
with np.load(find(f"{vectors_kept_in}.npz")) as found:
    vectors = found[f"senses/{sense}"].astype(float)  # (texts, layers + 1, d_model)

for name, row in zip(words, weights, strict=True):
    print(f"{name}: weights {show(row)}")
for layer, (within, between) in enumerate(cosines_of_senses(vectors, senses)):
    print(f"{sense} after layer {layer}: cosine within a sense {within:.15g}, between senses {between:.15g}")
