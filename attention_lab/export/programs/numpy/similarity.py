"""How similar words are: dot product, cosine similarity, scaled dot product."""

import numpy as np


def similarities(x):
    """Return the dot product, the cosine similarity and the scaled dot product of all pairs of rows."""
    lengths = np.sqrt((x * x).sum(axis=1))
    dot = x @ x.T
    with np.errstate(invalid="ignore"):  # a zero vector has no direction: its cosine similarity is undefined
        cosine = (x / lengths[:, None]) @ (x / lengths[:, None]).T
    return dot, cosine, dot / np.sqrt(x.shape[1])


# data

dot, cosine, scaled = similarities(np.array(vectors))

for i, a in enumerate(words):
    for j, b in enumerate(words):
        measures = f"dot product {dot[i, j]:.15g}, cosine {cosine[i, j]:.15g}, scaled {scaled[i, j]:.15g}"
        print(f"{a} → {b}: {measures}")
