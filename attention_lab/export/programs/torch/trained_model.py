"""A trained language model: its heads' weights, what each layer predicts, the effect of a swapped word.

Its own weights are in a file of the course, ``readable.npz`` or ``plain.npz``.
"""

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


def read(name):
    """Return the weights in a file, by their names."""
    with np.load(find(name)) as found:
        return {name: torch.tensor(found[name]).double() for name in found.files if found[name].dtype.kind == "f"}


def run(w, numbers, strengths):
    """Return each word's vector before and after each layer, all heads' weights, and each state's prediction."""
    n = len(numbers)
    x = w["embeddings"][numbers] + w["positions"][:n]
    later = torch.ones(n, n, dtype=torch.bool).triu(1)  # for a causal mask
    states, patterns = [x], []
    for layer, strength in enumerate(strengths):
        query, key, value = (x @ w[name][layer] for name in ("W_query", "W_key", "W_value"))  # one for each head
        scores = (query @ key.transpose(1, 2) / key.shape[2] ** 0.5).masked_fill(later, -torch.inf)
        weights = scores.softmax(dim=-1)
        updates = weights @ value @ w["W_output"][layer]  # each head's own Δx
        x = x + (strength[:, None, None] * updates).sum(dim=0)
        states.append(x)
        patterns.extend(weights)
    states = torch.stack(states)
    return states, patterns, (states[:, -1] @ w["W_vocabulary"] + w["bias"]).softmax(dim=-1)


def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"


# data

w, strengths = read(f"{model}.npz"), torch.tensor(strengths, dtype=torch.float64)
states, patterns, probabilities = run(w, numbers, strengths)
states_before, _, _ = run(w, numbers_before, strengths)
likely = torch.argsort(-probabilities[-1], stable=True)[:6]
same_length = states.shape == states_before.shape
change = (states - states_before).norm(dim=-1) / states_before.norm(dim=-1) if same_length else None

for place, pattern in enumerate(patterns):
    layer, head = divmod(place, strengths.shape[1])
    print(f"head {layer + 1}.{head + 1}, last word: weights {show(pattern[-1])}")
for k in map(int, likely):
    print(f"{vocabulary[k]}: probability before and after each layer {show(probabilities[:, k])}")
if change is not None:
    for i, word in enumerate(words):
        print(f"{word}: relative change before and after each layer {show(change[:, i])}")
