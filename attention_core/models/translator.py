"""Small translators from English to French, trained by `tools/training/translator.py`: the forward pass in NumPy.

The English words become vectors (in two of the models an encoder lets them look at one another first); the French
words that are there already look at one another, then across at the English ones, and the last says the next
word. Before each part every vector is normed. There is no feed-forward network: nothing happens but attention.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
MEASURED, MEASURED_SEED = 500, 10_000  #: how many held-out texts all figures are from, and their seed
BEGIN, END = (phrases.TARGET_WORDS.index(mark) for mark in (phrases.BEGIN, phrases.END))
PARTS = ("encoder", "decoder", "across")
NORMS = ("encoder", "decoder", "across", "memory")  # what is normed: for each part, and what answers across
LINK = 0.5  # a weight from which on a link is drawn
MATRICES = ("W_query", "W_key", "W_value", "W_output")


@dataclass(frozen=True, eq=False)
class Translation:
    """What came out, of n_out words, for n_in English words. Every array is read-only."""

    source: tuple[str, ...]
    words: tuple[str, ...]  #: the French words
    weights: np.ndarray  #: (heads, n_out, n_in), where each French word looked when it was said
    gold: tuple[int, ...]  #: for each French word the place of the English one that it translates, or −1
    next_word: np.ndarray  #: (n_out + 1, French vocabulary), the shares of each next word, at last of the end
    encoder: AttentionTrace | None  #: (heads, n_in, n_in): how the English words look at one another
    decoder: AttentionTrace  #: (heads, n_out + 1, n_out + 1): the French ones, from the mark of the beginning
    across: AttentionTrace  #: (heads, n_out + 1, n_in)


@dataclass(frozen=True, eq=False)
class DecodedWords:
    """What was said, by numbers of words, of n_out words for n_in."""

    said: tuple[int, ...]
    weights: np.ndarray  #: (heads, n_out + 1, n_in); the last row is the one of the end
    next_word: np.ndarray  #: (n_out + 1, French vocabulary)


@dataclass(frozen=True, eq=False)
class Translator:
    """Weights that translate.

    `parameters` are by name: `source` (English vocabulary, d_model), `source_positions`, `target`,
    `target_positions`; `<part>_W_query` … `<part>_W_output`, (heads, d_model, d_k) and (heads, d_k, d_model), for
    the parts *encoder* (not in every model), *decoder* and *across*; `<norm>_scale` and `<norm>_shift` for these
    and *memory*; `W_vocabulary` (d_model, French vocabulary) and `bias`. `raw_values`: what is handed over
    across are the English words' own vectors, and the encoder only adds to what answers. Otherwise what the
    encoder's heads have gathered takes the place of a word's own vector, in both.
    """

    name: str
    words: tuple[str, ...]  #: the English words
    target_words: tuple[str, ...]  #: the French ones; the first two mark beginning and end
    record: Mapping[str, Any]  #: how it was made, and what it reached on held-out texts
    parameters: Mapping[str, np.ndarray]
    raw_values: bool

    @property
    def longest(self) -> int:
        """How many English words a text may have."""
        return len(self.parameters["source_positions"])

    @property
    def fingerprint(self) -> str:
        """Eight letters that stand for these weights and no others."""
        arrays = (array for _, array in sorted(self.parameters.items()))
        return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:8]

    def translate(
        self, words: Sequence[str], heads_off: Sequence[int] = (), bent: Sequence[Sequence[float]] = ()
    ) -> Translation:
        """Translate word by word, each time the most likely.

        The heads across of `heads_off` hand nothing over. Each of `bent` is a row across that a hand has set:
        which French word, which head, and what each English word gets, in any unit; its shares of all of it
        count.

        Raises `ValueError`, naming it, for a word that the model does not know, for more than `longest` words and
        for a head that there is not.
        """
        source = weights.places(words, self.words, self.longest)
        heads = len(self.parameters["across_W_query"])
        for head in heads_off:
            if not 0 <= head < heads:
                raise ValueError(f"there is no head {head}: heads are 0 to {heads - 1}")
        target, next_word, encoder, decoder, across = decode(
            self.parameters, source, self.raw_values, heads_off, bent
        )
        said = tuple(self.target_words[number] for number in target)
        seen = checks.frozen(across.weights[:, : len(said)].copy())
        gold = phrases.align(tuple(words), said)
        return Translation(tuple(words), said, seen, gold, checks.frozen(next_word), encoder, decoder, across)

    def given(self, words: Sequence[str], french: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The shares of the word after each of these French ones and the beginning, and the weights across."""
        target = [BEGIN, *map(self.target_words.index, french)]
        keys, values, _ = _read(self.parameters, weights.places(words, self.words, self.longest), self.raw_values)
        next_word, _, across = _say(self.parameters, target, keys, values, (), ())
        return next_word, across.weights


