"""Queries and keys: scores and weights, and how well a space separates two senses of apple."""

import numpy as np

# shared: softmax


def scores_and_weights(query, key, only_earlier):
    """Return the scores of all pairs, and the weights that softmax makes of each row."""
    scores = query @ key.T
    scaled = scores / np.sqrt(key.shape[1])
    if only_earlier:  # a causal mask: no word attends to a later word
        scaled = np.where(np.tri(len(query), dtype=bool), scaled, -np.inf)
    return scores, softmax(scaled)


def moved(apple, other):
    """Return where *apple* goes when one other word is its context."""
    both = np.array([apple, other])
    return scores_and_weights(both, both, False)[1][0] @ both


def separation(orange, apple, phone):
    """Return how far apart the senses of *apple* are, as a multiple of *orange* to *phone*, or None."""
    distance = np.linalg.norm(moved(apple, orange) - moved(apple, phone))
    reference = np.linalg.norm(orange - phone)
    return distance / reference if reference > 0 else None


# data

x = np.array(vectors)
query, key = x @ np.array(W_query), x @ np.array(W_key)
scores, weights = scores_and_weights(query, key, only_earlier)

for i, a in enumerate(words):
    print(f"{a}: query {show(query[i])}, key {show(key[i])}")
for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(f"{a} → {b}: score {scores[i, j]:.15g}, weight {weights[i, j]:.15g}")
if apart:  # apple among fruit and apple among gadgets, in the one space that both matrices make
    found = separation(*(query[words.index(word)] for word in apart))
    print("separation: undefined" if found is None else f"separation: {found:.15g}")
