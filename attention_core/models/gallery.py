"""A real model's gallery: its results for a dozen sentences, and for words in several senses.

The shipped one is of all-MiniLM-L6-v2 (`tools/training/gallery.py`); `read_gallery` computes one of any model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace
from attention_core.models import weights
from attention_core.models.pretrained import PretrainedModel
from attention_core.softmax import softmax

PLACES = 32  # position vectors in a gallery


@dataclass(frozen=True, eq=False)
class GalleryRun:
    """A forward pass over a sentence of n tokens, [CLS] and [SEP] among them. Every array is read-only.

    The shipped numbers have 16 bits, that is about three digits, and the scores of sentences with *it* 32. The
    weights are computed from these scores.
    """

    text: str
    tokens: tuple[str, ...]
    states: np.ndarray  #: (layers + 1, n, d_model), the residual stream before the first and after each layer
    scaled_scores: np.ndarray  #: (layers, heads, n, n)
    weights: np.ndarray  #: (layers, heads, n, n), rows sum to 1
    value_lengths: np.ndarray  #: (layers, heads, n), the length of each token's value vector
    deletion: np.ndarray  #: (n − 2,), 1 − cosine of the text's vector with and without each ordinary token

    @property
    def weights_by_head(self) -> np.ndarray:
        """The weights, (layers · heads, n, n), with heads counted through all layers."""
        return np.asarray(self.weights, dtype=float).reshape(-1, *self.weights.shape[2:])

    @property
    def marks(self) -> int:
        """The number of special tokens at either end: 1, or 0 for a model without them."""
        return (len(self.tokens) - len(self.deletion)) // 2


@dataclass(frozen=True, eq=False)
class Senses:
    """A word in t texts, in one of its senses each."""

    texts: tuple[str, ...]
    senses: tuple[str, ...]  #: the sense in each text
    vectors: np.ndarray  #: (t, layers + 1, d_model), the word's vector before the first and after each layer

    def cosines(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean cosine of two texts of the same sense, and of different senses, each (layers + 1,)."""
        units = self.vectors / np.linalg.norm(self.vectors, axis=-1, keepdims=True)
        cosines = np.einsum("ald,bld->lab", units, units)
        same = np.equal.outer(self.senses, self.senses)
        pairs = np.triu(np.ones_like(same), 1)
        return cosines[:, same & pairs].mean(axis=-1), cosines[:, ~same & pairs].mean(axis=-1)


@dataclass(frozen=True, eq=False)
class Gallery:
    """Sentences and words in several senses, by name, with a record of their origin."""

    runs: Mapping[str, GalleryRun]
    senses: Mapping[str, Senses]
    positions: np.ndarray  #: (positions, d_model), the first position vectors
    record: Mapping[str, Any]  #: model, source, licence, sha256 of its weights, layers, heads, d_model

    @cached_property
    def head_names(self) -> tuple[str, ...]:
        """The name of every head: its layer and its number in it, both counted from 1, such as ``5.1``."""
        return names_of_heads(self.record)


