"""A small causal language model, its forward pass, what its heads do.

Two layers of five heads, each of which adds what it gathers to every word's vector; no norm and no feed-forward
network, so that nothing happens but attention. The last vector of a text alone decides on the next word.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import groupby, islice
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.heads import MultiHeadAttention, MultiHeadTrace
from attention_core.masks import causal_mask
from attention_core.models import grammar, weights
from attention_core.softmax import softmax

NAMES = ("readable", "plain")
MEASURED, MEASURED_SEED = 500, 10_000  #: how many held-out texts all figures are from, and their seed
BATCH = 16  # texts of one length that are read at once when many are measured
UNMASKED = "unmasked"  #: trained without the causal mask: it could peek at the word that it was to say

#: the question of a head, and the head (layer, head) that was asked it in training, both counted from 0
QUESTIONS = {
    "previous": (0, 0),
    "colour": (0, 1),
    "texture": (0, 2),
    "sense": (0, 3),
    "animal_or_street": (0, 4),
    "trophy_or_box": (1, 0),
    "induction": (1, 1),
}
#: what is measured of every head: these questions, and two that no head was asked in training
MEASURED_QUESTIONS = (*QUESTIONS, "colour_again", "texture_again")


@dataclass(frozen=True, eq=False)
class LanguageRun:
    """What the model did with a text of n words. Every array is read-only."""

    words: tuple[str, ...]
    states: np.ndarray  #: (layers + 1, n, d_model), every word's vector at the start and after each layer
    layers: tuple[MultiHeadTrace, ...]  #: what each layer's heads did
    next_word: np.ndarray  #: (n, vocabulary), the shares of the next word after each; rows sum to 1
    logits: np.ndarray  #: (layers + 1, n, vocabulary), what each state would say if it were the last


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """Weights that say the next word.

    `embeddings` is (vocabulary, d_model), `positions` (longest, d_model), `W_query`, `W_key` and `W_value` are
    (layers, heads, d_model, d_k), `W_output` is (layers, heads, d_k, d_model), `W_vocabulary` (d_model,
    vocabulary), `bias` (vocabulary,). Raises `ValueError` where they do not fit one another.
    """

    name: str
    words: tuple[str, ...]  #: the vocabulary
    record: Mapping[str, Any]  #: how it was made: script, seed, steps, and what it reached on held-out texts
    embeddings: np.ndarray
    positions: np.ndarray
    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    W_output: np.ndarray
    W_vocabulary: np.ndarray
    bias: np.ndarray

    def __post_init__(self):
        """Check that everything fits."""
        vocabulary, d_model = len(self.words), self.embeddings.shape[-1]
        wanted = {
            "embeddings": (vocabulary, d_model),
            "positions": (len(self.positions), d_model),
            "W_vocabulary": (d_model, vocabulary),
            "bias": (vocabulary,),
            "W_query": (*self.W_query.shape[:2], d_model, self.W_query.shape[-1]),
        }
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {getattr(self, name).shape}")
        parts = (self.W_query, self.W_key, self.W_value, self.W_output)
        attention = tuple(MultiHeadAttention(*matrices) for matrices in zip(*parts, strict=True))
        vars(self).update(attention=attention)

    @property
    def heads(self) -> tuple[int, int]:
        """How many layers, and how many heads each has."""
        return self.W_query.shape[:2]

    @property
    def size(self) -> int:
        """How many numbers were learned: those of all its arrays."""
        return sum(array.size for array in vars(self).values() if isinstance(array, np.ndarray))

    @property
    def longest(self) -> int:
        """How many words a text may have."""
        return len(self.positions)

    @property
    def fingerprint(self) -> str:
        """Eight letters that stand for these weights and no others."""
        numbers = (array for name, array in sorted(vars(self).items()) if isinstance(array, np.ndarray))
        return hashlib.sha256(b"".join(array.tobytes() for array in numbers)).hexdigest()[:8]

    def places(self, words: Sequence[str]) -> np.ndarray:
        """The numbers of the words in the vocabulary.

        Raises `ValueError` for a word that the model does not know, naming it, and for more words than `longest`.
        """
        return weights.places(words, self.words, self.longest)

    def run(
        self,
        words: Sequence[str],
        heads_off: Sequence[tuple[int, int]] = (),
        strengths: np.ndarray | None = None,
    ) -> LanguageRun:
        """Read a text. The heads of `heads_off`, (layer, head) from 0, add nothing.

        `strengths`, (layers, heads), is how much of what it gathers each head adds, instead of all of it. Every
        word looks at itself and those before it; at all of them in a model that was trained *unmasked*. Raises
        `ValueError` for an unknown word, for too many words and for a head that there is not.
        """
        states, layers = self.read(self.places(words), _strengths(self, heads_off, strengths))
        logits = states @ self.W_vocabulary + self.bias
        frozen = (checks.frozen(array) for array in (states, softmax(logits[-1]), logits))
        states, next_word, logits = frozen
        return LanguageRun(tuple(words), states, tuple(layers), next_word, logits)

    def read(self, places: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, list[MultiHeadTrace]]:
        """The states, (layers + 1, ..., n, d_model), and all layers' heads, of texts by their words' numbers."""
        mask = None if self.name == UNMASKED else causal_mask(places.shape[-1])
        x = self.embeddings[places] + self.positions[: places.shape[-1]]
        states, layers = [x], []
        for attention, strength in zip(self.attention, strengths, strict=True):
            trace = _dimmed(attention, strength).attend(x, mask=mask)
            x = x + trace.output
            states.append(x)
            layers.append(trace)
        return np.stack(states), layers


ARRAYS = {each.name for each in fields(LanguageModel)} - {"name", "words", "record"}


def _strengths(
    model: LanguageModel, heads_off: Sequence[tuple[int, int]], strengths: np.ndarray | None
) -> np.ndarray:
    """How much each head adds, (layers, heads)."""
    layers, heads = model.heads
    found = np.ones(model.heads) if strengths is None else np.array(strengths, dtype=float)
    if found.shape != model.heads:
        raise ValueError(f"strengths must have shape {model.heads}, got {found.shape}")
    for layer, head in heads_off:
        if not (0 <= layer < layers and 0 <= head < heads):
            raise ValueError(
                f"there is no head {(layer, head)}: layers are 0 to {layers - 1}, heads 0 to {heads - 1}"
            )
        found[layer, head] = 0
    return found


def _dimmed(attention: MultiHeadAttention, strength: np.ndarray) -> MultiHeadAttention:
    if np.all(strength == 1):
        return attention
    W_output = attention.W_output * strength[:, None, None].astype(attention.W_output.dtype)
    return MultiHeadAttention(attention.W_query, attention.W_key, attention.W_value, W_output)


def load_language_model(name: str = "readable") -> LanguageModel:
    """The shipped model of that name: *readable*, whose heads had a question each, *plain* or *unmasked*.

    Raises `KeyError`, naming the known, for another name, and `ValueError` for weights missing or damaged.
    """
    arrays, record = weights.load(name, (*NAMES, UNMASKED))
    if wrong := set(arrays) ^ ARRAYS:
        raise ValueError(f"the weights {name}.npz are not those of a language model: {', '.join(sorted(wrong))}")
    return LanguageModel(name, grammar.WORDS, record, **arrays)


@lru_cache(8)
def held_out_texts(count: int = MEASURED) -> tuple[grammar.Text, ...]:
    """Return so many different texts that no model was trained on, each question of them once."""
    return tuple(islice(grammar.distinct(grammar.texts(MEASURED_SEED, held_out=True)), count))


def links(text: grammar.Text) -> tuple[grammar.Link, ...]:
    """Return a text's links, among them one from each word to the word before."""
    return text.links + tuple(grammar.Link(at, at - 1, "previous") for at in range(1, len(text.words)))


