"""Who looks at whom: queries, keys, scores and weights, and how well a space keeps two apples apart."""

import numpy as np

# given
words = ["orange", "apple", "phone"]
vectors = [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
W_query = [[0.75, 0.25], [-0.5, 0.75]]
W_key = [[0.75, -0.25], [0.0, 0.75]]
only_earlier = False
apart = None
# end given


def weights_of(scores):
    """Softmax of each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


x = np.array(vectors)
query = x @ np.array(W_query)
key = x @ np.array(W_key)
scores = query @ key.T
scaled = scores / np.sqrt(key.shape[1])
if only_earlier:  # nobody sees a word that comes later
    scaled = np.where(np.tri(len(words), dtype=bool), scaled, -np.inf)
weights = weights_of(scaled)

for word, q, k in zip(words, query, key, strict=True):
    print("query and key", repr(word), *map(float, q), *map(float, k))
for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), float(scores[i, j]), float(weights[i, j]))

if apart:  # apple among fruit and apple among gadgets, in the one space that both matrices make
    orange, apple, phone = (query[words.index(word)] for word in apart)

    def moved(other):
        """Where apple goes in that word's company."""
        both = np.array([apple, other])
        return weights_of(both @ both.T / np.sqrt(both.shape[1]))[0] @ both

    distance = np.linalg.norm(moved(orange) - moved(phone))
    reference = np.linalg.norm(orange - phone)
    print("separation", float(distance / reference) if reference > 0 else "undefined")
