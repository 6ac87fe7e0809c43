"""A real model's gallery: a dozen sentences that went through all-MiniLM-L6-v2 once (`training/gallery.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.models import weights
from attention_core.softmax import softmax


@dataclass(frozen=True, eq=False)
class GalleryRun:
    """What the model did with a sentence of n tokens, [CLS] and [SEP] among them. Every array is read-only.

    Numbers were kept in 16 bits, that is to about three digits; the weights are computed from the kept scores.
    """

    text: str
    tokens: tuple[str, ...]
    states: np.ndarray  #: (layers + 1, n, d_model), every token's vector at the start and after each layer
    scaled_scores: np.ndarray  #: (layers, heads, n, n)
    weights: np.ndarray  #: (layers, heads, n, n), rows sum to 1
    deletion: (
        np.ndarray
    )  #: (n − 2,), how far the text's vector turns (1 − cosine) without the token between the marks


@dataclass(frozen=True, eq=False)
class Senses:
    """A word in t texts, each of which means it in one of its senses."""

    texts: tuple[str, ...]
    senses: tuple[str, ...]  #: what the word means in each text
    vectors: np.ndarray  #: (t, layers + 1, d_model), the word's vector at the start and after each layer

    def cosines(self) -> tuple[np.ndarray, np.ndarray]:
        """The mean cosine of two texts of one sense, and of two senses, each (layers + 1,)."""
        units = self.vectors / np.linalg.norm(self.vectors, axis=-1, keepdims=True)
        cosines = np.einsum("ald,bld->lab", units, units)
        alike = np.equal.outer(self.senses, self.senses)
        pairs = np.triu(np.ones_like(alike), 1)
        return cosines[:, alike & pairs].mean(axis=-1), cosines[:, ~alike & pairs].mean(axis=-1)


@dataclass(frozen=True, eq=False)
class Gallery:
    """The sentences by name, words in several senses, and how all was made."""

    runs: Mapping[str, GalleryRun]
    senses: Mapping[str, Senses]
    record: Mapping[str, Any]  #: model, source, licence, sha256 of its weights, layers, heads, d_model


def load_gallery() -> Gallery:
    """The shipped gallery. Raises `ValueError` where it is missing or damaged."""
    arrays, record = weights.load("gallery", ("gallery",))
    runs = {}
    try:
        for name, text in record["sentences"].items():
            states, scores, deletion = (
                checks.frozen(arrays[f"{name}/{part}"].astype(np.float32))
                for part in ("states", "scaled_scores", "deletion")
            )
            tokens = tuple(record["tokens"][name])
            runs[name] = GalleryRun(text, tokens, states, scores, checks.frozen(softmax(scores)), deletion)
        senses = {}
        for word, texts in record["senses"].items():
            named = [(text, sense) for sense, those in texts.items() for text in those]
            vectors = checks.frozen(arrays[f"senses/{word}"].astype(np.float32))
            senses[word] = Senses(*zip(*named, strict=True), vectors)
    except KeyError as why:
        raise ValueError(f"the gallery lacks {why}") from None
    return Gallery(runs, senses, record)
