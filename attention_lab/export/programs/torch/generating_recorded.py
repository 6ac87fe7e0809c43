"""A text that SmolLM2-135M-Instruct has written, as recorded: one head's newest row, what came next, the cache.

The recording is in a file of the course, ``smollm2.npz``.
"""

import json
from pathlib import Path

import numpy as np
import torch

# shared: find

# data

with np.load(find("smollm2.npz")) as found:
    record = json.loads(str(found["record"]))
    kept = torch.from_numpy(found[f"{name}/weights"].astype(float))  # (layers, heads, n (n + 1) / 2)
    probabilities = torch.from_numpy(found[f"{name}/top_probabilities"].astype(float))  # (steps, 50), sorted
layer, number = (int(each) - 1 for each in head.split("."))
n = len(tokens)
row = kept[layer, number, n * (n - 1) // 2 : n * (n + 1) // 2]
row = row / row.sum()  # stored as whole numbers up to 65,535
step = min(n - start, len(probabilities) - 1)
d_k = record["d_model"] // record["heads"]
cached = 2 * record["layers"] * record["kv_heads"] * d_k * 2 * n  # keys and values, 2 bytes a number

# same_as_numpy
