from pathlib import Path

import numpy as np
import torch

# shared: find, newest_row


# data

with np.load(find("smollm2.npz")) as found:
    kept = torch.from_numpy(found[f"{name}/weights"].astype(float))  # (layers, heads, n (n + 1) / 2)
    probabilities = torch.from_numpy(found[f"{name}/top_probabilities"].astype(float))  # (steps, 50), sorted

# same_as_numpy
