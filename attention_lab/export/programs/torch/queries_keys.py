import torch


def scores_and_weights(query, key, only_earlier):
    """Return the scores of all pairs, and the weights that softmax makes of each row."""
    scores = query @ key.T
    scaled = scores / key.shape[1] ** 0.5
    if only_earlier:  # a causal mask: no word attends to a later word
        scaled = scaled.masked_fill(~torch.ones_like(scaled).bool().tril(), -torch.inf)
    return scores, scaled.softmax(dim=1)


def moved(apple, other):
    """Return where *apple* goes when one other word is its context."""
    both = torch.stack([apple, other])
    return scores_and_weights(both, both, False)[1][0] @ both


def separation(orange, apple, phone):
    """Return how far apart the senses of *apple* are, as a multiple of *orange* to *phone*, or None."""
    distance, reference = (moved(apple, orange) - moved(apple, phone)).norm(), (orange - phone).norm()
    return distance / reference if reference > 0 else None


# data

x = torch.tensor(vectors, dtype=torch.float64)
query, key = (x @ torch.tensor(W, dtype=torch.float64) for W in (W_query, W_key))
scores, weights = scores_and_weights(query, key, only_earlier)

# same_as_numpy