def measure_heads(model: LanguageModel, texts: Sequence[grammar.Text]) -> dict[str, np.ndarray]:
    """For each question, (layers, heads): the mean share of attention that a head gives to the answer's word."""
    sums = {kind: np.zeros(model.heads) for kind in MEASURED_QUESTIONS}
    for batch, _, layers in _read_in_batches(model, texts, np.ones(model.heads)):
        weights_ = np.stack([layer.heads.weights for layer in layers])
        for row, text in enumerate(batch):
            for link in links(text):
                sums[link.kind] += weights_[:, row, :, link.query, link.key]
    counts = count_questions(texts)
    return {kind: sums[kind] / max(1, counts[kind]) for kind in MEASURED_QUESTIONS}


def measure_key_composition(
    model: LanguageModel, writer: int, reader: int, kind: str, texts: Sequence[grammar.Text]
) -> tuple[float, float]:
    """Return the mean weight that a head of layer 2 gives to a question's answer, and what is left of it.

    What is left when the update of one head of layer 1, the `writer`, is taken out of the `reader`'s keys, and of
    nothing else: K-composition (Elhage et al. 2021). Raises `KeyError` for an unknown question.
    """
    if kind not in MEASURED_QUESTIONS:
        raise KeyError(f"unknown question {kind!r}; known: {', '.join(MEASURED_QUESTIONS)}")
    W_query, W_key = model.W_query[1, reader], model.W_key[1, reader]
    whole, left = [], []
    for batch, states, layers in _read_in_batches(model, texts, np.ones(model.heads)):
        x, update = states[1], layers[0].deltas[:, writer]
        scores = x @ W_query @ ((x - update) @ W_key).swapaxes(-1, -2) * W_query.shape[-1] ** -0.5
        weights_ = softmax(np.where(causal_mask(x.shape[-2]), scores, -np.inf))
        for row, text in enumerate(batch):
            for link in links(text):
                if link.kind == kind:
                    whole.append(layers[1].heads.weights[row, reader, link.query, link.key])
                    left.append(weights_[row, link.query, link.key])
    return float(np.mean(whole)), float(np.mean(left))


