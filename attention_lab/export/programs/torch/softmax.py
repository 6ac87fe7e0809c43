"""Softmax: scores become shares, and the shares mix the words' vectors."""

import torch

# given
words = ["an", "apple", "and", "an", "orange"]
vectors = [[0.0, 0.0, 3.0], [2.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.0, 3.0, 0.0]]
word = 1
scores = None
temperature = 1.0
leave_zeros_out = False
# end given

x = torch.tensor(vectors, dtype=torch.float64)
if scores is None:  # nobody has set them: how alike each word is to the word of interest
    unit = x / x.norm(dim=1, keepdim=True)  # a vector of length zero has no direction: its cosine is undefined
    scores = unit @ unit[word]
else:
    scores = torch.tensor(scores, dtype=torch.float64)

counted = scores.nan_to_num(nan=-torch.inf)
if leave_zeros_out:
    counted = counted.masked_fill(counted.abs() <= 1e-12, -torch.inf)
shares = torch.softmax(counted / temperature, dim=0).nan_to_num(nan=0.0)  # everything left out: nothing to share
entropy = torch.special.entr(shares).sum() / torch.log(torch.tensor(2.0, dtype=torch.float64))
mixture = shares @ x

for name, score, share in zip(words, scores, shares, strict=True):
    print(repr(name), score.item(), share.item())
count = (counted > -torch.inf).sum().clamp(min=1).double()
print("entropy in bits", entropy.item(), "of at most", torch.log2(count).item())
print(repr(words[word]), "becomes", *mixture.tolist())
