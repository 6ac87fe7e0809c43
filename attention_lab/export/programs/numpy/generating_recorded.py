"""A text that SmolLM2-135M-Instruct has written, as recorded: one head's newest row, what came next, the cache.

The recording is in a file of the course, ``smollm2.npz``.
"""

from pathlib import Path

import numpy as np

# shared: find, newest_row


# data

with np.load(find("smollm2.npz")) as found:
    kept = found[f"{name}/weights"].astype(float)  # (layers, heads, n (n + 1) / 2), row after row
    probabilities = found[f"{name}/top_probabilities"].astype(float)  # (steps, 50), sorted

layer, number = (int(each) - 1 for each in head.split("."))
n = len(tokens)
row = newest_row(kept[layer, number], n)
step = min(n - start, len(probabilities) - 1)
cached = 2 * layers * kv_heads * d_k * 2 * n  # keys and values, 2 bytes a number

for token, weight in zip(tokens, row, strict=True):
    print(f"head {head}, {tokens[-1]} to {token}: weight {weight:.15g}")
for token, probability in zip(top_tokens, probabilities[step], strict=False):
    print(f"next token {token}: probability {probability:.15g}")
print(f"cache, in bytes: {cached}")
