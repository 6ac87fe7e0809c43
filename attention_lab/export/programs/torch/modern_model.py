import torch


def on_first(weights):
    """Return the mean weight on the first token, over all later queries."""
    return weights[1:, 0].mean()


def without(probability, effect):
    """Return a probability whose logarithm has changed by the effect."""
    return probability * torch.tensor(effect, dtype=torch.float64).exp()


# data

weights = torch.tensor(weights, dtype=torch.float64)
last = weights[-1]

# same_as_numpy
