import torch


def softmax_in_tiles(scores, values, tile):
    """Yield the largest score so far, the factor for the sums before, the sum and the context of each tile."""
    largest, total, output = torch.tensor(-torch.inf), 0.0, 0.0
    for part, of_part in zip(scores.split(tile), values.split(tile), strict=True):
        before, largest = largest, torch.maximum(largest, part.max())
        factor, powers = (before - largest).exp(), (part - largest).exp()
        total = total * factor + powers.sum()
        output = output * factor + powers @ of_part
        yield largest, factor, total, output / total


def softmax(scores):
    """Return the weights, all at once."""
    return scores.softmax(dim=0)


# data

scores = torch.tensor(scores, dtype=torch.float64)
values = torch.tensor(values, dtype=torch.float64)
key = torch.arange(tokens)  # of the last query, which sees itself and the tokens before it
token = torch.zeros(cached_layers, 2, kv_heads, d_k, dtype=torch.float16)  # a key and a value in every KV head

# same_as_numpy
