"""One head of a real sentence encoder: its scores become shares; and a word's senses, layer by layer.

The gallery is a file of the course, ``gallery.npz``, handed over with this program.
"""

from math import inf
from pathlib import Path

import numpy as np

# given
words = ["[CLS]", "bank", "[SEP]"]
scores = [[2.0, 0.5, 0.1], [1.0, 0.0, -1.0], [0.5, 0.5, 0.5]]
word = 1
other = 0
raised = 0.0
sense = "bank"
senses = ["money", "money", "river"]
vectors_kept_in = "gallery"
# end given

scores = np.array(scores)
scores[word, other] += raised
closed = scores == -inf  # to a word that comes later, nobody looks
powers = np.exp(scores - scores.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)
assert not weights[closed].any()
for name, row in zip(words, weights, strict=True):
    print(repr(name), *row.tolist())

places = [Path(), Path("attention_core/models/shipped")]
file = next((path for path in (place / f"{vectors_kept_in}.npz" for place in places) if path.exists()), None)
if file is None:
    raise SystemExit(
        f"Its vectors are missing: save {vectors_kept_in}.npz, which the page offers under Take away, beside it."
    )
with np.load(file) as found:
    vectors = found[f"senses/{sense}"].astype(float)  # (texts, layers + 1, d_model)
units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
alike = np.array([[one == two for two in senses] for one in senses])
pairs = np.triu(np.ones_like(alike), 1)  # each pair once, nobody with itself
for layer in range(units.shape[1]):
    cosines = units[:, layer] @ units[:, layer].T
    print(f"L{layer}", float(cosines[alike & pairs].mean()), float(cosines[~alike & pairs].mean()))
