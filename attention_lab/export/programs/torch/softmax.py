import torch


def cosine_scores(x, word):
    """Return the cosine similarity of each row to the row of one word."""
    unit = x / x.norm(dim=1, keepdim=True)  # a zero vector has no direction: its cosine similarity is undefined
    return unit @ unit[word]


def entropy(weights):
    """Return the entropy in bits."""
    return torch.special.entr(weights).sum() / torch.log(torch.tensor(2.0, dtype=torch.float64))


# data

x = torch.tensor(vectors, dtype=torch.float64)
scores = cosine_scores(x, word) if scores is None else torch.tensor(scores, dtype=torch.float64)
counted = scores.nan_to_num(nan=-torch.inf)
if leave_zeros_out:
    counted = counted.masked_fill(counted.abs() <= 1e-12, -torch.inf)
weights = torch.softmax(counted / temperature, dim=0).nan_to_num(nan=0.0)  # zeros if every score is −∞
bits, most_bits = entropy(weights), torch.log2((counted > -torch.inf).sum().clamp(min=1).double())

# same_as_numpy
