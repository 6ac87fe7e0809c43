def softmax(scores):
    """Return weights that sum to 1 in each row; zeros where a row has nothing but −∞."""
    largest = scores.max(axis=1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    total = powers.sum(axis=1, keepdims=True)
    return powers / np.where(total > 0, total, 1.0)
