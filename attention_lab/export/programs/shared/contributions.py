def contributions(w, first, patterns, values, place, head, of_layer):
    """Return how much of what one word supplies to a head of layer 2 came from each word."""
    brought = sum(patterns[k][place][:, None] * values[k] for k in range(of_layer))
    brought[place] += first[place]
    parts = brought @ w["W_value"][1, head - of_layer] @ w["W_output"][1, head - of_layer]
    whole = parts.sum(0)
    return parts @ whole / (whole @ whole)
