"""A small causal language model: its forward pass, and measurements of its heads.

Two layers of five heads, each of which adds its update to the residual stream; without norms and feed-forward
networks, so that attention alone does everything. The last vector of a text predicts the next word.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import groupby, islice
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.heads import MultiHeadAttention, MultiHeadTrace
from attention_core.masks import causal_mask
from attention_core.models import grammar, weights
from attention_core.softmax import softmax

NAMES = ("readable", "plain")
MEASURED, MEASURED_SEED = 500, 10_000  #: the number of held-out texts that all figures are from, and their seed
BATCH = 16  # texts of one length in a forward pass of a measurement
UNMASKED = "unmasked"  #: trained without the causal mask: it could attend to the word to be predicted

#: the question that a head (layer, head), both counted from 0, was trained for
QUESTIONS = {
    "previous": (0, 0),
    "colour": (0, 1),
    "texture": (0, 2),
    "sense": (0, 3),
    "animal_or_street": (0, 4),
    "trophy_or_box": (1, 0),
    "induction": (1, 1),
}
#: the questions that every head is measured for: these, and two that no head was trained for
MEASURED_QUESTIONS = (*QUESTIONS, "colour_again", "texture_again")


@dataclass(frozen=True, eq=False)
class LanguageRun:
    """A forward pass over a text of n words. Every array is read-only."""

    words: tuple[str, ...]
    states: np.ndarray  #: (layers + 1, n, d_model), the residual stream before the first and after each layer
    layers: tuple[MultiHeadTrace, ...]  #: the heads of each layer
    next_word: np.ndarray  #: (n, vocabulary), the probabilities of the word after each; rows sum to 1
    logits: np.ndarray  #: (layers + 1, n, vocabulary), of each state as if it were the last


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A language model with its weights.

    `embeddings` is (vocabulary, d_model), `positions` (longest, d_model), `W_query`, `W_key` and `W_value` are
    (layers, heads, d_model, d_k), `W_output` is (layers, heads, d_k, d_model), `W_vocabulary` (d_model,
    vocabulary), `bias` (vocabulary,). Raises `ValueError` for shapes that do not fit one another.
    """

    name: str
    words: tuple[str, ...]  #: the vocabulary
    record: Mapping[str, Any]  #: script, seed and steps of its training, and its accuracy on held-out texts
    embeddings: np.ndarray
    positions: np.ndarray
    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    W_output: np.ndarray
    W_vocabulary: np.ndarray
    bias: np.ndarray

    def __post_init__(self):
        vocabulary, d_model = len(self.words), self.embeddings.shape[-1]
        shapes = {
            "embeddings": (vocabulary, d_model),
            "positions": (len(self.positions), d_model),
            "W_vocabulary": (d_model, vocabulary),
            "bias": (vocabulary,),
            "W_query": (*self.W_query.shape[:2], d_model, self.W_query.shape[-1]),
            "W_key": self.W_query.shape,
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {getattr(self, name).shape}")
        _ = self.attention  # checks the matrices of its heads

    @cached_property
    def attention(self) -> tuple[MultiHeadAttention, ...]:
        """The heads of each layer."""
        matrices = zip(self.W_query, self.W_key, self.W_value, self.W_output, strict=True)
        return tuple(MultiHeadAttention(*of_layer) for of_layer in matrices)

    @property
    def heads(self) -> tuple[int, int]:
        """The number of layers, and of heads in each."""
        return self.W_query.shape[:2]

    @property
    def size(self) -> int:
        """The number of parameters."""
        return sum(getattr(self, name).size for name in ARRAYS)

    @property
    def longest(self) -> int:
        """The greatest number of words of a text."""
        return len(self.positions)

    @cached_property
    def fingerprint(self) -> str:
        """The first eight digits of the weights' SHA-256."""
        return weights.fingerprint({name: getattr(self, name) for name in ARRAYS})

    def places(self, words: Sequence[str]) -> np.ndarray:
        """Return the indices of words in the vocabulary.

        Raises `ValueError` for an unknown word, naming it, and for more words than `longest`.
        """
        return weights.places(words, self.words, self.longest)

    def run(
        self,
        words: Sequence[str],
        heads_off: Sequence[tuple[int, int]] = (),
        strengths: np.ndarray | None = None,
    ) -> LanguageRun:
        """Run the model on a text. The heads of `heads_off`, (layer, head) from 0, are ablated.

        `strengths`, (layers, heads), multiplies each head's update. Every word attends to itself and to the words
        before it; in the *unmasked* model to all words. Raises `ValueError` for an unknown word, for too many
        words and for a head that does not exist.
        """
        states, layers = self.read(self.places(words), _strengths(self, heads_off, strengths))
        logits = states @ self.W_vocabulary + self.bias
        states, next_word, logits = map(checks.frozen, (states, softmax(logits[-1]), logits))
        return LanguageRun(tuple(words), states, tuple(layers), next_word, logits)

    def read(self, places: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, list[MultiHeadTrace]]:
        """Compute the states, (layers + 1, …, n, d_model), and all layers' heads, of indices of words, (…, n)."""
        mask = None if self.name == UNMASKED else causal_mask(places.shape[-1])
        x = self.embeddings[places] + self.positions[: places.shape[-1]]
        states, layers = [x], []
        for attention, strength in zip(self.attention, strengths, strict=True):
            trace = _scale_updates(attention, strength).attend(x, mask=mask)
            x = x + trace.output
            states.append(x)
            layers.append(trace)
        return np.stack(states), layers


ARRAYS = tuple(each.name for each in fields(LanguageModel) if each.type is np.ndarray)


def _strengths(
    model: LanguageModel, heads_off: Sequence[tuple[int, int]], strengths: np.ndarray | None
) -> np.ndarray:
    """A checked copy of the strengths, (layers, heads), with 0 for the heads that are off."""
    strengths = np.ones(model.heads) if strengths is None else np.array(strengths, dtype=float)
    if strengths.shape != model.heads:
        raise ValueError(f"strengths must have shape {model.heads}, got {strengths.shape}")
    for layer, head in checks.heads(heads_off, *model.heads):
        strengths[layer, head] = 0
    return strengths


def _scale_updates(attention: MultiHeadAttention, strength: np.ndarray) -> MultiHeadAttention:
    """The same heads with their updates multiplied by a strength each, (heads,)."""
    if np.all(strength == 1):
        return attention
    W_output = attention.W_output * strength[:, None, None].astype(attention.W_output.dtype)
    return MultiHeadAttention(attention.W_query, attention.W_key, attention.W_value, W_output)


def load_language_model(name: str = "readable") -> LanguageModel:
    """Load the shipped model *readable*, whose heads were trained for a question each, *plain* or *unmasked*.

    Raises `KeyError`, naming the known ones, for an unknown name, and `ValueError` for missing or damaged
    weights.

    >>> load_language_model("readable").W_query.shape
    (2, 5, 40, 8)
    """
    arrays, record = weights.load(name, (*NAMES, UNMASKED))
    if different := set(arrays) ^ set(ARRAYS):
        names = ", ".join(sorted(different))
        raise ValueError(f"the weights {name}.npz are not those of a language model: {names}")
    return LanguageModel(name, grammar.WORDS, record, **arrays)


@lru_cache(8)
def held_out_texts(count: int = MEASURED) -> tuple[grammar.Text, ...]:
    """Return `count` different texts that no model was trained on, with every question once."""
    return tuple(islice(grammar.distinct(grammar.texts(MEASURED_SEED, held_out=True)), count))


def with_previous(texts: Sequence[grammar.Text]) -> list[grammar.Text]:
    """Add a link from each word to the previous word, as `grammar.distinct` does: equal beginnings count once."""

    def previous(text: grammar.Text) -> tuple[grammar.Link, ...]:
        return tuple(grammar.Link(at, at - 1, "previous") for at in range(1, len(text.words)))

    return list(grammar.distinct(replace(text, links=text.links + previous(text)) for text in texts))


def measure_heads(model: LanguageModel, texts: Sequence[grammar.Text]) -> dict[str, np.ndarray]:
    """Measure for each question the mean weight of every head on the answer: {question: (layers, heads)}."""
    sums, counts = {kind: np.zeros(model.heads) for kind in MEASURED_QUESTIONS}, Counter()
    for batch, _, layers in _read_in_batches(model, with_previous(texts), np.ones(model.heads)):
        weights_ = np.stack([layer.heads.weights for layer in layers])
        for row, text in enumerate(batch):
            for link in text.links:
                sums[link.kind] += weights_[:, row, :, link.query, link.key]
                counts[link.kind] += 1
    return {kind: sums[kind] / max(1, counts[kind]) for kind in MEASURED_QUESTIONS}


def measure_key_composition(
    model: LanguageModel, writer: int, reader: int, kind: str, texts: Sequence[grammar.Text]
) -> tuple[float, float]:
    """Measure the mean weight of a head of layer 2 on a question's answer, with and without K-composition.

    Without it, the update of one head of layer 1, the `writer`, is removed from the keys of the `reader` and from
    nothing else (Elhage et al. 2021). Raises `KeyError` for an unknown question.
    """
    if kind not in MEASURED_QUESTIONS:
        raise KeyError(f"unknown question {kind!r}; known: {', '.join(MEASURED_QUESTIONS)}")
    W_query, W_key = model.W_query[1, reader], model.W_key[1, reader]
    whole, ablated = [], []
    for batch, states, layers in _read_in_batches(model, with_previous(texts), np.ones(model.heads)):
        x, update = states[1], layers[0].deltas[:, writer]
        scores = x @ W_query @ ((x - update) @ W_key).swapaxes(-1, -2) * W_query.shape[-1] ** -0.5
        weights_ = softmax(np.where(causal_mask(x.shape[-2]), scores, -np.inf))
        for row, text in enumerate(batch):
            for link in text.links:
                if link.kind == kind:
                    whole.append(layers[1].heads.weights[row, reader, link.query, link.key])
                    ablated.append(weights_[row, link.query, link.key])
    return float(np.mean(whole)), float(np.mean(ablated))


def count_questions(texts: Sequence[grammar.Text]) -> dict[str, int]:
    """Count the different cases of each question in these texts."""
    counts = Counter(link.kind for text in with_previous(texts) for link in text.links)
    return {kind: counts[kind] for kind in MEASURED_QUESTIONS}


def measure_answers(
    model: LanguageModel, texts: Sequence[grammar.Text], heads_off: Sequence[tuple[int, int]] = ()
) -> dict[str, float]:
    """Measure the accuracy of the model's predictions for each kind of slot."""
    right: dict[str, list[bool]] = {}
    for batch, states, _ in _read_in_batches(model, texts, _strengths(model, heads_off, None)):
        predicted = (states[-1] @ model.W_vocabulary + model.bias).argmax(-1)
        for row, text in enumerate(batch):
            for slot in text.slots:
                right.setdefault(slot.kind, []).append(model.words[predicted[row, slot.place]] in slot.answers)
    return {kind: float(np.mean(hits)) for kind, hits in sorted(right.items())}


def count_answers(texts: Sequence[grammar.Text]) -> dict[str, int]:
    """Count the slots of each kind in these texts."""
    return dict(sorted(Counter(slot.kind for text in texts for slot in text.slots).items()))


def _read_in_batches(
    model: LanguageModel, texts: Sequence[grammar.Text], strengths: np.ndarray
) -> Iterator[tuple[tuple[grammar.Text, ...], np.ndarray, list[MultiHeadTrace]]]:
    """Yield batches of texts of equal length with the results of `LanguageModel.read`."""
    for _, of_length in groupby(sorted(texts, key=_length), _length):
        while batch := tuple(islice(of_length, BATCH)):
            yield batch, *model.read(np.stack([model.places(text.words) for text in batch]), strengths)


def _length(text: grammar.Text) -> int:
    return len(text.words)