def count_questions(texts: Sequence[grammar.Text]) -> dict[str, int]:
    """For each question, how often it is asked in these texts."""
    counts = Counter(link.kind for text in texts for link in links(text))
    return {kind: counts[kind] for kind in MEASURED_QUESTIONS}


def measure_answers(
    model: LanguageModel, texts: Sequence[grammar.Text], heads_off: Sequence[tuple[int, int]] = ()
) -> dict[str, float]:
    """For each reason that a next word may have: how often the model's first choice is right."""
    right: dict[str, list[bool]] = {}
    for batch, states, _ in _read_in_batches(model, texts, _strengths(model, heads_off, None)):
        chosen = (states[-1] @ model.W_vocabulary + model.bias).argmax(-1)
        for row, text in enumerate(batch):
            for slot in text.slots:
                right.setdefault(slot.kind, []).append(model.words[chosen[row, slot.place]] in slot.answers)
    return {kind: float(np.mean(found)) for kind, found in sorted(right.items())}


def count_answers(texts: Sequence[grammar.Text]) -> dict[str, int]:
    """For each reason that a next word may have, how many next words of these texts have it."""
    return dict(sorted(Counter(slot.kind for text in texts for slot in text.slots).items()))


def _read_in_batches(
    model: LanguageModel, texts: Sequence[grammar.Text], strengths: np.ndarray
) -> Iterator[tuple[tuple[grammar.Text, ...], np.ndarray, list[MultiHeadTrace]]]:
    """Read some texts of one length at a time: the texts, and what `LanguageModel.read` returns for them."""
    for _, of_length in groupby(sorted(texts, key=_length), _length):
        while batch := tuple(islice(of_length, BATCH)):
            yield batch, *model.read(np.stack([model.places(text.words) for text in batch]), strengths)


def _length(text: grammar.Text) -> int:
    return len(text.words)


def measure_loss(model: LanguageModel, texts: Sequence[grammar.Text], *, prefixes: bool = False) -> float:
    """The mean loss of the next word (cross-entropy), read off whole texts or each off the words before it alone.

    Both are the same under a causal mask. Without one, a whole text holds the word that is to be said.
    """
    losses: list[float] = []
    for text in texts:
        following = model.places(text.words[1:])
        if prefixes:
            shares = [model.run(text.words[:end]).next_word[-1] for end in range(1, len(text.words))]
        else:
            shares = model.run(text.words).next_word[:-1]
        losses += [-float(np.log(row[word])) for row, word in zip(shares, following, strict=True)]
    return float(np.mean(losses))
