def newest_row(kept, n):
    """Return the weights of the last of `n` tokens; rows are kept one after the other, as whole numbers."""
    row = kept[n * (n - 1) // 2 : n * (n + 1) // 2]
    return row / row.sum()
