def encode(w, english, raw_values):
    """Return what the English words' keys and values are computed from."""
    raw = w["source"][english]
    x = raw + w["source_positions"][: len(english)]
    if "encoder_W_query" in w:
        normed = norm(w, "encoder", x)
        mixed = attention(w, "encoder", normed, normed, normed)[0].sum(0)
        x = x + mixed if raw_values else mixed
    keys = norm(w, "memory", x)
    return keys, norm(w, "memory", raw) if raw_values else keys


def decode(w, french, keys, values, heads_off, by_hand):
    """Return the logits of the next French word, and the weights of all heads."""
    y = w["target"][french] + w["target_positions"][: len(french)]
    normed = norm(w, "decoder", y)
    y = y + attention(w, "decoder", normed, normed, normed, causal=True)[0].sum(0)
    updates, weights = attention(w, "across", norm(w, "across", y), keys, values, by_hand=by_hand)
    y = y + sum(update for head, update in enumerate(updates) if head not in heads_off)
    return y[-1] @ w["W_vocabulary"] + w["bias"], weights
