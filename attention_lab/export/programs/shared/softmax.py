def softmax(scores):
    """Return weights along the last axis that sum to 1."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))  # less the largest: no overflow, same weights
    return powers / powers.sum(axis=-1, keepdims=True)
