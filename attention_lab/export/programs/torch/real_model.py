from math import inf  # noqa: F401 - the data hold the score −inf where a word is masked
from pathlib import Path

import numpy as np
import torch

# shared: find


def cosines_of_senses(vectors, senses):
    """Return for each layer the mean cosine similarity within a sense, and between senses."""
    units = torch.nn.functional.normalize(vectors, dim=2)
    alike = torch.tensor([[one == two for two in senses] for one in senses])
    pairs = torch.ones_like(alike).triu(1)  # each pair once, no word with itself
    cosines = [units[:, layer] @ units[:, layer].T for layer in range(units.shape[1])]
    return [(each[alike & pairs].mean(), each[~alike & pairs].mean()) for each in cosines]


# data

scores = torch.tensor(scores, dtype=torch.float64)
scores[word, other] += raised
weights = scores.softmax(dim=1)
with np.load(find(f"{vectors_kept_in}.npz")) as found:
    vectors = torch.tensor(found[f"senses/{sense}"]).double()  # (texts, layers + 1, d_model)

# same_as_numpy
