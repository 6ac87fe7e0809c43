"""One text in a trained model, in arrays that show what its heads do: also dimmed, also beside another text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import frozen
from attention_core.models.language_model import LanguageModel
from attention_core.softmax import softmax

ONE_THREAD = 8_000  # numbers in one array: for more, libraries wake further threads, which takes longer here


@dataclass(frozen=True, eq=False)
class Reading:
    """What a model did with a text of n words. Heads are counted through all layers."""

    states: np.ndarray  #: (layers + 1, n, d_model), every word's vector at the start and after each layer
    weights: np.ndarray  #: (layers · heads, n, n), who looks at whom
    scores: np.ndarray  #: (layers · heads, n, n), scaled and masked
    given: (
        np.ndarray
    )  #: (layers · heads, n, d_model), what a word hands over to whoever looks at it and nowhere else
    logits: np.ndarray  #: (layers + 1, vocabulary), what each state of the last word would say
    next_word: np.ndarray  #: (layers + 1, vocabulary), the same as shares


@dataclass(frozen=True, eq=False)
class Change:
    """What became of the difference between two texts of n words."""

    states: np.ndarray  #: (layers + 1, n), how far a word's vector has moved, in lengths of its vector
    carried: np.ndarray  #: (layers, n, n), of that in a layer, how much one word brought to another by attention


def as_model(weights: Mapping[str, np.ndarray]) -> LanguageModel:
    """A model of these weights, whose words are numbers."""
    return LanguageModel("", tuple(map(str, range(len(weights["embeddings"])))), {}, **weights)


def read_text(model: LanguageModel, tokens: Sequence[int], strengths: np.ndarray) -> Reading:
    """Read the words of these numbers; each head adds as much as its strength says, (layers, heads)."""
    places, strengths = np.asarray(tokens, dtype=int), np.asarray(strengths, dtype=float)
    states, layers = model.read(places, strengths)
    heads = [layer.heads for layer in layers]
    outputs = [
        attention.W_output * strength[:, None, None]
        for attention, strength in zip(model.attention, strengths, strict=True)
    ]
    logits = states[:, -1] @ model.W_vocabulary + model.bias
    arrays = (
        states,
        np.concatenate([head.weights for head in heads]),
        np.concatenate([head.masked_scores for head in heads]),
        np.concatenate([head.value @ W_output for head, W_output in zip(heads, outputs, strict=True)]),
        logits,
        softmax(logits),
    )
    return Reading(*map(frozen, arrays))


def last_states(model: LanguageModel, texts: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """The last word's vector of each of some texts of equal length: (layers + 1, texts, d_model)."""
    texts, strengths = np.asarray(texts, dtype=int), np.asarray(strengths, dtype=float)
    one = texts.shape[1] * model.heads[1] * model.embeddings.shape[1]  # numbers of its largest array
    few = max(1, ONE_THREAD // one)
    some = (model.read(texts[begin : begin + few], strengths)[0] for begin in range(0, len(texts), few))
    return frozen(np.concatenate([states[..., -1, :] for states in some], axis=1))


def changes_between(before: Reading, after: Reading) -> Change:
    """What differs between two texts of the same length, state by state, and who brought it to whom."""
    layers = len(before.states) - 1
    moved = np.linalg.norm(after.states - before.states, axis=-1) / np.linalg.norm(before.states, axis=-1)
    handed = [
        (each.weights[..., None] * each.given[:, None]).reshape(
            layers, -1, *each.weights.shape[1:], each.given.shape[-1]
        )
        for each in (before, after)
    ]
    carried = np.linalg.norm((handed[1] - handed[0]).sum(axis=1), axis=-1)
    return Change(moved, carried)
