"""How fast is the core beside torch computing the same intermediates? One ratio for each size.

    python -m tools.bench.core

Both get query, key, value and a causal mask and compute scores, scaled scores, masked scores,
weights and context; the core also checks, copies and freezes. One thread each, by turns (A B A B …)
so that both see the same weather, in processor time, so that others' work does not count; a ratio is
median over median. Below 1 the core is the quicker.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import math
from itertools import product
from statistics import geometric_mean, median
from time import process_time

import numpy as np
import torch

from attention_core import causal_mask, scaled_dot_product_attention

LENGTHS, WIDTHS, HEADS, KINDS = (4, 16, 64, 256, 1024), (2, 16, 64), (1, 8, 12), (np.float32, np.float64)
SECONDS_PER_CASE = 0.8


def with_torch(query, key, value, mask):
    scores = query @ key.transpose(-2, -1)
    scaled_scores = scores * query.shape[-1] ** -0.5
    masked_scores = torch.where(mask, scaled_scores, -math.inf)
    weights = torch.softmax(masked_scores, dim=-1)
    return scores, scaled_scores, masked_scores, weights, weights @ value


def timed(function, arguments, calls):
    start = process_time()
    for _ in range(calls):
        function(*arguments)
    return process_time() - start


def ratio(n, d, heads, kind):
    random = np.random.default_rng([n, d, heads])
    shape = (n, d) if heads == 1 else (heads, n, d)
    arrays = [random.standard_normal(shape).astype(kind) for _ in range(3)] + [causal_mask(n)]
    tensors = [torch.from_numpy(array) for array in arrays]
    np.testing.assert_allclose(
        scaled_dot_product_attention(*arrays).context, with_torch(*tensors)[-1], rtol=1e-3, atol=1e-5
    )
    once = timed(scaled_dot_product_attention, arrays, 2) / 2
    rounds = 15 if once < 0.05 else 5
    calls = max(1, min(500, int(SECONDS_PER_CASE / rounds / 2 / once)))
    core, peer = [], []
    for _ in range(rounds):
        core.append(timed(scaled_dot_product_attention, arrays, calls))
        peer.append(timed(with_torch, tensors, calls))
    return median(core) / median(peer)


def main():
    torch.set_num_threads(1)
    print("| n | d | " + " | ".join(f"{np.dtype(kind)}, {h} heads" for kind, h in product(KINDS, HEADS)) + " |")
    print("|--:|--:|" + "--:|" * len(HEADS) * len(KINDS))
    by_length = {n: [] for n in LENGTHS}
    with torch.inference_mode():
        for n, d in product(LENGTHS, WIDTHS):
            row = [ratio(n, d, heads, kind) for kind, heads in product(KINDS, HEADS)]
            by_length[n] += row
            print(f"| {n} | {d} | " + " | ".join(f"{r:.2f}" for r in row) + " |", flush=True)
    print()
    for n, ratios in by_length.items():
        print(f"n = {n}: geometric mean {geometric_mean(ratios):.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