def decode(
    parameters: Mapping[str, np.ndarray],
    source: np.ndarray,
    raw_values: bool,
    heads_off: Sequence[int] = (),
    bent: Sequence[Sequence[float]] = (),
) -> tuple[list[int], np.ndarray, AttentionTrace | None, AttentionTrace, AttentionTrace]:
    """The numbers of the French words for those of the English ones, and how each was found: see `Translation`.

    For `heads_off` and `bent` see `Translator.translate`.
    """
    target = [BEGIN]
    keys, values, encoder = _read(parameters, source, raw_values)
    while True:
        next_word, decoder, across = _say(parameters, target, keys, values, heads_off, bent)
        chosen = int(next_word[-1].argmax())
        if not len(source) or chosen == END or len(target) == len(parameters["target_positions"]):
            return target[1:], next_word, encoder, decoder, across
        target.append(chosen)


def score(weights: np.ndarray, gold: Sequence[int]) -> tuple[int, int, int]:
    """How many links of one head are right, wrong and missed, (n_out, n_in): a weight of half or more is a
    link."""
    links = weights[: len(gold)] >= LINK
    wanted = np.arange(weights.shape[1]) == np.reshape(gold, (-1, 1))
    return tuple(int(each.sum()) for each in (links & wanted, links & ~wanted, wanted & ~links))


def _read(
    parameters: Mapping[str, np.ndarray], source: np.ndarray, raw_values: bool
) -> tuple[np.ndarray, np.ndarray, AttentionTrace | None]:
    """What the English words answer and hand over, each (n_in, d_model), and how they looked at one another."""
    raw = parameters["source"][source]
    x, encoder = raw + parameters["source_positions"][: len(source)], None
    if "encoder_W_query" in parameters:
        normed = _norm(parameters, "encoder", x)
        encoder = _attend(parameters, "encoder", normed, normed, normed)
        mixed = encoder.delta.sum(axis=-3)
        x = x + mixed if raw_values else mixed
    keys = _norm(parameters, "memory", x)
    return keys, _norm(parameters, "memory", raw) if raw_values else keys, encoder


def _say(
    parameters: Mapping[str, np.ndarray],
    target: Sequence[int],
    keys: np.ndarray,
    values: np.ndarray,
    heads_off: Sequence[int],
    bent: Sequence[Sequence[float]],
) -> tuple[np.ndarray, AttentionTrace, AttentionTrace]:
    """The shares of the word after each French one."""
    y = parameters["target"][np.array(target)] + parameters["target_positions"][: len(target)]
    normed = _norm(parameters, "decoder", y)
    decoder = _attend(parameters, "decoder", normed, normed, normed, causal_mask(len(target)))
    y = y + decoder.delta.sum(axis=-3)
    across = _attend(parameters, "across", _norm(parameters, "across", y), keys, values)
    if len(bent):
        across = _with_rows(across, parameters["across_W_output"], bent)
    on = [head for head in range(len(across.delta)) if head not in heads_off]
    y = y + across.delta[on].sum(axis=-3)
    return softmax(y @ parameters["W_vocabulary"] + parameters["bias"]), decoder, across


def _with_rows(across: AttentionTrace, W_output: np.ndarray, bent: Sequence[Sequence[float]]) -> AttentionTrace:
    """The same, with rows that a hand has set; one of zeros hands nothing over."""
    weights = across.weights.copy()
    _, rows, words = weights.shape
    for step, head, *gets in bent:
        if step < rows and head < len(weights):
            wanted = np.zeros(words, weights.dtype)
            wanted[: len(gets)] = gets[:words]
            weights[int(head), int(step)] = wanted / (wanted.sum() or 1)
    context = weights @ across.value
    changed = {"weights": weights, "context": context, "delta": context @ W_output}
    return replace(across, **{name: checks.frozen(array) for name, array in changed.items()})


