"""Tasks on one head: queries and keys, values, the whole step, masks, positions."""

import math

import numpy as np

from attention_core.attention import scaled_dot_product_attention
from attention_core.heads import AttentionHead
from attention_core.masks import causal_mask, padding_mask, window_mask
from attention_core.positions import rotate_by_position, sinusoidal_positions
from attention_lab.worksheets.geometry import QUARTERS, length
from attention_lab.worksheets.task import (
    TWO_PLACES,
    chosen,
    differ,
    exact,
    matrix,
    named,
    query_and_keys,
    rounded,
    until,
    vector,
)

SENTENCES = (
    ("fluffy", "blue", "creature"),
    ("the", "money", "bank"),
    ("small", "dogs", "bark"),
    ("she", "plays", "chess"),
    ("knights", "shining", "armour"),
)
LONGER = (
    ("the", "musician", "plays", "well"),
    ("dogs", "bite", "postmen", "often"),
    ("we", "saw", "green", "apples"),
)
OFF = 0.02  # what shares rounded to two places may take from a sum of small numbers, a unit of them


def queries_keys(random):
    """Queries and keys by two matrices, and who looks at whom."""
    words = random.choice(SENTENCES)

    def draw():
        return tuple(vector(random, 2, -2, 3) for _ in words), matrix(random), matrix(random)

    def attended(x, W_query, W_key):
        return AttentionHead(W_query, W_key, np.eye(2)).attend(np.array(x, dtype=float))

    def fits(data):
        trace = attended(*data)
        there, back = trace.scores[0, 1], trace.scores[1, 0]
        small = np.abs(trace.scores).max() < 60
        return small and there != back and len(set(data[0])) == 3 and differ(trace.scores[2], 1)

    x, W_query, W_key = until(draw, fits)
    trace = attended(x, W_query, W_key)
    first, second, third = words
    data = {"vectors": named(words, x), "W_query": W_query, "W_key": W_key}
    turned = {"turned": np.array(W_query) @ x[0], "other_matrix": trace.key[0]}
    return data, [
        exact("query", trace.query[0], turned, first=first),
        exact(
            "key", trace.key[1], {"turned": np.array(W_key) @ x[1], "other_matrix": trace.query[1]}, first=second
        ),
        exact("score", trace.scores[0, 1], {"other_way": trace.scores[1, 0]}, first=first, second=second),
        exact("score", trace.scores[1, 0], {"other_way": trace.scores[0, 1]}, first=second, second=first),
        exact("row", trace.scores[2], {"column": trace.scores[:, 2]}, first=third),
        chosen(
            "finds",
            words[trace.scores[2].argmax()],
            words,
            {"column": words[trace.scores[:, 2].argmax()]},
            first=third,
        ),
    ]


def values(random):
    """Values handed over, and mixed."""
    words = random.choice(SENTENCES)

    def draw():
        x = tuple(vector(random, 2, -3, 4) for _ in words)
        shares = random.choice([s for s in QUARTERS if all(s)])
        return x, matrix(random), shares

    def fits(data):
        x, W_value, shares = data
        parts = [share * length(value) for share, value in zip(shares, np.array(x) @ W_value, strict=True)]
        largest = int(np.argmax(shares))
        return len(set(x)) == 3 and differ(parts, 0.3) and int(np.argmax(parts)) != largest

    x, W_value, shares = until(draw, fits)
    value = AttentionHead(np.eye(2), np.eye(2), W_value).attend(np.array(x, dtype=float)).value
    context = (np.array([shares]) @ value)[0]
    lengths = [share * length(row) for share, row in zip(shares, value, strict=True)]
    first = words[2]
    data = {"vectors": named(words, x), "W_value": W_value}
    shared = {"first": first, "shares": named(words, shares)}
    return data, [
        exact("value", value[0], {"turned": np.array(W_value) @ x[0]}, first=words[0]),
        exact("value", value[1], {"turned": np.array(W_value) @ x[1]}, first=words[1]),
        exact("value", value[2], {"turned": np.array(W_value) @ x[2]}, first=words[2]),
        exact(
            "context",
            context,
            {"embeddings_mixed": np.array(shares) @ x, "sum_not_mix": value.sum(axis=0)},
            **shared,
        ),
        exact("added", context + x[2], {"replaced": context}, **shared),
        chosen(
            "longest_arrow",
            words[int(np.argmax(lengths))],
            words,
            {"largest_share": words[int(np.argmax(shares))]},
            **shared,
        ),
    ]


