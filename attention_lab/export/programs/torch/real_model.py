"""One head of a real sentence encoder: its scores become weights; and a word's senses, layer by layer.

The vectors of the senses are in a file of the course, ``gallery.npz``.
"""

from math import inf  # noqa: F401 - the data hold the score −inf where a word is masked
from pathlib import Path

import numpy as np
import torch


def find(name):
    """Return the path of a file that the page offers: beside this program, or where the course keeps it."""
    folders = (Path(), Path("attention_core/models/shipped"))
    file = next((folder / name for folder in folders if (folder / name).exists()), None)
    if file is None:
        raise SystemExit(
            f"A file is missing: save {name}, which the page's Export menu offers, beside this program."
        )
    return file


def cosines_of_senses(vectors, senses):
    """Return for each layer the mean cosine similarity within a sense, and between senses."""
    units = torch.nn.functional.normalize(vectors, dim=2)
    alike = torch.tensor([[one == two for two in senses] for one in senses])
    pairs = torch.ones_like(alike).triu(1)  # each pair once, no word with itself
    cosines = [units[:, layer] @ units[:, layer].T for layer in range(units.shape[1])]
    return [(each[alike & pairs].mean(), each[~alike & pairs].mean()) for each in cosines]


def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"


# data

scores = torch.tensor(scores, dtype=torch.float64)
scores[word, other] += raised
weights = scores.softmax(dim=1)
with np.load(find(f"{vectors_kept_in}.npz")) as found:
    vectors = torch.tensor(found[f"senses/{sense}"]).double()  # (texts, layers + 1, d_model)

for name, row in zip(words, weights, strict=True):
    print(f"{name}: weights {show(row)}")
for layer, (within, between) in enumerate(cosines_of_senses(vectors, senses)):
    print(f"{sense} after layer {layer}: cosine within a sense {within:.15g}, between senses {between:.15g}")
