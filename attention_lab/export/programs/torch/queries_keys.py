"""Who looks at whom: queries, keys, scores and weights, and how well a space keeps two apples apart."""

import torch

# given
words = ["orange", "apple", "phone"]
vectors = [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
W_query = [[0.75, 0.25], [-0.5, 0.75]]
W_key = [[0.75, -0.25], [0.0, 0.75]]
only_earlier = False
apart = None
# end given

x = torch.tensor(vectors, dtype=torch.float64)
query = x @ torch.tensor(W_query, dtype=torch.float64)
key = x @ torch.tensor(W_key, dtype=torch.float64)
scores = query @ key.T
scaled = scores / key.shape[1] ** 0.5
if only_earlier:  # nobody sees a word that comes later
    scaled = scaled.masked_fill(~torch.ones_like(scaled).bool().tril(), float("-inf"))
weights = scaled.softmax(dim=1)

for word, q, k in zip(words, query, key, strict=True):
    print("query and key", repr(word), *q.tolist(), *k.tolist())
for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), scores[i, j].item(), weights[i, j].item())

if apart:  # apple among fruit and apple among gadgets, in the one space that both matrices make
    orange, apple, phone = (query[words.index(word)] for word in apart)

    def moved(other):
        """Where apple goes in that word's company."""
        both = torch.stack([apple, other])
        return (both @ both.T / both.shape[1] ** 0.5).softmax(dim=1)[0] @ both

    reference = (orange - phone).norm()
    distance = (moved(orange) - moved(phone)).norm()
    print("separation", (distance / reference).item() if reference > 0 else "undefined")