def self_attention(random):
    """One word through every step."""
    words = random.choice(SENTENCES)
    query, key = query_and_keys(random, len(words), 8)
    value = tuple(vector(random, 2, -3, 4) for _ in words)
    x = vector(random, 2, -3, 4)
    trace = scaled_dot_product_attention([query], key, value)
    unscaled = scaled_dot_product_attention([query], key, value, scale=1.0)
    first = words[2]
    loose = TWO_PLACES + OFF * max(abs(number) for row in value for number in row)
    data = {"first": first, "query": query, "keys": named(words, key), "values": named(words, value)}
    return data, [
        exact("scores", trace.scores[0]),
        exact("scaled", trace.scaled_scores[0], {"not_scaled": trace.scores[0], "by_d": trace.scores[0] / 4}),
        rounded("weights", trace.weights[0], {"not_scaled": unscaled.weights[0]}),
        chosen("most", words[int(trace.weights[0].argmax())], words),
        rounded(
            "context",
            trace.context[0],
            {"not_scaled": unscaled.context[0], "sum_not_mix": np.sum(value, axis=0)},
            tolerance=loose,
        ),
        rounded("new", trace.context[0] + x, {"replaced": trace.context[0]}, tolerance=loose, x=x),
    ]


def masking(random):
    """Closed looks: before the softmax, and after it."""
    words = random.choice(LONGER)
    scores = tuple(random.sample(range(5), 4))
    row = 2  # the third word asks
    causal = causal_mask(4)
    key = np.array(scores, dtype=float)[:, None]
    one = np.ones((4, 1))
    opened, masked = (scaled_dot_product_attention(one, key, one, mask, scale=1.0) for mask in (None, causal))
    cut = np.where(causal[row], opened.weights[row], 0)
    n, width, filler = random.randint(6, 12), random.randint(1, 2), random.randint(1, 4)
    either_side = window_mask(n, width)
    padded = padding_mask(np.arange(n) >= n - filler)
    data = {"words": words, "first": words[row], "scores": named(words, scores)}
    return data, [
        rounded("weights", masked.weights[row], {"not_masked": opened.weights[row], "closed_after": cut}),
        rounded("first_row", masked.weights[0], {"not_masked": opened.weights[0]}, first=words[0]),
        rounded("closed_after", cut.sum(), {"adds_up": 1.0}),
        exact("causal", causal_mask(n).sum(), {"all_cells": n * n, "without_itself": n * (n - 1) / 2}, n=n),
        exact("window", either_side.sum(), {"no_edges": n * (2 * width + 1)}, n=n, width=width),
        exact(
            "causal_window",
            (either_side & causal_mask(n)).sum(),
            {"no_start": n * (width + 1), "later_words": either_side.sum()},
            n=n,
            width=width,
        ),
        exact("padding", padded.sum(), {"both_ways": (n - filler) ** 2}, n=n, filler=filler),
    ]


def position(random):
    """Where a word stands: added, turned, or not told at all."""
    place, x = random.randint(1, 6), vector(random, 2, -2, 3)
    table = sinusoidal_positions(16, 2)
    one, gap = random.randint(1, 4), random.randint(2, 4)
    other = one + gap
    along, turn = random.randint(2, 5), random.randint(1, 6)
    pairs = {f"{a} and {b}": b - a for a, b in until(lambda: _pairs(random, one, gap), bool)}
    words = random.choice(SENTENCES)
    rows = until(lambda: tuple(vector(random, 2, -2, 2) for _ in words), lambda three: len(set(three)) == 3)
    order = random.choice(((2, 0, 1), (1, 2, 0), (2, 1, 0)))
    x_of = np.array(rows, dtype=float)
    before = scaled_dot_product_attention(x_of, x_of, x_of).context
    after = scaled_dot_product_attention(x_of[list(order)], x_of[list(order)], x_of[list(order)]).context
    contexts = tuple(tuple(round(float(number), 2) + 0.0 for number in row) for row in before)
    degrees = np.radians(place)
    return {}, [
        rounded(
            "table",
            table[place],
            {"degrees": (np.sin(degrees), np.cos(degrees)), "cosine_first": table[place][::-1]},
            place=place,
        ),
        rounded("placed", table[place] + x, {"replaced": table[place]}, place=place, x=x),
        rounded(
            "between", (table[one] @ table[other]), {"degrees": math.cos(math.radians(gap))}, one=one, other=other
        ),
        rounded(
            "turned",
            rotate_by_position([[float(along), 0.0]], [turn])[0],
            {"not_turned": (along, 0)},
            tolerance=0.02,
            along=along,
            place=turn,
        ),
        chosen(
            "same_turn", next(pair for pair, apart in pairs.items() if apart == gap), pairs, one=one, other=other
        ),
        rounded(
            "shuffled",
            after[order.index(0)],
            {"took_the_place": contexts[order[0]]},
            tolerance=0.0101,
            contexts=named(words, contexts),
            order=tuple(words[k] for k in order),
            first=words[0],
        ),
    ]


def _pairs(random, one, gap):
    """Three pairs of places, in a drawn order: one as far apart as that pair, two that are not."""
    apart = random.sample([d for d in range(1, 7) if d != gap], 2)
    starts = random.sample([k for k in range(1, 9) if k != one], 3)
    pairs = [(a, a + d) for a, d in zip(starts, [gap, *apart], strict=True)]
    random.shuffle(pairs)
    return pairs


RECIPES = {recipe.__name__: recipe for recipe in (queries_keys, values, self_attention, masking, position)}
