"""Texts that a large model has written: recorded ones, each read once, ready for the page."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_core import TransformerShape, key_value_cache_bytes, load_recorded_runs
from attention_core.models import unreadable
from attention_core.models.recorded import LARGEST, to_triangle
from attention_lab import text as prose
from attention_lab.calculation import BinaryArrays, pack_arrays
from attention_lab.state import permalink
from attention_lab.text.labels import labels, shown

FILE = "smollm2"
NAMES = tuple(prose.read("generating").parts("recorded_names"))
HEAD = "24.5"  # shown at first: on four of the five capitals it gives the country most of its weight
HEADS = {"mary": "25.5", "list": "19.7", "bread": "17.1"}
NUMBER = 2  # bytes of a 16-bit number


@dataclass(frozen=True, eq=False)
class Written:
    """A text as a model has written it, token by token."""

    tokens: tuple[str, ...]  # as they are shown, n
    start: int  # how many of them were given
    heads: tuple[str, ...]  # each by its layer and its number
    of_layer: tuple[int, int]  # query heads and KV heads of a layer
    packed: BinaryArrays  # weights (heads, n (n + 1) / 2), row by row; top (steps, 50), probabilities
    top_tokens: list[list[str]]  # (steps, 50), as they are shown
    d_k: int
    bytes_of_token: int  # in the cache
    answers: dict[str, float]  # the first token written; where it is wrong, the right one, too
    number_bytes: int  # of a number in the cache
    longest: int  # how many of the tokens can be shown: those whose weights are known
    places: tuple[int, ...]  # of each head, its row of the packed weights


NOTHING = Written(("–",), 1, ("–",), (1, 1), pack_arrays({}), [[]], 0, 0, {}, 0, 1, (0,))  # without a file


@lru_cache(len(NAMES))
def load(name: str) -> Written:
    """Return a recorded text by its name."""
    if unreadable((FILE,)):
        return NOTHING
    runs = load_recorded_runs()
    run, record = runs.runs[name], runs.record
    d_k = record["d_model"] // record["heads"]
    return Written(
        tuple(map(shown, run.tokens)),
        run.start,
        runs.head_names,
        (record["heads"], record["kv_heads"]),
        pack_arrays({"weights": to_triangle(run.weights_by_head), "top": run.top_probabilities}),
        [list(labels([*map(shown, tokens)])) for tokens in run.top_tokens],
        d_k,
        cache_bytes(record["layers"], record["kv_heads"], d_k, NUMBER),
        {answer.token.strip(): answer.probability for answer in run.answers},
        NUMBER,
        len(run.tokens),
        tuple(range(len(runs.head_names))),
    )


def cache_bytes(layers: int, kv_heads: int, d_k: int, number_bytes: int) -> int:
    """The bytes that a token adds to the cache."""
    return key_value_cache_bytes(TransformerShape(kv_heads * d_k, d_k, kv_heads, layers), 1, number_bytes)


def fingerprint() -> str:
    """What stands for the model's weights; empty where there are none."""
    return "" if unreadable((FILE,)) else permalink.fingerprint_of(load_recorded_runs().record["sha256"])


def first_row(written: Written, head: str) -> np.ndarray:
    """The weights of the beginning's last token in a head."""
    begin = written.start * (written.start - 1) // 2
    return written.packed.arrays["weights"][written.heads.index(head), begin : begin + written.start] / LARGEST
