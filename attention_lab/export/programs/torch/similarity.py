"""How alike words are: dot product, cosine similarity, scaled dot product."""

import torch

# given
words = ["orange", "apple", "phone"]
vectors = [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
# end given

x = torch.tensor(vectors, dtype=torch.float64)
unit = x / x.norm(dim=1, keepdim=True)  # a vector of length zero has no direction: its cosine is undefined
dot = x @ x.T
scaled = dot / x.shape[1] ** 0.5
cosine = unit @ unit.T

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), dot[i, j].item(), cosine[i, j].item(), scaled[i, j].item())
