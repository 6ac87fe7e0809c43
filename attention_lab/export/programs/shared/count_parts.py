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
    gated_feed_forward,
):
    """Return the number of parameters in each part, and the sizes that grow with the length of the text."""
    sizes = d_model, d_k, d_v, d_ff, num_heads, num_kv_heads, vocabulary, context
    one = of_one(*sizes, biases, attention_biases, gated_feed_forward)
    attention_blocks = num_layers + 2 * decoder_layers  # a decoder layer attends twice
    layers = 0 if attention_only else num_layers + decoder_layers  # with feed-forward
    stacks = 2 if decoder_layers else 1
    attention = one["layer"] * attention_blocks
    feed_forward = one["feed-forward"] * layers
    embeddings = one["tokens"] * (1 if tied_embeddings else stacks + 1)
    embeddings += one["positions"] * stacks * learned_positions
    norms = one["norm"] * (0 if attention_only else attention_blocks + layers + stacks * final_norm)
    added = one["attention biases"] * attention_blocks + one["feed-forward biases"] * layers
    added += vocabulary * output_bias
    total = attention + feed_forward + embeddings + norms + added
    return {
        "one matrix": one["matrix"],
        "one head": one["head"],
        "one layer": one["layer"],
        "attention": attention,
        "feed-forward": feed_forward,
        "embeddings": embeddings,
        "norms": norms,
        "biases": added,
        "total": total,
        "attention, as a fraction of the total": attention / total,
        "scores of one head": one["scores"],
    }
