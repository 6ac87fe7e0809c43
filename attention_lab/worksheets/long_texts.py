"""Tasks on long texts: softmax in two tiles by hand, how far a window reaches, and the bytes of a cache."""

import math

import numpy as np

from attention_core import TransformerShape, key_value_cache_bytes, softmax_in_tiles
from attention_lab.worksheets.task import exact, rounded, until


def long_texts(random):
    """Two tiles of two scores, the sums and the context after each; a window's reach; a cache of shared keys."""

    def fits(scores):
        first, second = max(scores[:2]), max(scores[2:])
        return len(set(scores)) == 4 and 1 <= second - first <= 2 and max(scores) - min(scores) <= 4

    scores = until(lambda: tuple(random.randint(0, 6) for _ in range(4)), fits)
    values = tuple(random.sample(range(1, 10), 4))
    steps = softmax_in_tiles([scores], [[v] for v in values], 2)
    total, factor, part = steps.total[0], steps.factor[0, 1], steps.part[0, 1]
    layers, window = random.choice((12, 24, 30, 32)), random.choice((16, 64, 128, 512))
    tokens = random.choice((50, 100, 200, 1000))
    heads, kv_heads = random.choice(((8, 2), (9, 3), (12, 4), (32, 8)))
    d_k = random.choice((32, 64, 128))
    token = key_value_cache_bytes(TransformerShape(heads * d_k, d_k, heads, layers, num_kv_heads=kv_heads), 1)
    # Who rounds each step to two places may be 0.005 off in the factor, 0.009 in ℓ and 0.052 in the context.
    means = {"plain_mean": np.mean(values)}
    return {"tile_1": scores[:2], "values_1": values[:2], "tile_2": scores[2:], "values_2": values[2:]}, [
        rounded("first_sum", total[0], {"not_shifted": sum(math.exp(s) for s in scores[:2])}),
        rounded("factor", factor, {"other_direction": 1 / factor}, tolerance=0.0051),
        rounded("second_sum", total[1], {"not_rescaled": total[0] + part, "forgotten": part}, tolerance=0.011),
        rounded("context", steps.context[0, 1, 0], means, tolerance=0.06),
        exact("kept", 3 * tokens, {"whole_pattern": tokens**2}, tokens=tokens),
        exact("reach", layers * (window - 1), {"with_itself": layers * window}, layers=layers, window=window),
        exact(
            "cache",
            token,
            {"keys_alone": token / 2, "not_shared": token * heads / kv_heads},
            layers=layers,
            heads=heads,
            kv_heads=kv_heads,
            d_k=d_k,
        ),
    ]


RECIPES = {"long_texts": long_texts}
