"""How alike words are: dot product, cosine similarity, scaled dot product."""

import numpy as np

# given
words = ["orange", "apple", "phone"]
vectors = [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
# end given

x = np.array(vectors)
lengths = np.sqrt((x * x).sum(axis=1))
dot = x @ x.T
scaled = dot / np.sqrt(x.shape[1])
with np.errstate(invalid="ignore"):  # a vector of length zero has no direction: its cosine is undefined
    cosine = (x / lengths[:, None]) @ (x / lengths[:, None]).T

for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(repr(a), repr(b), float(dot[i, j]), float(cosine[i, j]), float(scaled[i, j]))
