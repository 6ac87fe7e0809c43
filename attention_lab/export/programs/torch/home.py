"""One head of attention, from the words' vectors to their new vectors."""

import torch

# given
words = ["an", "apple", "phone"]
vectors = [[0.0, -1.0], [2.0, 2.0], [4.0, 0.0]]
W_query = [[0.0, 0.5], [1.0, 0.0]]
W_key = [[0.5, 0.0], [0.0, 0.5]]
W_value = [[1.0, 0.0], [-0.5, 1.0]]
# end given

x, W_query, W_key, W_value = (torch.tensor(m, dtype=torch.float64) for m in (vectors, W_query, W_key, W_value))
query, key, value = x @ W_query, x @ W_key, x @ W_value
scores = query @ key.T
weights = (scores / key.shape[1] ** 0.5).softmax(dim=1)
context = torch.nn.functional.scaled_dot_product_attention(query[None], key[None], value[None])[0]

for i, word in enumerate(words):
    print("query", repr(word), *query[i].tolist())
    print("key", repr(word), *key[i].tolist())
    print("value", repr(word), *value[i].tolist())
for i, asks in enumerate(words):
    for j, answers in enumerate(words):
        print(repr(asks), repr(answers), "score", scores[i, j].item(), "weight", weights[i, j].item())
for i, word in enumerate(words):
    print("context", repr(word), *context[i].tolist())
