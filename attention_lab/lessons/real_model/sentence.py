"""A sentence that went through a model, with what every visit of the page needs of it."""

from dataclasses import dataclass

import numpy as np

from attention_core import GalleryRun
from attention_lab import text as prose
from attention_lab.calculation import BinaryArrays, pack_arrays
from attention_lab.text.labels import is_seen, labels, with_signs
from attention_lab.text.languages import by_language

CALLED = {" ": "space", "\n": "line_break", "\t": "tab"}  # the sections of their names


@dataclass(frozen=True, eq=False)
class Sentence:
    """A run of a model, ready for the page."""

    run: GalleryRun
    names: tuple[str, ...]  # of the tokens; of two alike the second is numbered
    received: np.ndarray  # (n,), the weight of each token: the mean over all heads and all queries
    packed: BinaryArrays  # the scores of all heads, counted through all layers


def prepare(run: GalleryRun) -> Sentence:
    """Prepare a run for the page."""
    scores = run.scaled_scores
    packed = pack_arrays({"scores": scores.reshape(-1, *scores.shape[2:])})
    return Sentence(run, labels(run.tokens), received(run), packed)


@by_language()
def visible(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return tokens as they are shown: of one that nobody could see, signs for its characters, and its name."""
    return tuple(token if is_seen(token) else f"{with_signs(token)} {_called(token)}".strip() for token in tokens)


def _called(token: str) -> str:
    return prose.read("real_model")[f"tokens/{CALLED[token[0]]}"] if token[0] in CALLED else ""


def received(run: GalleryRun) -> np.ndarray:
    """The weight of each token: the mean over all heads and all queries, (n,)."""
    return run.weights_by_head.mean(axis=(0, 1))