def _norm(parameters: Mapping[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    """Every vector normed, then stretched and shifted as learned."""
    return layer_norm(x) * parameters[f"{name}_scale"] + parameters[f"{name}_shift"]


def _attend(parameters, part, asks, answers, gives, mask=None) -> AttentionTrace:
    """One part's heads: (heads, n, ·)."""
    W_query, W_key, W_value, W_output = (parameters[f"{part}_{name}"] for name in MATRICES)
    return attend(asks @ W_query, answers @ W_key, gives @ W_value, mask=mask, W_output=W_output)


def load_translator(name: str = "aligned") -> Translator:
    """The shipped translator of that name: *aligned*, *through_encoder* or *two_heads*.

    Raises `KeyError`, naming the known, for another name, and `ValueError` for weights that are missing or
    damaged.
    """
    arrays, record = weights.load(name, NAMES)
    if wrong := _unlike_a_translator(arrays):
        raise ValueError(f"the weights {name}.npz are not those of a translator: {wrong}")
    return build(name, arrays, record)


def _unlike_a_translator(arrays: Mapping[str, np.ndarray]) -> str:
    """What is missing among arrays, or of another shape than the words and the other arrays want."""
    parts = [part for part in PARTS if f"{part}_W_query" in arrays or part != "encoder"]
    d_model = arrays["source"].shape[-1] if "source" in arrays else 0
    n_in, n_out = len(phrases.SOURCE_WORDS), len(phrases.TARGET_WORDS)
    wanted = {
        "source": (n_in, d_model),
        "source_positions": (phrases.LONGEST, d_model),
        "target": (n_out, d_model),
    }
    wanted |= {"target_positions": (None, d_model), "W_vocabulary": (d_model, n_out), "bias": (n_out,)}
    wanted |= {f"{norm}_{of}": (d_model,) for norm in (*parts, "memory") for of in ("scale", "shift")}
    for part in parts:
        wanted |= {f"{part}_{matrix}": (None, d_model, None) for matrix in MATRICES[:3]}
        wanted[f"{part}_{MATRICES[3]}"] = (None, None, d_model)
    for name, shape in wanted.items():
        if name not in arrays:
            return f"{name} is missing"
        have = arrays[name].shape
        if len(have) != len(shape) or any(w not in (None, h) for h, w in zip(have, shape, strict=True)):
            return f"{name} has shape {have}"
    return ""


def build(name: str, parameters: Mapping[str, np.ndarray], record: Mapping[str, Any]) -> Translator:
    """The translator with these weights."""
    words, target_words = phrases.SOURCE_WORDS, phrases.TARGET_WORDS
    return Translator(name, words, target_words, record, parameters, raw_values=name == "aligned")


def held_out_texts(unseen: bool = False) -> list[phrases.Pair]:
    """Return the different held-out texts that all figures are from; `unseen` as in `phrases.pairs`."""
    texts = phrases.pairs(MEASURED_SEED + unseen, held_out=True, unseen=unseen)
    return list(islice(phrases.distinct(texts), MEASURED))


def measure(model: Translator, texts: Sequence[phrases.Pair]) -> dict[str, float]:
    """How often the translation is exact, and, where it is, where its heads look.

    `alignment`: how often the word that a head looks at most is the one translated, by the best head; `mass`: the
    mean share of attention on it. A weight of half or more is a link: of 1 link wanted for each French word so
    many are `right`, and beside them so many `wrong`, by the same head. `on_noun`: how often the noun with which
    a word agrees is what another head looks at most (without another, the same).
    """
    exact, most, mass, right, wrong, on_noun = [], [], [], [], [], []
    for text in texts:
        # What a text's own French words make likely next is what would be said, as long as all of it is right.
        next_word, weights = model.given(text.english, text.french)
        said = [model.target_words[number] for number in next_word.argmax(-1)]
        exact.append(said == [*text.french, phrases.END])
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
        return dict.fromkeys(("alignment", "mass", "right", "wrong", "on_noun"), 0.0) | {
            "exact": 0.0,
            "aligning_head": 0,
        }
    alignment, mass, right, wrong, on_noun = (
        np.mean(each, axis=0) for each in (most, mass, right, wrong, on_noun)
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