def names_of_heads(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the name of every head of a model with so many `layers` and `heads`."""
    layers, heads = range(record["layers"]), range(record["heads"])
    return tuple(f"{layer + 1}.{head + 1}" for layer in layers for head in heads)


@cache
def load_gallery() -> Gallery:
    """Load the shipped gallery, cached. Raises `ValueError` where it is missing or damaged.

    >>> load_gallery().senses["bank"].vectors.shape
    (12, 7, 384)
    """
    arrays, record = weights.load("gallery", ("gallery",))
    runs = {}
    try:
        for name, text in record["sentences"].items():
            states, scores, lengths, deletion = (
                checks.frozen(arrays[f"{name}/{part}"].astype(np.float32))
                for part in ("states", "scaled_scores", "value_lengths", "deletion")
            )
            tokens = tuple(record["tokens"][name])
            runs[name] = GalleryRun(
                text, tokens, states, scores, checks.frozen(softmax(scores)), lengths, deletion
            )
        senses = {}
        for word, texts in record["senses"].items():
            named = [(text, sense) for sense, those in texts.items() for text in those]
            vectors = checks.frozen(arrays[f"senses/{word}"].astype(np.float32))
            senses[word] = Senses(*zip(*named, strict=True), vectors)
        positions = checks.frozen(arrays["positions"].astype(np.float32))
    except KeyError as error:
        raise ValueError(f"the gallery has no {error}") from None
    return Gallery(runs, senses, positions, record)


# Galleries of other models --------------------------------------------------------------------------------


def read_sentence(model: PretrainedModel, text: str) -> GalleryRun:
    """Run a model on a text, and measure the effect of deleting each token."""
    run = model.run(text)
    scores = np.stack([trace.masked_scores for trace in run.layers]).astype(np.float32)
    weights = checks.frozen(softmax(scores))
    lengths = checks.frozen(value_lengths(run.layers).astype(np.float32))
    effects = checks.frozen(deletion(model, text).astype(np.float32))
    return GalleryRun(text, run.tokens, run.states, checks.frozen(scores), weights, lengths, effects)


def value_lengths(layers: Sequence[AttentionTrace]) -> np.ndarray:
    """Compute the length of each token's value vector in every head, (layers, heads, n); heads may share them."""
    lengths = np.linalg.norm(np.stack([trace.value for trace in layers]), axis=-1)
    shared = layers[0].key_heads
    return lengths if shared is None else lengths[:, list(shared)]


def read_gallery(model: PretrainedModel, sentences: Mapping[str, str], senses: Mapping[str, Any]) -> Gallery:
    """Compute a model's gallery, of the sentences that fit it and the words that are one token in all texts."""
    vectors_of = {}
    for word, texts in senses.items():
        named = [(text, sense) for sense, those in texts.items() for text in those]
        numbers, tokens = zip(*(model.tokeniser.encode(text) for text, _ in named), strict=True)
        places = [place_of(each, word) for each in tokens]
        if None not in places and all(_fits(model, text) for text, _ in named):
            states = model.run_together(numbers)
            vectors = np.stack([each[:, place] for each, place in zip(states, places, strict=True)])
            vectors_of[word] = Senses(*zip(*named, strict=True), checks.frozen(vectors))
    record = {"model": model.name, "sha256": model.sha256}
    record |= {name: int(model.settings[name]) for name in ("layers", "heads", "d_model")}
    short = {name: text for name, text in sentences.items() if _fits(model, text)}
    runs = {name: read_sentence(model, text) for name, text in short.items()}
    return Gallery(runs, vectors_of, checks.frozen(model.positions[:PLACES]), record)


def _fits(model: PretrainedModel, text: str) -> bool:
    return len(model.tokeniser.encode(text)[0]) <= model.longest


def place_of(tokens: Sequence[str], word: str) -> int | None:
    """Return the first position of a word among the tokens; None if it is not a token of its own."""
    return next((place for place, token in enumerate(tokens) if token.strip() == word), None)


def meaning(states: np.ndarray) -> np.ndarray:
    """Compute a text's embedding: the mean of its tokens' last vectors, scaled to length 1."""
    mean = states[-1].mean(axis=0) if states.shape[1] else np.zeros(states.shape[2], states.dtype)
    return mean / (np.linalg.norm(mean) or 1)


def deletion(model: PretrainedModel, text: str) -> np.ndarray:
    """Compute for each ordinary token 1 − cosine of the text's embedding with and without it."""
    numbers, _ = model.tokeniser.encode(text)
    marks = model.kind.marks
    places = range(marks, len(numbers) - marks)
    without = [[*numbers[:place], *numbers[place + 1 :]] for place in places]
    whole, *others = map(meaning, model.run_together([numbers, *without]))
    return np.array([1 - whole @ other for other in others])
