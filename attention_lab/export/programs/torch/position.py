"""Does order matter? Attention on a sentence and on the same words in another order."""

import torch
from torch.nn.functional import scaled_dot_product_attention

# given
words = ["dog", "bites", "man"]
vectors = [[2.0, 0.0, 2.0, 0.0], [0.0, 2.0, 1.0, 0.0], [2.0, 0.0, 0.0, 2.0]]
order = [2, 1, 0]
positions = "none"
strength = 1.0
# end given


def angles(n, d):
    """How far each pair of numbers has turned at each place."""
    speeds = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    return torch.arange(n, dtype=torch.float64)[:, None] * speeds


def attend(x):
    """Every word's new vector; queries and keys are the words' own vectors."""
    angle = angles(*x.shape)
    if positions == "sinusoidal":  # each pair of numbers of a place: a sine and a cosine
        x = x + strength * torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)
    q = x
    if positions == "rotary":  # a pair of numbers is a complex number; to turn it is to multiply
        turning = torch.polar(torch.ones_like(angle), strength * angle)
        pairs = torch.view_as_complex(x.unflatten(1, (-1, 2)).contiguous())
        q = torch.view_as_real(pairs * turning).flatten(1)
    return scaled_dot_product_attention(q, q, x)


x = torch.tensor(vectors, dtype=torch.float64)
first, then = attend(x), attend(x[order])
back = then[torch.tensor(order).argsort()]  # put back where the words were

for word, a, b in zip(words, first, back, strict=True):
    print(repr(word), "as given", *a.tolist(), "in the other order", *b.tolist())
print("largest difference", (first - back).abs().max().item())
