import torch
from torch.nn.functional import scaled_dot_product_attention


def angles(n, d):
    """Return the angle of each pair of components at each position."""
    speeds = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    return torch.arange(n, dtype=torch.float64)[:, None] * speeds


def attention(x, positions, strength):
    """Return every word's new vector; queries and keys are the words' own vectors."""
    angle = angles(*x.shape)
    if positions == "sinusoidal":  # each pair of components of a position: a sine and a cosine
        x = x + strength * torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)
    q = x
    if positions == "rotary":  # a pair of components is a complex number: multiplying it rotates it
        rotation = torch.polar(torch.ones_like(angle), strength * angle)
        pairs = torch.view_as_complex(x.unflatten(1, (-1, 2)).contiguous())
        q = torch.view_as_real(pairs * rotation).flatten(1)
    return scaled_dot_product_attention(q, q, x)


# data

x = torch.tensor(vectors, dtype=torch.float64)
first, then = attention(x, positions, strength), attention(x[order], positions, strength)
back = then[torch.tensor(order).argsort()]  # in the order of the sentence again
largest = (first - back).abs().max()

# same_as_numpy
