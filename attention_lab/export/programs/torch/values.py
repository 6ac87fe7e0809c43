"""What is handed over: values shortened to their weights; their sum replaces a vector or is added to it."""

import torch
from torch.nn.functional import scaled_dot_product_attention

# given
sentence = ["money", "bank"]
table = ["money", "bank"]
vectors = [[2.0, 7.0], [9.0, 3.0]]
W_query = [[0.14035087719298245, 0.42105263157894735], [0.24561403508771928, -0.2631578947368421]]
W_key = [[0.38596491228070173, 0.8771929824561403], [0.17543859649122806, 0.03508771929824561]]
W_value = [[1.0, 0.0], [0.0, 1.0]]
temperature = 1.0
# end given

x = torch.tensor(vectors, dtype=torch.float64)[[table.index(word) for word in sentence]]
query, key, value = (x @ torch.tensor(W, dtype=torch.float64) for W in (W_query, W_key, W_value))
scores = query @ key.T
scaled = scores / key.shape[1] ** 0.5
weights = (scaled / temperature).softmax(dim=1)
context = scaled_dot_product_attention(query, key, value, scale=key.shape[1] ** -0.5 / temperature)

for i, a in enumerate(sentence):
    for j, b in enumerate(sentence):
        print(repr(a), "→", repr(b), scores[i, j].item(), scaled[i, j].item(), weights[i, j].item())
for i, a in enumerate(sentence):
    print(repr(a), "replaced by", *context[i].tolist(), "or moved to", *(x[i] + context[i]).tolist())
