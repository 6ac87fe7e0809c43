"""A trained language model: its heads' weights, what each layer predicts, the effect of a swapped word.

Its own weights are in a file of the course, ``readable.npz`` or ``plain.npz``.
"""

from pathlib import Path

import numpy as np

# shared: find, read_arrays, softmax


def run(w, numbers, strengths):
    """Return each word's vector before and after each layer, all heads' weights, and each state's prediction."""
    x = w["embeddings"][numbers] + w["positions"][: len(numbers)]
    states, patterns = [x], []
    for layer, strength in enumerate(strengths):
        of_heads = x[None]  # one more axis, for the heads
        query, key, value = (of_heads @ w[name][layer] for name in ("W_query", "W_key", "W_value"))
        scores = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
        weights = softmax(np.where(np.tri(len(numbers), dtype=bool), scores, -np.inf))  # a causal mask
        updates = weights @ value @ w["W_output"][layer]  # each head's own Δx
        x = x + (strength[:, None, None] * updates).sum(axis=0)
        states.append(x)
        patterns.extend(weights)
    states = np.array(states)
    return states, patterns, softmax(states[:, -1] @ w["W_vocabulary"] + w["bias"])


# data

w, strengths = read(f"{model}.npz"), np.array(strengths)
states, patterns, probabilities = run(w, numbers, strengths)
states_before, _, _ = run(w, numbers_before, strengths)
likely = np.argsort(-probabilities[-1], kind="stable")[:6]
lengths = np.linalg.norm(states_before, axis=-1)
change = (
    np.linalg.norm(states - states_before, axis=-1) / lengths if states.shape == states_before.shape else None
)

for place, pattern in enumerate(patterns):
    layer, head = divmod(place, strengths.shape[1])
    print(f"head {layer + 1}.{head + 1}, last word: weights {show(pattern[-1])}")
for k in map(int, likely):
    print(f"{vocabulary[k]}: probability before and after each layer {show(probabilities[:, k])}")
if change is not None:
    for i, word in enumerate(words):
        print(f"{word}: relative change before and after each layer {show(change[:, i])}")
