"""Small translators from English to French, trained by `tools/training/translator.py`: the forward pass in NumPy.

The English words become vectors (in two of the models with self-attention in an encoder); the French words so far
attend to one another and then, by cross-attention, to the English ones; the last predicts the next word. A norm
precedes each part. There is no feed-forward network: attention alone does everything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend
from attention_core.block import layer_norm
from attention_core.masks import causal_mask
from attention_core.models import phrases, weights
from attention_core.softmax import softmax

NAMES = ("aligned", "through_encoder", "two_heads")
MEASURED, MEASURED_SEED = 500, 10_000  #: the number of held-out texts that all figures are from, and their seed
BEGIN, END = (phrases.TARGET_WORDS.index(mark) for mark in (phrases.BEGIN, phrases.END))
PARTS = ("encoder", "decoder", "across")
NORMS = ("encoder", "decoder", "across", "memory")  # one before each part, and one of the English vectors
LINK = 0.5  # the least weight of a link
MATRICES = ("W_query", "W_key", "W_value", "W_output")


@dataclass(frozen=True, eq=False)
class Translation:
    """A translation of n_in English words into n_out French ones. Every array is read-only."""

    source: tuple[str, ...]
    words: tuple[str, ...]  #: the French words
    weights: np.ndarray  #: (heads, n_out, n_in), the cross-attention that predicts each French word
    gold: tuple[int, ...]  #: for each French word the position of its English source, or −1
    next_word: np.ndarray  #: (n_out + 1, French vocabulary), the probabilities of each word and of the end
    encoder: AttentionTrace | None  #: (heads, n_in, n_in), self-attention of the English words
    decoder: AttentionTrace  #: (heads, n_out + 1, n_out + 1), of the French words after the begin token
    across: AttentionTrace  #: (heads, n_out + 1, n_in), cross-attention


@dataclass(frozen=True, eq=False)
class DecodedWords:
    """A translation of n_in words as the indices of n_out words."""

    said: tuple[int, ...]
    weights: np.ndarray  #: (heads, n_out + 1, n_in); the last row predicts the end
    next_word: np.ndarray  #: (n_out + 1, French vocabulary)


@dataclass(frozen=True, eq=False)
class Translator:
    """A translator with its weights.

    `parameters` by name: `source` (English vocabulary, d_model), `source_positions`, `target`,
    `target_positions`; `<part>_W_query` … `<part>_W_output`, (heads, d_model, d_k) and (heads, d_k, d_model), for
    the parts *encoder* (not in every model), *decoder* and *across*; `<norm>_scale` and `<norm>_shift` for these
    and *memory*; `W_vocabulary` (d_model, French vocabulary) and `bias`. With `raw_values` the values of the
    cross-attention are the English words' own vectors, and the encoder's update is added to the keys alone.
    Without, the encoder's update replaces a word's own vector in both.
    """

    name: str
    words: tuple[str, ...]  #: the English words
    target_words: tuple[str, ...]  #: the French ones, after the begin and end tokens
    record: Mapping[str, Any]  #: its training, and its accuracy on held-out texts
    parameters: Mapping[str, np.ndarray]
    raw_values: bool

    @property
    def longest(self) -> int:
        """The greatest number of English words of a text."""
        return len(self.parameters["source_positions"])

    @cached_property
    def fingerprint(self) -> str:
        """The first eight digits of the weights' SHA-256."""
        return weights.fingerprint(self.parameters)

    def translate(
        self, words: Sequence[str], heads_off: Sequence[int] = (), bent: Sequence[Sequence[float]] = ()
    ) -> Translation:
        """Translate by greedy decoding.

        The cross-attention heads of `heads_off` are ablated. Each of `bent` replaces a row of cross-attention:
        the position of the French word, the head, and a number for each English word, which are normalised.

        Raises `ValueError` for an unknown word, naming it, for more than `longest` words and for a head that does
        not exist.
        """
        source = weights.places(words, self.words, self.longest)
        heads = len(self.parameters["across_W_query"])
        for head in heads_off:
            if not 0 <= head < heads:
                raise ValueError(f"there is no head {head}: heads are 0 to {heads - 1}")
        target, next_word, encoder, decoder, across = decode(
            self.parameters, source, self.raw_values, heads_off, bent
        )
        french = tuple(self.target_words[index] for index in target)
        attended = checks.frozen(across.weights[:, : len(french)].copy())
        gold = phrases.align(tuple(words), french)
        checks.frozen(next_word)
        return Translation(tuple(words), french, attended, gold, next_word, encoder, decoder, across)

    def force(self, words: Sequence[str], french: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Compute the next word's probabilities after each of these French words, and the cross-attention."""
        target = [BEGIN, *map(self.target_words.index, french)]
        source = weights.places(words, self.words, self.longest)
        keys, values, _ = _encode(self.parameters, source, self.raw_values)
        next_word, _, across = _predict(self.parameters, target, keys, values, (), ())
        return next_word, across.weights


def decode(
    parameters: Mapping[str, np.ndarray],
    source: np.ndarray,
    raw_values: bool,
    heads_off: Sequence[int] = (),
    bent: Sequence[Sequence[float]] = (),
) -> tuple[list[int], np.ndarray, AttentionTrace | None, AttentionTrace, AttentionTrace]:
    """Decode greedily: the indices of the French words, and the last four fields of `Translation`.

    For `heads_off` and `bent` see `Translator.translate`.
    """
    target = [BEGIN]
    keys, values, encoder = _encode(parameters, source, raw_values)
    while True:
        next_word, decoder, across = _predict(parameters, target, keys, values, heads_off, bent)
        predicted = int(next_word[-1].argmax())
        if not len(source) or predicted == END or len(target) == len(parameters["target_positions"]):
            return target[1:], next_word, encoder, decoder, across
        target.append(predicted)


def score(weights: np.ndarray, gold: Sequence[int]) -> tuple[int, int, int]:
    """Count the right, wrong and missing links of a head's weights, (n_out, n_in): those of at least a half."""
    links = weights[: len(gold)] >= LINK
    expected = np.arange(weights.shape[1]) == np.reshape(gold, (-1, 1))
    return tuple(int(part.sum()) for part in (links & expected, links & ~expected, expected & ~links))


def _encode(
    parameters: Mapping[str, np.ndarray], source: np.ndarray, raw_values: bool
) -> tuple[np.ndarray, np.ndarray, AttentionTrace | None]:
    """The inputs of cross-attention's keys and values, (n_in, d_model) each, and the encoder's trace."""
    raw = parameters["source"][source]
    x, encoder = raw + parameters["source_positions"][: len(source)], None
    if "encoder_W_query" in parameters:
        normed = _norm(parameters, "encoder", x)
        encoder = _attend(parameters, "encoder", normed, normed, normed)
        update = encoder.delta.sum(axis=-3)
        x = x + update if raw_values else update
    keys = _norm(parameters, "memory", x)
    return keys, _norm(parameters, "memory", raw) if raw_values else keys, encoder


def _predict(
    parameters: Mapping[str, np.ndarray],
    target: Sequence[int],
    keys: np.ndarray,
    values: np.ndarray,
    heads_off: Sequence[int],
    bent: Sequence[Sequence[float]],
) -> tuple[np.ndarray, AttentionTrace, AttentionTrace]:
    """The probabilities of the word after each French one, with both traces."""
    y = parameters["target"][np.array(target)] + parameters["target_positions"][: len(target)]
    normed = _norm(parameters, "decoder", y)
    decoder = _attend(parameters, "decoder", normed, normed, normed, causal_mask(len(target)))
    y = y + decoder.delta.sum(axis=-3)
    across = _attend(parameters, "across", _norm(parameters, "across", y), keys, values)
    if len(bent):
        across = _replace_rows(across, parameters["across_W_output"], bent)
    on = [head for head in range(len(across.delta)) if head not in heads_off]
    y = y + across.delta[on].sum(axis=-3)
    return softmax(y @ parameters["W_vocabulary"] + parameters["bias"]), decoder, across


def _replace_rows(
    across: AttentionTrace, W_output: np.ndarray, bent: Sequence[Sequence[float]]
) -> AttentionTrace:
    """The trace with some rows replaced, and normalised; a row of zeros stays zero."""
    weights = across.weights.copy()
    _, rows, words = weights.shape
    for step, head, *numbers in bent:
        if step < rows and head < len(weights):
            row = np.zeros(words, weights.dtype)
            row[: len(numbers)] = numbers[:words]
            weights[int(head), int(step)] = row / (row.sum() or 1)
    context = weights @ across.value
    changed = {"weights": weights, "context": context, "delta": context @ W_output}
    return replace(across, **{name: checks.frozen(array) for name, array in changed.items()})


def _norm(parameters: Mapping[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    """Layer norm with learned gain and bias."""
    return layer_norm(x) * parameters[f"{name}_scale"] + parameters[f"{name}_shift"]


def _attend(parameters, part, for_query, for_key, for_value, mask=None) -> AttentionTrace:
    """The trace of one part's heads, from the inputs of queries, keys and values, (n, d_model)."""
    W_query, W_key, W_value, W_output = (parameters[f"{part}_{name}"] for name in MATRICES)
    query, key, value = for_query @ W_query, for_key @ W_key, for_value @ W_value
    return attend(query, key, value, mask=mask, W_output=W_output)


def load_translator(name: str = "aligned") -> Translator:
    """Load the shipped translator *aligned*, *through_encoder* or *two_heads*.

    Raises `KeyError`, naming the known ones, for an unknown name, and `ValueError` for missing or damaged
    weights.

    >>> load_translator("aligned").name
    'aligned'
    """
    arrays, record = weights.load(name, NAMES)
    if fault := _fault(arrays):
        raise ValueError(f"the weights {name}.npz are not those of a translator: {fault}")
    return build(name, arrays, record)


def _fault(arrays: Mapping[str, np.ndarray]) -> str:
    """Which array is missing or has a shape that does not fit the words and the other arrays; "" if all fit."""
    parts = [part for part in PARTS if f"{part}_W_query" in arrays or part != "encoder"]
    d_model = arrays["source"].shape[-1] if "source" in arrays else 0
    n_in, n_out = len(phrases.SOURCE_WORDS), len(phrases.TARGET_WORDS)
    shapes = {
        "source": (n_in, d_model),
        "source_positions": (phrases.LONGEST, d_model),
        "target": (n_out, d_model),
    }
    shapes |= {"target_positions": (None, d_model), "W_vocabulary": (d_model, n_out), "bias": (n_out,)}
    shapes |= {f"{norm}_{of}": (d_model,) for norm in (*parts, "memory") for of in ("scale", "shift")}
    for part in parts:
        shapes |= {f"{part}_{matrix}": (None, d_model, None) for matrix in MATRICES[:3]}
        shapes[f"{part}_{MATRICES[3]}"] = (None, None, d_model)
    for name, expected in shapes.items():
        if name not in arrays:
            return f"{name} is missing"
        shape = arrays[name].shape
        if len(shape) != len(expected) or any(e not in (None, s) for e, s in zip(expected, shape, strict=True)):
            return f"{name} has shape {shape}"
    return ""


def build(name: str, parameters: Mapping[str, np.ndarray], record: Mapping[str, Any]) -> Translator:
    """Return the translator with these weights."""
    words, target_words = phrases.SOURCE_WORDS, phrases.TARGET_WORDS
    return Translator(name, words, target_words, record, parameters, raw_values=name == "aligned")


def held_out_texts(unseen: bool = False) -> list[phrases.Pair]:
    """Return the different held-out texts that all figures are from; `unseen` as in `phrases.pairs`."""
    texts = phrases.pairs(MEASURED_SEED + unseen, held_out=True, unseen=unseen)
    return list(islice(phrases.distinct(texts), MEASURED))


def measure(model: Translator, texts: Sequence[phrases.Pair]) -> dict[str, float]:
    """Measure how often the translation is exact, and the cross-attention of exact translations.

    `alignment`: how often the largest weight is on the translated word, of the best head; `mass`: the mean weight
    on that word. A weight of at least a half is a link: `right` and `wrong` links of the same head for each
    French word. `on_noun`: how often another head (if there is only one, the same) has its largest weight on the
    noun with which the word agrees.
    """
    exact, most, mass, right, wrong, on_noun = [], [], [], [], [], []
    for text in texts:
        # Teacher forcing: as long as every prediction is right, it is the one of greedy decoding.
        next_word, weights = model.force(text.english, text.french)
        predicted = [model.target_words[index] for index in next_word.argmax(-1)]
        exact.append(predicted == [*text.french, phrases.END])
        if not exact[-1]:
            continue
        governing = phrases.governing(text.english)
        for place, gold in enumerate(text.gold):
            row = weights[:, place]
            most.append(row.argmax(-1) == gold)
            mass.append(row[:, gold])
            right.append(row[:, gold] >= LINK)
            wrong.append((row >= LINK).any(-1) & (row[:, gold] < LINK))
            if governing[gold] >= 0:
                on_noun.append(row.argmax(-1) == governing[gold])
    if not most:
        names = ("exact", "alignment", "mass", "right", "wrong", "on_noun")
        return dict.fromkeys(names, 0.0) | {"aligning_head": 0}
    alignment, mass, right, wrong, on_noun = (
        np.mean(values, axis=0) for values in (most, mass, right, wrong, on_noun)
    )
    best = int(alignment.argmax())
    others = np.delete(on_noun, best) if len(on_noun) > 1 else on_noun
    return {
        "exact": float(np.mean(exact)),
        "alignment": float(alignment[best]),
        "mass": float(mass[best]),
        "right": float(right[best]),
        "wrong": float(wrong[best]),
        "on_noun": float(others.max()),
        "aligning_head": best,
    }
