"""Softmax: scores become weights, and the weights mix the words' vectors."""

import numpy as np


def cosine_scores(x, word):
    """Return the cosine similarity of each row to the row of one word."""
    with np.errstate(invalid="ignore"):  # a zero vector has no direction: its cosine similarity is undefined
        unit = x / np.sqrt((x * x).sum(axis=1, keepdims=True))
    return unit @ unit[word]


def softmax(scores, temperature):
    """Return weights that sum to 1; zeros if every score is −∞."""
    largest = scores.max()
    if largest == -np.inf:
        return np.zeros_like(scores)
    powers = np.exp((scores - largest) / temperature)  # subtract the largest: no overflow, same weights
    return powers / powers.sum()


def entropy(weights):
    """Return the entropy in bits."""
    some = weights[weights > 0]
    return max(0.0, -(some * np.log2(some)).sum())


# data

x = np.array(vectors)
scores = cosine_scores(x, word) if scores is None else np.array(scores)
counted = np.where(np.isnan(scores), -np.inf, scores)
if leave_zeros_out:
    counted = np.where(np.abs(counted) > 1e-12, counted, -np.inf)
weights = softmax(counted, temperature)
bits, most_bits = entropy(weights), np.log2(max(1, (counted > -np.inf).sum()))

for name, score, weight in zip(words, scores, weights, strict=True):
    print(f"{name}: score {score:.15g}, weight {weight:.15g}")
print(f"entropy in bits: {bits:.15g} of at most {most_bits:.15g}")
print(f"{words[word]}: weighted average {show(weights @ x)}")
