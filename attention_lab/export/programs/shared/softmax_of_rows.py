def softmax(scores):
    """Return weights that sum to 1 in each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))  # subtract the largest: no overflow, same weights
    return powers / powers.sum(axis=1, keepdims=True)
