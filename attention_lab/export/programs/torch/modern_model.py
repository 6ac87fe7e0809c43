"""One head of a language model: where it attends, and the answer's probability without it."""

import torch

# data

weights = torch.tensor(weights, dtype=torch.float64)
on_first = weights[1:, 0].mean()  # of the later queries
last = weights[-1]
without = probability * torch.tensor(effect, dtype=torch.float64).exp()

# same_as_numpy
