"""Scale: the same parts as PyTorch makes them, on its meta device, which has shapes but no data."""

import torch
from torch import nn

# shared: count_parts


def numbers_in(part, kind=""):
    """Return how many numbers a part learns: its weights, or the biases beside them, or both."""
    return sum(numbers.numel() for name, numbers in part.named_parameters() if name.endswith(kind))


def of_one(
    d_model, d_k, d_v, d_ff, num_heads, num_kv_heads, vocabulary, context, biases, attention_biases, gated
):
    """Return the number of parameters in one of each part, and the scores of one head."""
    try:
        with torch.device("meta"):
            matrix = nn.Linear(d_model, d_k, bias=False)
            value, output = nn.Linear(d_model, d_v, bias=False), nn.Linear(d_v, d_model, bias=False)
            attend = nn.ModuleDict(
                {
                    "query": nn.Linear(d_model, num_heads * d_k, bias=attention_biases),
                    "key": nn.Linear(d_model, num_kv_heads * d_k, bias=attention_biases),
                    "value": nn.Linear(d_model, num_kv_heads * d_v, bias=attention_biases),
                    "output": nn.Linear(num_heads * d_v, d_model, bias=attention_biases),
                }
            )
            widening = [nn.Linear(d_model, d_ff, bias=biases) for _ in range(2 if gated else 1)]
            feed = nn.ModuleList([*widening, nn.Linear(d_ff, d_model, bias=biases)])
            norm = nn.LayerNorm(d_model) if biases else nn.RMSNorm(d_model)
            tokens, positions = nn.Embedding(vocabulary, d_model), nn.Embedding(context, d_model)
    except RuntimeError:
        raise SystemExit("PyTorch has no matrix as large as this one.") from None
    return {
        "matrix": numbers_in(matrix),
        "head": 2 * numbers_in(matrix) + numbers_in(value) + numbers_in(output),
        "layer": numbers_in(attend, "weight"),
        "attention biases": numbers_in(attend, "bias"),
        "feed-forward": numbers_in(feed, "weight"),
        "feed-forward biases": numbers_in(feed, "bias"),
        "tokens": numbers_in(tokens),
        "positions": numbers_in(positions),
        "norm": numbers_in(norm),
        "scores": torch.empty(context, context, device="meta").numel(),
    }


# data

# same_as_numpy
