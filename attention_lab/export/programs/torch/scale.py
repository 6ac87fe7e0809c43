"""Scale: the same parts as PyTorch makes them, on a device that gives shapes and no memory."""

import torch
from torch import nn

# given
d_model = 12288
d_k = 128
num_heads = 96
num_layers = 96
d_v = 128
d_ff = 49152
num_kv_heads = 96
vocabulary = 50257
context = 2048
decoder_layers = 0
biases = True
tied_embeddings = True
attention_biases = True
learned_positions = True
final_norm = True
attention_only = False
output_bias = False
# end given

attention_blocks = num_layers + 2 * decoder_layers
layers = 0 if attention_only else num_layers + decoder_layers  # with feed-forward
stacks = 2 if decoder_layers else 1


def count(part, kind):
    """How many numbers a part learns: its weights, or the biases beside them."""
    return sum(numbers.numel() for name, numbers in part.named_parameters() if name.endswith(kind))


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
        places = nn.Embedding(context, d_model)
except RuntimeError:
    raise SystemExit("PyTorch has no matrix as large as this one.") from None

layer = count(attend, "weight")
attention = layer * attention_blocks
feed_forward = count(feed, "weight") * layers
embeddings = tokens.weight.numel() * (1 if tied_embeddings else stacks + 1)
embeddings += places.weight.numel() * stacks * learned_positions
norms = sum(numbers.numel() for numbers in norm.parameters())
norms *= 0 if attention_only else attention_blocks + layers + stacks * final_norm
added = count(attend, "bias") * attention_blocks + count(feed, "bias") * layers
added += vocabulary * output_bias
total = attention + feed_forward + embeddings + norms + added

print("one matrix:", one_query.weight.numel())
print("one head:", 2 * one_query.weight.numel() + one_value.weight.numel() + one_output.weight.numel())
print("one layer:", layer)
print("attention:", attention)
print("feed-forward:", feed_forward)
print("embeddings:", embeddings)
print("norms:", norms)
print("biases:", added)
print("total:", total)
print("share of attention:", attention / total)
print("cells in one pattern:", torch.empty(context, context, device="meta").numel())
print("bytes in the cache:", context * (d_k + d_v) * num_kv_heads * (2 * decoder_layers or num_layers) * 2)
