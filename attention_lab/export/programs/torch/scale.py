"""Scale: the same parts as PyTorch makes them, on a device that gives shapes and no memory."""

import torch
from torch import nn


def numbers_in(part, kind):
    """Return how many numbers a part learns: its weights, or the biases beside them."""
    return sum(numbers.numel() for name, numbers in part.named_parameters() if name.endswith(kind))


def count(
    *,
    d_model,
    d_k,
    d_v,
    d_ff,
    num_heads,
    num_kv_heads,
    num_layers,
    decoder_layers,
    vocabulary,
    context,
    biases,
    tied_embeddings,
    attention_biases,
    learned_positions,
    final_norm,
    attention_only,
    output_bias,
):
    """Return the number of parameters in each part, and the sizes that grow with the length of the text."""
    try:
        with torch.device("meta"):
            one_query = nn.Linear(d_model, d_k, bias=False)
            one_value = nn.Linear(d_model, d_v, bias=False)
            one_output = nn.Linear(d_v, d_model, bias=False)
            attend = nn.ModuleDict(
                {
                    "query": nn.Linear(d_model, num_heads * d_k, bias=attention_biases),
                    "key": nn.Linear(d_model, num_kv_heads * d_k, bias=attention_biases),
                    "value": nn.Linear(d_model, num_kv_heads * d_v, bias=attention_biases),
                    "output": nn.Linear(num_heads * d_v, d_model, bias=attention_biases),
                }
            )
            up, down = nn.Linear(d_model, d_ff, bias=biases), nn.Linear(d_ff, d_model, bias=biases)
            feed = nn.Sequential(up, nn.ReLU(), down)
            norm = nn.LayerNorm(d_model, bias=biases)
            tokens = nn.Embedding(vocabulary, d_model)
            positions = nn.Embedding(context, d_model)
    except RuntimeError:
        raise SystemExit("PyTorch has no matrix as large as this one.") from None

    attention_blocks = num_layers + 2 * decoder_layers  # a decoder layer attends twice
    layers = 0 if attention_only else num_layers + decoder_layers  # with feed-forward
    stacks = 2 if decoder_layers else 1
    matrix, layer = one_query.weight.numel(), numbers_in(attend, "weight")
    attention = layer * attention_blocks
    feed_forward = numbers_in(feed, "weight") * layers
    embeddings = tokens.weight.numel() * (1 if tied_embeddings else stacks + 1)
    embeddings += positions.weight.numel() * stacks * learned_positions
    norms = sum(numbers.numel() for numbers in norm.parameters())
    norms *= 0 if attention_only else attention_blocks + layers + stacks * final_norm
    added = numbers_in(attend, "bias") * attention_blocks + numbers_in(feed, "bias") * layers
    added += vocabulary * output_bias
    total = attention + feed_forward + embeddings + norms + added
    return {
        "one matrix": matrix,
        "one head": 2 * matrix + one_value.weight.numel() + one_output.weight.numel(),
        "one layer": layer,
        "attention": attention,
        "feed-forward": feed_forward,
        "embeddings": embeddings,
        "norms": norms,
        "biases": added,
        "total": total,
        "attention, as a fraction of the total": attention / total,
        "scores of one head": torch.empty(context, context, device="meta").numel(),
        "bytes in the cache": context * (d_k + d_v) * num_kv_heads * (2 * decoder_layers or num_layers) * 2,
    }


# data

# same_as_numpy
