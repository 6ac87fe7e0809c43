"""Scale: what a transformer has to learn, counted part by part in whole numbers."""

# shared: count_parts


def of_one(
    d_model, d_k, d_v, d_ff, num_heads, num_kv_heads, vocabulary, context, biases, attention_biases, gated
):
    """Return the number of parameters in one of each part, and the scores of one head."""
    query_and_output = d_model * d_k + d_v * d_model
    key_and_value = d_model * d_k + d_model * d_v
    widening = 2 if gated else 1  # matrices of the feed-forward network that lead to d_ff components
    outputs = num_heads * d_k + num_kv_heads * (d_k + d_v) + d_model  # components of the maps of attention
    return {
        "matrix": d_model * d_k,
        "head": query_and_output + key_and_value,
        "layer": num_heads * query_and_output + num_kv_heads * key_and_value,
        "attention biases": outputs * attention_biases,
        "feed-forward": (widening + 1) * d_model * d_ff,
        "feed-forward biases": (widening * d_ff + d_model) * biases,
        "tokens": vocabulary * d_model,
        "positions": context * d_model,
        "norm": d_model * (2 if biases else 1),
        "scores": context**2,
    }


# data

for name, number in count(**sizes).items():
    print(f"{name}: {number}")
