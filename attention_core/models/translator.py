"""Small translators from English to French, trained by `training/translator.py`: the forward pass in NumPy.

The English words become vectors (in two of the models an encoder lets them look at one another first); the French
words that are there already look at one another, then across at the English ones, and the last says the next word.
Before each part every vector is normed. There is no feed-forward network: nothing happens but attention.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend
from attention_core.block import layer_norm
from attention_core.masks import causal_mask
from attention_core.models import phrases, weights
from attention_core.softmax import softmax

NAMES = ("aligned", "through_encoder", "two_heads")
PARTS = ("encoder", "decoder", "across")
MATRICES = ("W_query", "W_key", "W_value", "W_output")


@dataclass(frozen=True, eq=False)
class Translation:
    """What came out, of n_out words, for n_in English words. Every array is read-only."""

    source: tuple[str, ...]
    words: tuple[str, ...]  #: the French words
    weights: np.ndarray  #: (heads, n_out, n_in), where each French word looked when it was said
    gold: tuple[int, ...]  #: for each French word the place of the English one that it translates, or −1
    next_word: np.ndarray  #: (n_out + 1, French vocabulary), the shares of each next word; the last says that it ends
    encoder: AttentionTrace | None  #: (heads, n_in, n_in): how the English words look at one another
    decoder: AttentionTrace  #: (heads, n_out + 1, n_out + 1): the French ones, from the mark of the beginning
    across: AttentionTrace  #: (heads, n_out + 1, n_in)


@dataclass(frozen=True, eq=False)
class Translator:
    """Weights that translate.

    `parameters` are by name: `source` (English vocabulary, d_model), `source_positions`, `target`,
    `target_positions`; `<part>_W_query` … `<part>_W_output`, (heads, d_model, d_k) and (heads, d_k, d_model), for
    the parts *encoder* (not in every model), *decoder* and *across*; `W_vocabulary` (d_model, French vocabulary) and
    `bias`. `raw_values`: what is handed over across are the English words' own vectors, not the encoder's.
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

    def translate(self, words: Sequence[str], heads_off: Sequence[int] = ()) -> Translation:
        """Translate word by word, each time the most likely. The heads across of `heads_off` hand nothing over.

        Raises `ValueError`, naming it, for a word that the model does not know, for more than `longest` words and
        for a head that there is not.
        """
        source, target = self._source(words), [0]
        heads = len(self.parameters["across_W_query"])
        for head in heads_off:
            if not 0 <= head < heads:
                raise ValueError(f"there is no head {head}: heads are 0 to {heads - 1}")
        keys, values, encoder = self._read(source)
        while True:
            next_word, decoder, across = self._say(np.array(target), keys, values, heads_off)
            chosen = int(next_word[-1].argmax())
            if not len(source) or self.target_words[chosen] == phrases.END or len(target) == self._most:
                break
            target.append(chosen)
        said = tuple(self.target_words[number] for number in target[1:])
        seen = checks.frozen(across.weights[:, : len(said)].copy())
        gold = phrases.align(tuple(words), said)
        return Translation(tuple(words), said, seen, gold, checks.frozen(next_word), encoder, decoder, across)

    @property
    def _most(self) -> int:
        return len(self.parameters["target_positions"])

    def _source(self, words: Sequence[str]) -> np.ndarray:
        numbers = {word: number for number, word in enumerate(self.words)}
        for word in words:
            if word not in numbers:
                raise ValueError(f"the model does not know the word {word!r}")
        if len(words) > self.longest:
            raise ValueError(f"a text has at most {self.longest} words, got {len(words)}")
        return np.array([numbers[word] for word in words], dtype=int)

    def _read(self, source: np.ndarray) -> tuple[np.ndarray, np.ndarray, AttentionTrace | None]:
        """What the English words answer and hand over, each (n_in, d_model), and how they looked at one another."""
        raw = self.parameters["source"][source]
        x, encoder = raw + self.parameters["source_positions"][: len(source)], None
        if "encoder_W_query" in self.parameters:
            normed = layer_norm(x)
            encoder = self._attend("encoder", normed, normed, normed)
            x = x + encoder.delta.sum(axis=-3)
        keys = layer_norm(x)
        return keys, layer_norm(raw) if self.raw_values else keys, encoder

    def _say(
        self, target: np.ndarray, keys: np.ndarray, values: np.ndarray, heads_off: Sequence[int]
    ) -> tuple[np.ndarray, AttentionTrace, AttentionTrace]:
        """The shares of the word after each French one."""
        y = self.parameters["target"][target] + self.parameters["target_positions"][: len(target)]
        normed = layer_norm(y)
        decoder = self._attend("decoder", normed, normed, normed, causal_mask(len(target)))
        y = y + decoder.delta.sum(axis=-3)
        across = self._attend("across", layer_norm(y), keys, values)
        on = [head for head in range(len(across.delta)) if head not in heads_off]
        y = y + across.delta[on].sum(axis=-3)
        return softmax(y @ self.parameters["W_vocabulary"] + self.parameters["bias"]), decoder, across

    def _attend(self, part, asks, answers, gives, mask=None) -> AttentionTrace:
        """One part's heads: (heads, n, ·)."""
        W_query, W_key, W_value, W_output = (self.parameters[f"{part}_{name}"] for name in MATRICES)
        return attend(asks @ W_query, answers @ W_key, gives @ W_value, mask=mask, W_output=W_output)


def load_translator(name: str = "aligned") -> Translator:
    """The shipped translator of that name: *aligned*, *through_encoder* or *two_heads*.

    Raises `KeyError`, naming the known, for another name, and `ValueError` for weights that are missing or damaged.
    """
    arrays, record = weights.load(name, NAMES)
    return build(name, arrays, record)


def build(name: str, parameters: Mapping[str, np.ndarray], record: Mapping[str, Any]) -> Translator:
    """The translator with these weights."""
    words, target_words = phrases.SOURCE_WORDS, phrases.TARGET_WORDS
    return Translator(name, words, target_words, record, parameters, raw_values=name == "aligned")


def measure(model: Translator, texts: Sequence[phrases.Pair]) -> dict[str, float]:
    """How often the translation is exact, and, where it is, where its heads look.

    `alignment`: how often the word that a head looks at most is the one translated, by the best head; `mass`: the
    mean share of attention on it, by the same head.
    """
    exact, most, mass = [], [], []
    for text in texts:
        said = model.translate(text.english)
        exact.append(said.words == text.french)
        if exact[-1]:
            for place, gold in enumerate(text.gold):
                most.append(said.weights[:, place].argmax(-1) == gold)
                mass.append(said.weights[:, place, gold])
    share = np.mean(most, axis=0) if most else np.zeros(1)
    best = int(share.argmax())
    return {
        "exact": float(np.mean(exact)),
        "alignment": float(share[best]),
        "mass": float(np.mean(mass, axis=0)[best]) if mass else 0.0,
        "aligning_head": best,
    }
