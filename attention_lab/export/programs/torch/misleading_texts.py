"""A trained language model that goes on from weights not its own: one head's exchanged, words or heads dimmed.

The weights are a file of the course, ``readable.npz`` or ``plain.npz``, handed over with this program.
"""

from pathlib import Path

import numpy as np
import torch

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
    w = {name: torch.tensor(found[name]).double() for name in found.files if found[name].dtype.kind == "f"}
strengths = torch.tensor(strengths, dtype=torch.float64)
of_layer, n = strengths.shape[1], len(tokens)
closed = torch.ones(n, n, dtype=torch.bool).triu(1)  # nobody looks ahead

x = w["embeddings"][tokens] + w["positions"][:n]
patterns, handed, first = [], [], x
for layer, strength in enumerate(strengths):
    query, key, value = (x @ w[name][layer] for name in ("W_query", "W_key", "W_value"))  # one for each head
    scores = (query @ key.transpose(1, 2) / key.shape[2] ** 0.5).masked_fill(closed, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    for number in range(of_layer):
        at = layer * of_layer + number
        if pattern is not None and at == head:
            weights[number] = torch.tensor(pattern, dtype=torch.float64)
        elif kept is not None and reader in (-1, at):
            left = weights[number] * torch.tensor(kept, dtype=torch.float64)
            whole = left.sum(dim=-1, keepdim=True)
            weights[number] = torch.where(whole > 0, left / whole, torch.zeros_like(left))
    given = value @ w["W_output"][layer]
    x = x + (strength[:, None, None] * (weights @ given)).sum(dim=0)
    patterns.extend(weights)
    handed.extend(given)
shares = torch.softmax(x[-1] @ w["W_vocabulary"] + w["bias"], dim=-1)

for word, weight in zip(words, patterns[head][-1].tolist(), strict=True):
    print(repr(word), weight)
names = dict(enumerate(vocabulary))
for k in torch.argsort(-shares, stable=True)[:6]:
    print(repr(names.get(int(k))), float(shares[k]))
if place is not None:  # of what the word there hands over in this head, how much came from whom
    brought = sum(patterns[k][place][:, None] * handed[k] for k in range(of_layer))
    brought[place] += first[place]
    at = head - of_layer
    parts = brought @ w["W_value"][1, at] @ w["W_output"][1, at]
    whole = parts.sum(dim=0)
    for word, part in zip(words, (parts @ whole / (whole @ whole)).tolist(), strict=True):
        print("from", repr(word), part)
