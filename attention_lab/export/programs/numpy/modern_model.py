"""One head of a language model: where it attends, and the answer's probability without it."""

import numpy as np


def on_first(weights):
    """Return the mean weight on the first token, over all later queries."""
    return weights[1:, 0].mean()


def without(probability, effect):
    """Return a probability whose logarithm has changed by the effect."""
    return probability * np.exp(effect)


# data

weights = np.array(weights)
last = weights[-1]

print(f"weight on the first token: {on_first(weights):.15g}")
print(f"the last token attends most to {words[last.argmax()]}: {last.max():.15g}")
print(f"probability of the answer: {probability:.15g}")
print(f"probability with the head off: {without(probability, effect):.15g}")
print(f"probability with the first token closed: {first_closed:.15g}")
