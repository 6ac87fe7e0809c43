"""A trained model's forward pass over one text as arrays, and the difference between two texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import frozen
from attention_core.models.language_model import LanguageModel
from attention_core.softmax import softmax

ONE_THREAD = 8_000  # numbers in an array: beyond that BLAS starts more threads, which takes longer here


@dataclass(frozen=True, eq=False)
class Reading:
    """A forward pass over a text of n words. Heads are counted through all layers."""

    states: np.ndarray  #: (layers + 1, n, d_model), the residual stream before the first and after each layer
    weights: np.ndarray  #: (layers · heads, n, n)
    scores: np.ndarray  #: (layers · heads, n, n), scaled and masked
    updates: np.ndarray  #: (layers · heads, n, d_model), value @ W_output: a word's update at a weight of 1
    logits: np.ndarray  #: (layers + 1, vocabulary), of each state of the last word
    next_word: np.ndarray  #: (layers + 1, vocabulary), the probabilities


@dataclass(frozen=True, eq=False)
class Change:
    """The difference between two texts of n words."""

    states: np.ndarray  #: (layers + 1, n), the distance of a word's vectors, relative to the first one's length
    carried: np.ndarray  #: (layers, n, n), the norm of the difference that attention carries from word to word


def as_model(weights: Mapping[str, np.ndarray]) -> LanguageModel:
    """Return a model with these weights, whose words are their indices."""
    return LanguageModel("", tuple(map(str, range(len(weights["embeddings"])))), {}, **weights)


def read_text(model: LanguageModel, tokens: Sequence[int], strengths: np.ndarray) -> Reading:
    """Run the model on indices of words, with each head's update multiplied by its strength, (layers, heads)."""
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
    """Compute the last word's states in several texts of equal length: (layers + 1, texts, d_model)."""
    texts, strengths = np.asarray(texts, dtype=int), np.asarray(strengths, dtype=float)
    numbers = texts.shape[1] * model.heads[1] * model.embeddings.shape[1]  # of a text, in the largest array
    size = max(1, ONE_THREAD // numbers)
    batches = (model.read(texts[start : start + size], strengths)[0] for start in range(0, len(texts), size))
    return frozen(np.concatenate([states[..., -1, :] for states in batches], axis=1))


def loss_of_each(model: LanguageModel, tokens: Sequence[int], strengths: np.ndarray) -> np.ndarray:
    """Compute how much of its probability the likeliest next word loses with each head off: (layers * heads,)."""
    strengths = np.asarray(strengths, dtype=float)
    whole = read_text(model, tokens, strengths).next_word[-1]
    answer, losses = int(whole.argmax()), []
    for head in np.ndindex(strengths.shape):
        without = strengths.copy()
        without[head] = 0
        losses.append(whole[answer] - read_text(model, tokens, without).next_word[-1][answer])
    return np.array(losses)


def changes_between(before: Reading, after: Reading) -> Change:
    """Compute the difference between two texts of equal length, in every state and for every pair of words."""
    layers = len(before.states) - 1
    moved = np.linalg.norm(after.states - before.states, axis=-1) / np.linalg.norm(before.states, axis=-1)
    contributions = [
        (each.weights[..., None] * each.updates[:, None]).reshape(
            layers, -1, *each.weights.shape[1:], each.updates.shape[-1]
        )
        for each in (before, after)
    ]
    carried = np.linalg.norm((contributions[1] - contributions[0]).sum(axis=1), axis=-1)
    return Change(moved, carried)
