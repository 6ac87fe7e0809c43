"""A text that SmolLM2-135M-Instruct has written, as recorded: one head's newest row, what came next, the cache.

The recording is in a file of the course, ``smollm2.npz``.
"""

from pathlib import Path

import numpy as np
import torch

# shared: find


def newest_row(kept, n):
    """Return the weights of the last of `n` tokens; rows are kept one after the other, as whole numbers."""
    row = kept[n * (n - 1) // 2 : n * (n + 1) // 2]
    return row / row.sum()


# data

with np.load(find("smollm2.npz")) as found:
    kept = torch.from_numpy(found[f"{name}/weights"].astype(float))  # (layers, heads, n (n + 1) / 2)
    probabilities = torch.from_numpy(found[f"{name}/top_probabilities"].astype(float))  # (steps, 50), sorted
layer, number = (int(each) - 1 for each in head.split("."))
n = len(tokens)
row = newest_row(kept[layer, number], n)
step = min(n - start, len(probabilities) - 1)
cached = 2 * layers * kv_heads * d_k * 2 * n  # keys and values, 2 bytes a number

# same_as_numpy
