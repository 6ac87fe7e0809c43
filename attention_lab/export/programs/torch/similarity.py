import torch


def similarities(x):
    """Return the dot product, the cosine similarity and the scaled dot product of all pairs of rows."""
    unit = x / x.norm(dim=1, keepdim=True)  # a zero vector has no direction: its cosine similarity is undefined
    dot = x @ x.T
    return dot, unit @ unit.T, dot / x.shape[1] ** 0.5


# data

dot, cosine, scaled = similarities(torch.tensor(vectors, dtype=torch.float64))

# same_as_numpy
