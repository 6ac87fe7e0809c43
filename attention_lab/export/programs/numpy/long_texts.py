"""Long texts: softmax in tiles for one query, how far back a window reaches, and the bytes of a cache."""

import numpy as np


def softmax_in_tiles(scores, values, tile):
    """Yield the largest score so far, the factor for the sums before, the sum and the context of each tile."""
    largest, total, output = -np.inf, 0.0, 0.0
    for start in range(0, len(scores), tile):
        part, before = scores[start : start + tile], largest
        largest = max(largest, part.max())
        factor, powers = np.exp(before - largest), np.exp(part - largest)
        total = total * factor + powers.sum()
        output = output * factor + powers @ values[start : start + tile]
        yield largest, factor, total, output / total


def softmax(scores):
    """Return the weights, all at once."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


# data

scores, values = np.array(scores), np.array(values)
key = np.arange(tokens)  # of the last query, which sees itself and the tokens before it
token = np.zeros((cached_layers, 2, kv_heads, d_k), np.float16)  # a key and a value in every KV head

near = key > tokens - 1 - (window - first if window < tokens else window)
seen = near if window == tokens else near | (key < first)
back = near.sum() - 1

for k, (largest, factor, total, context) in enumerate(softmax_in_tiles(scores, values, tile), start=1):
    print(f"tile {k}, largest score: {largest:.15g}")
    print(f"tile {k}, factor: {factor:.15g}")
    print(f"tile {k}, sum: {total:.15g}")
    print(f"tile {k}, context: {context:.15g}")
print(f"context at once: {softmax(scores) @ values:.15g}")
print(f"keys seen: {seen.sum()}")
print(f"tokens back in one layer: {back}")
print(f"tokens back in all layers: {back if window == tokens else layers * back}")
print(f"bytes per token: {token.nbytes}")
print(f"cache: {cached_tokens * token.nbytes}")
