"""Tasks on what newer models do otherwise, and on what an ablation and a perplexity say."""

import math

import numpy as np

from attention_lab.worksheets.task import exact, rounded

VECTORS = ((1, 7), (7, 17), (7, 23), (2, 14))  # whose root mean square is a whole number
ONE_IN = ((2, 8), (2, 32), (3, 27), (4, 9), (5, 20))  # whose product is a square


def modern_model(random):
    """RMSNorm of two numbers, a head off, the cache of shared keys and values, a perplexity."""
    x = np.array(random.sample(random.choice(VECTORS), 2)) * np.array((1, random.choice((1, -1))))
    root = math.sqrt((x**2).mean())
    percent, effect = random.choice((60, 70, 80, 90)), random.choice((-1, -2))
    layers, shared, kv_heads, d_k = random.choice((12, 24, 30)), random.choice((2, 3, 4)), 3, 64
    one_in, other_in = random.choice(ONE_IN)
    cached = 2 * layers * kv_heads * d_k
    return {"x": tuple(int(number) for number in x)}, [
        exact("root", root, {"length_not_root": math.hypot(*x)}),
        rounded("normed", x / root, {"mean_taken_off": (x - x.mean()) / x.std()}),
        rounded(
            "head_off",
            percent * math.exp(effect),
            {"added_to_p": percent + effect},
            places=0,
            tolerance=0.5,
            percent=percent,
            effect=effect,
        ),
        exact(
            "cached",
            cached,
            {"for_every_head": shared * cached, "keys_alone": cached // 2},
            layers=layers,
            heads=shared * kv_heads,
            kv_heads=kv_heads,
            d_k=d_k,
        ),
        exact("times", shared, heads=shared * kv_heads, kv_heads=kv_heads),
        exact(
            "perplexity",
            math.sqrt(one_in * other_in),
            {"mean_of_both": (one_in + other_in) / 2},
            one_in=one_in,
            other_in=other_in,
        ),
    ]


RECIPES = {"modern_model": modern_model}
