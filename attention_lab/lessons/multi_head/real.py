"""All heads of one layer of a real model, on one sentence."""

from itertools import combinations

import numpy as np

from attention_core import load_gallery
from attention_lab.figure import real_heads
from attention_lab.state.state import State
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_share

SENTENCE = "it_tired"


def shared(heads: np.ndarray) -> float:
    """How much of their weight two heads (n, n) give to the same words: the mean over all pairs and rows."""
    return float(np.mean([np.minimum(*pair).sum(axis=-1).mean() for pair in combinations(heads, 2)]))


def one_layer(state: State) -> real_heads.FoldContent:
    """Its heads side by side."""
    run, record, layer = real_heads.run(SENTENCE), load_gallery().record, int(state.real_layer) - 1
    weights = run.weights[layer].astype(float)
    names = [f"head_{head + 1}" for head in range(record["heads"])]
    columns = [real_heads.pattern(state, name, f"{layer + 1}.{head + 1}") for head, name in enumerate(names)]
    constants = dict(zip(names, weights, strict=True)) | {"words": labels(run.tokens)}
    told = {
        "text": run.text,
        "heads": str(record["heads"]),
        "d_model": str(record["d_model"]),
        "d_k": str(record["d_model"] // record["heads"]),
        "layer": state.real_layer,
        "shared": format_share(shared(weights)),
    }
    return real_heads.FoldContent(columns, constants, told)
