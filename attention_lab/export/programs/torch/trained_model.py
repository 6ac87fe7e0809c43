"""A trained language model: whom its heads look at, what each state says next, what an exchanged word changes.

The weights are a file of the course, ``readable.npz`` or ``plain.npz``, handed over with this program.
"""

from pathlib import Path

import numpy as np
import torch

# given
model = "readable"
words = ["the", "soccer", "player"]
numbers = [1, 115, 116]
numbers_before = [1, 118, 116]
strengths = [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0]]
vocabulary = [".", "the"]
# end given

places = [Path(), Path("attention_core/models/shipped")]
file = next((path for path in (place / f"{model}.npz" for place in places) if path.exists()), None)
if file is None:
    raise SystemExit(
        f"Its weights are missing: save {model}.npz, which the page offers under Take away, beside it."
    )
with np.load(file) as found:
    w = {name: torch.tensor(found[name]).double() for name in found.files if found[name].dtype.kind == "f"}
strengths = torch.tensor(strengths, dtype=torch.float64)


def read(numbers):
    """Each word's vector at the start and after each layer, the patterns of all heads, the next word's shares."""
    n = len(numbers)
    x = w["embeddings"][numbers] + w["positions"][:n]
    closed = torch.ones(n, n, dtype=torch.bool).triu(1)  # nobody looks at what comes later
    states, patterns = [x], []
    for layer, strength in enumerate(strengths):
        query, key, value = (x @ w[name][layer] for name in ("W_query", "W_key", "W_value"))  # one for each head
        scores = (query @ key.transpose(1, 2) / key.shape[2] ** 0.5).masked_fill(closed, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        added = weights @ value @ w["W_output"][layer]  # each head's own Δx
        x = x + (strength[:, None, None] * added).sum(dim=0)
        states.append(x)
        patterns.extend(weights)
    states = torch.stack(states)
    shares = torch.softmax(states[:, -1] @ w["W_vocabulary"] + w["bias"], dim=-1)
    return states, patterns, shares


names = dict(enumerate(vocabulary))
states, patterns, shares = read(numbers)
for head, pattern in enumerate(patterns):
    print(f"L{head // strengths.shape[1] + 1}H{head % strengths.shape[1] + 1}", *pattern[-1].tolist())
for k in torch.argsort(-shares[-1], stable=True)[:6]:
    print(repr(names.get(int(k))), *shares[:, k].tolist())
states_before, _, _ = read(numbers_before)
if len(numbers) == len(numbers_before):
    moved = (states - states_before).norm(dim=-1) / states_before.norm(dim=-1)
    for word, of_word in zip(words, moved.T, strict=True):
        print(repr(word), *of_word.tolist())
