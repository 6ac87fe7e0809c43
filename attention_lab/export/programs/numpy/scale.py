"""Scale: what a transformer has to learn, counted part by part in whole numbers."""


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
    query_and_output = d_model * d_k + d_v * d_model
    key_and_value = d_model * d_k + d_model * d_v
    layer = num_heads * query_and_output + num_kv_heads * key_and_value

    attention_blocks = num_layers + 2 * decoder_layers  # a decoder layer attends twice
    layers = 0 if attention_only else num_layers + decoder_layers  # with feed-forward
    stacks = 2 if decoder_layers else 1
    attention = layer * attention_blocks
    feed_forward = 2 * d_model * d_ff * layers

    tables = 1 if tied_embeddings else stacks + 1
    embeddings = tables * vocabulary * d_model + stacks * context * d_model * learned_positions
    normed = 0 if attention_only else attention_blocks + layers + stacks * final_norm
    norms = normed * d_model * (2 if biases else 1)
    outputs = (
        num_heads * d_k + num_kv_heads * (d_k + d_v) + d_model
    )  # components that the maps of attention output
    added = outputs * attention_blocks * attention_biases + (d_ff + d_model) * layers * biases
    added += vocabulary * output_bias
    total = attention + feed_forward + embeddings + norms + added
    return {
        "one matrix": d_model * d_k,
        "one head": query_and_output + key_and_value,
        "one layer": layer,
        "attention": attention,
        "feed-forward": feed_forward,
        "embeddings": embeddings,
        "norms": norms,
        "biases": added,
        "total": total,
        "attention, as a fraction of the total": attention / total,
        "scores of one head": context**2,
        "bytes in the cache": context * (d_k + d_v) * num_kv_heads * (2 * decoder_layers or num_layers) * 2,
    }


# data

for name, number in count(**sizes).items():
    print(f"{name}: {number}")
