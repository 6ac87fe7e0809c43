"""Softmax: scores become shares, and the shares mix the words' vectors."""

import numpy as np

# given
words = ["an", "apple", "and", "an", "orange"]
vectors = [[0.0, 0.0, 3.0], [2.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.0, 3.0, 0.0]]
word = 1
scores = None
temperature = 1.0
leave_zeros_out = False
# end given


def softmax(scores, temperature):
    """Only differences count: the largest is taken off first, so that nothing can overflow."""
    largest = scores.max()
    if largest == -np.inf:  # everything is left out: nothing to share
        return np.zeros_like(scores)
    powers = np.exp((scores - largest) / temperature)
    return powers / powers.sum()


x = np.array(vectors)
if scores is None:  # nobody has set them: how alike each word is to the word of interest
    with np.errstate(invalid="ignore"):  # a vector of length zero has no direction: its cosine is undefined
        unit = x / np.sqrt((x * x).sum(axis=1, keepdims=True))
    scores = unit @ unit[word]
scores = np.array(scores)

counted = np.where(np.isnan(scores), -np.inf, scores)
if leave_zeros_out:
    counted = np.where(np.abs(counted) > 1e-12, counted, -np.inf)
shares = softmax(counted, temperature)
some = shares[shares > 0]
entropy = max(0.0, float(-(some * np.log2(some)).sum()))
mixture = shares @ x

for name, score, share in zip(words, scores, shares, strict=True):
    print(repr(name), float(score), float(share))
print("entropy in bits", entropy, "of at most", float(np.log2(max(1, (counted > -np.inf).sum()))))
print(repr(words[word]), "becomes", *mixture.tolist())
