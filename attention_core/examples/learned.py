"""Examples whose numbers were learned: a shipped model's words, on the directions in which they spread most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.heads import AttentionHead
from attention_core.models.directions import leading_directions
from attention_core.models.language_model import QUESTIONS, load_language_model
from attention_core.models.two_layers import TWO_LAYERS, load_two_layers
from attention_core.training import load_task

LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
DECIMALS = 2  # of a word's numbers, so that those of a whole sentence fit into an address


@dataclass(frozen=True, eq=False)
class Learned:
    """What an example has from its model besides its vectors. Every array is read-only."""

    model: str  #: its name
    fingerprint: str  #: of its weights
    layer: int | None  #: whose heads they are, counted from 1
    shares: np.ndarray  #: for each axis, its share of the spread of the vectors that the axes were chosen for
    positions: np.ndarray  #: (longest, d_model), what is added to a word at each place
    lexicon: Mapping[str, np.ndarray]  #: every word that the model knows
    before: Mapping[str, np.ndarray] | None = None  #: the matrices of the layer before, where that is shown, too


def of_model(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an example whose file names a `model`, and which `layer`'s heads it shows.

    Its vectors are the model's, turned so that the first axes are those along which the words of the sentence
    spread most, before and after that layer. The matrices are turned with them: every score is the model's own.
    """
    if data["model"] == TWO_LAYERS:
        return _of_two_layers(data)
    if "directions" in data:
        return _of_words(data)
    model, layer = load_language_model(data["model"]), data["layer"] - 1
    run = model.run(data["words"])
    basis, shares = leading_directions(np.vstack([run.states[layer], run.states[layer + 1]]))
    lexicon = _lexicon(model.words, model.embeddings, basis)
    turned = {W: basis.T @ getattr(model, W)[layer].astype(np.float64) for W in ("W_query", "W_key", "W_value")}
    turned["W_output"] = model.W_output[layer].astype(np.float64) @ basis
    positions = model.positions.astype(np.float64) @ basis
    asked = {head: question for question, (of, head) in QUESTIONS.items() if of == layer}
    return {
        "axes": _axes(len(basis)),
        "embeddings": checks.frozen(np.array([lexicon[word] for word in data["words"]])),
        "heads": tuple(asked.get(head, f"head {head + 1}") for head in range(model.heads[1])),
        **{W: checks.frozen(matrix) for W, matrix in turned.items()},
        "learned": Learned(
            model.name, model.fingerprint, data["layer"], shares, checks.frozen(positions), lexicon
        ),
    }


def _of_words(data: Mapping[str, Any]) -> dict[str, Any]:
    """The vectors of words by themselves, in so many of the directions in which the words `among` spread most."""
    model, count = load_language_model(data["model"]), data["directions"]
    chosen = model.embeddings[[model.words.index(word) for word in data["among"]]]
    basis, shares = leading_directions(chosen)
    lexicon = _lexicon(model.words, model.embeddings, basis[:, :count])
    positions = checks.frozen(model.positions.astype(np.float64) @ basis[:, :count])
    return {
        "axes": tuple(data.get("axes") or _axes(count)),
        "embeddings": checks.frozen(np.array([lexicon[word] for word in data["words"]])),
        "learned": Learned(model.name, model.fingerprint, None, shares, positions, lexicon),
    }


def _of_two_layers(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the head of the second layer, which adds nothing; the axes are one for all the `endings`."""
    arrays, record = load_two_layers()
    learned = {name: array.astype(np.float64) for name, array in arrays.items()}
    words = load_task(record["task"], size=0).words
    heads = {W: learned[W][:, 0] for W in ("W_query", "W_key", "W_value", "W_output")}
    sentences = [[words.index(word) for word in (*data["words"][:-1], ending)] for ending in data["endings"]]
    x = learned["embeddings"][np.array(sentences)] + learned["positions"]
    first = AttentionHead(*(heads[W][0] for W in heads))
    basis, shares = leading_directions(np.vstack([*x, *(x + first.attend(x).delta)]))
    lexicon = _lexicon(words, learned["embeddings"], basis)
    turned = {W: [basis.T @ matrix for matrix in heads[W]] for W in ("W_query", "W_key", "W_value")}
    before = {W: checks.frozen(turned[W][0]) for W in turned} | {
        "W_output": checks.frozen(heads["W_output"][0] @ basis)
    }
    return {
        "axes": _axes(len(basis)),
        "embeddings": checks.frozen(np.array([lexicon[word] for word in data["words"]])),
        **{W: checks.frozen(matrices[1]) for W, matrices in turned.items()},
        "learned": Learned(
            TWO_LAYERS,
            record["fingerprint"],
            data["layer"],
            shares,
            checks.frozen(learned["positions"] @ basis),
            lexicon,
            before,
        ),
    }


def _axes(count: int) -> tuple[str, ...]:
    return tuple(f"u{k + 1}".translate(LOWERED) for k in range(count))


def _lexicon(words: Sequence[str], embeddings: np.ndarray, basis: np.ndarray) -> dict[str, np.ndarray]:
    vectors = np.round(embeddings.astype(np.float64) @ basis, DECIMALS) + 0.0  # no minus zero
    return {word: checks.frozen(vector) for word, vector in zip(words, vectors, strict=True)}
