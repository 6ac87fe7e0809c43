"""Tasks on a whole layer: several heads, two sequences, what it costs."""

import numpy as np

from attention_core.attention import scaled_dot_product_attention
from attention_core.scale import TransformerShape, count_parameters, pattern_entries
from attention_lab.worksheets.geometry import QUARTERS, length
from attention_lab.worksheets.task import (
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

PHRASES = (
    (("la", "pomme", "bleue"), ("the", "blue", "apple")),
    (("une", "grande", "maison"), ("a", "big", "house")),
    (("le", "chat", "noir", "dort"), ("the", "black", "cat", "sleeps")),
    (("deux", "petites", "fleurs", "rouges"), ("two", "small", "red", "flowers")),
    (("le", "ciel", "est", "gris"), ("the", "sky", "is", "grey")),
)


def multi_head(random):
    """Two heads: joined, or added up."""

    def draw():
        contexts = vector(random, 2, -2, 3), vector(random, 2, -2, 3)
        return contexts, (matrix(random), matrix(random)), vector(random, 2, -3, 4)

    def added(contexts, outputs):
        return [np.array(context) @ output for context, output in zip(contexts, outputs, strict=True)]

    def fits(data):
        contexts, outputs, _ = data
        return contexts[0] != contexts[1] and differ([length(delta) for delta in added(contexts, outputs)], 0.5)

    contexts, outputs, x = until(draw, fits)
    one, two = deltas = added(contexts, outputs)
    joined = np.concatenate(contexts)
    W_output = np.concatenate(outputs)
    far = 1 + int(np.argmax([length(delta) for delta in deltas]))
    data = {
        "x": x,
        "context_1": contexts[0],
        "context_2": contexts[1],
        "W_output_1": outputs[0],
        "W_output_2": outputs[1],
    }
    return data, [
        exact("delta", one, {"other_head": two, "turned": np.array(outputs[0]) @ contexts[0]}, head=1),
        exact("delta", two, {"other_head": one, "turned": np.array(outputs[1]) @ contexts[1]}, head=2),
        exact("joined", joined @ W_output, {"averaged": (one + two) / 2}, joined=tuple(map(int, joined))),
        exact("new", x + one + two, {"replaced": one + two}),
        exact("one_off", x + one, {"other_head": x + two, "replaced": one}, head=2),
        exact("farthest", far, {}),
    ]


def cross_attention(random):
    """One sentence asks, another answers."""
    asking, answering = random.choice(PHRASES)
    place = random.randrange(len(asking))
    query, key = query_and_keys(random, len(answering), 12)
    value = tuple(vector(random, 2, -3, 4) for _ in answering)
    trace = scaled_dot_product_attention([query], key, value)
    unscaled = scaled_dot_product_attention([query], key, value, scale=1.0)
    m, n = len(asking), len(answering)
    more = random.randint(2, 5)
    quarters = (*random.choice(QUARTERS), 0)[:n]
    data = {
        "asking": asking,
        "answering": answering,
        "first": asking[place],
        "query": query,
        "keys": named(answering, key),
    }
    return data, [
        exact("scores", trace.scores[0]),
        rounded("weights", trace.weights[0], {"not_scaled": unscaled.weights[0]}),
        chosen("most", answering[int(trace.weights[0].argmax())], answering),
        exact("how_many_weights", m * (n + more), {"both_added": m + n + more, "as_before": m * n}, more=more),
        exact(
            "how_many_vectors", m, {"as_many_as_answer": n + more, "as_many_weights": m * (n + more)}, more=more
        ),
        exact(
            "mixed",
            np.array(quarters) @ value,
            {"sum_not_mix": np.sum(value, axis=0)},
            shares=named(answering, quarters),
            values=named(answering, value),
        ),
    ]


def scale(random):
    """Parameters counted, and what grows with the text."""
    heads, d_k, layers = random.choice((2, 4, 8)), random.choice((16, 32, 64)), random.randint(2, 6)
    shape = TransformerShape(d_model=heads * d_k, d_k=d_k, num_heads=heads, num_layers=layers)
    count = count_parameters(shape)
    context, times = random.choice((16, 32, 64, 100)), random.choice((2, 3, 10))
    sizes = {"d_model": shape.d_model, "d_k": d_k, "heads": heads, "layers": layers}
    return sizes, [
        exact("per_matrix", count.per_matrix),
        exact("per_head", count.per_head, {"three_matrices": 3 * count.per_matrix}),
        exact("per_layer", count.per_layer, {"one_head": count.per_head}),
        exact("attention", count.attention_total, {"one_layer": count.per_layer}),
        exact(
            "feed_forward",
            count.feed_forward_total,
            {"one_layer": count.feed_forward_total / layers},
            d_ff=shape.d_ff,
        ),
        exact("pattern", pattern_entries(context), {"both_added": 2 * context}, context=context),
        exact(
            "longer", pattern_entries(times * context) / pattern_entries(context), {"in_step": times}, times=times
        ),
    ]


RECIPES = {"multi_head": multi_head, "cross_attention": cross_attention, "scale": scale}
