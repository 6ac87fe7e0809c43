"""Learned examples: a shipped model's words and heads, on the principal axes of the words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.heads import AttentionHead
from attention_core.models.directions import leading_directions
from attention_core.models.language_model import QUESTIONS, LanguageModel, load_language_model
from attention_core.models.two_layers import TWO_LAYERS, load_two_layers
from attention_core.training import load_task

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
DECIMALS = 2  # of a word's components, so that those of a whole sentence fit into a link
PROJECTIONS = ("W_query", "W_key", "W_value")


@dataclass(frozen=True, eq=False)
class Learned:
    """The model of a learned example. Every array is read-only."""

    model: str  #: its name
    fingerprint: str  #: of its weights
    layer: int | None  #: the layer of the heads, counted from 1
    shares: np.ndarray  #: the fraction of variance along each axis, of the vectors that the axes were chosen for
    positions: np.ndarray  #: (longest, d_model), the position vectors
    lexicon: Mapping[str, np.ndarray]  #: the vector of every word of the model
    before: Mapping[str, np.ndarray] | None = None  #: the matrices of the previous layer, where it is shown, too


def learned_fields(data: Mapping[str, Any], axes_of: Sequence[str]) -> dict[str, Any]:
    """Return the fields of an `Example` whose file, `data`, names a `model`.

    A file with a `layer` shows its heads: vectors and matrices are the model's, rotated so that the first axes
    are those along which the words of the sentence vary most, before and after that layer. Every score is the
    model's own. A file with a number of `directions` shows only vectors, on the leading axes of the words
    `axes_of`.
    """
    if data["model"] == TWO_LAYERS:
        return _two_layers(data)
    model = load_language_model(data["model"])
    if "directions" in data:
        return _vectors(model, data, axes_of)
    return _layer(model, data)


def _vectors(model: LanguageModel, data: Mapping[str, Any], axes_of: Sequence[str]) -> dict[str, Any]:
    """The words' vectors on as many axes as the file says."""
    chosen = model.embeddings[[model.words.index(word) for word in axes_of]]
    basis, shares = leading_directions(chosen)
    basis = basis[:, : data["directions"]]
    lexicon = _lexicon(model.words, model.embeddings, basis)
    positions = checks.frozen(model.positions.astype(np.float64) @ basis)
    return {
        "axes": tuple(data.get("axes") or _axes(data["directions"])),
        "embeddings": _embeddings(data["words"], lexicon),
        "learned": Learned(model.name, model.fingerprint, None, shares, positions, lexicon),
    }


def _layer(model: LanguageModel, data: Mapping[str, Any]) -> dict[str, Any]:
    """The words' vectors and all heads of one layer."""
    layer = data["layer"] - 1
    run = model.run(data["words"])
    basis, shares = leading_directions(np.vstack([run.states[layer], run.states[layer + 1]]))
    lexicon = _lexicon(model.words, model.embeddings, basis)
    matrices = {W: basis.T @ getattr(model, W)[layer].astype(np.float64) for W in PROJECTIONS}
    matrices["W_output"] = model.W_output[layer].astype(np.float64) @ basis
    positions = checks.frozen(model.positions.astype(np.float64) @ basis)
    trained_for = {head: question for question, (of, head) in QUESTIONS.items() if of == layer}
    return {
        "axes": _axes(len(basis)),
        "embeddings": _embeddings(data["words"], lexicon),
        "heads": tuple(trained_for.get(head, f"head {head + 1}") for head in range(model.heads[1])),
        **{W: checks.frozen(matrix) for W, matrix in matrices.items()},
        "learned": Learned(model.name, model.fingerprint, data["layer"], shares, positions, lexicon),
    }


def _two_layers(data: Mapping[str, Any]) -> dict[str, Any]:
    """The head of the second layer, which has no W_output, on axes that all the file's `endings` share."""
    arrays, record = load_two_layers()
    model = {name: array.astype(np.float64) for name, array in arrays.items()}
    words = load_task(record["task"], size=0).words
    sentences = [[words.index(word) for word in (*data["words"][:-1], ending)] for ending in data["endings"]]
    x = model["embeddings"][np.array(sentences)] + model["positions"]
    first = AttentionHead(*(model[W][0, 0] for W in (*PROJECTIONS, "W_output")))
    basis, shares = leading_directions(np.vstack([*x, *(x + first.attend(x).delta)]))
    lexicon = _lexicon(words, model["embeddings"], basis)
    layers = [{W: checks.frozen(basis.T @ model[W][layer, 0]) for W in PROJECTIONS} for layer in (0, 1)]
    before = layers[0] | {"W_output": checks.frozen(model["W_output"][0, 0] @ basis)}
    positions = checks.frozen(model["positions"] @ basis)
    return {
        "axes": _axes(len(basis)),
        "embeddings": _embeddings(data["words"], lexicon),
        **layers[1],
        "learned": Learned(TWO_LAYERS, record["fingerprint"], data["layer"], shares, positions, lexicon, before),
    }


def _axes(count: int) -> tuple[str, ...]:
    return tuple(f"u{k + 1}".translate(SUBSCRIPTS) for k in range(count))


def _lexicon(words: Sequence[str], embeddings: np.ndarray, basis: np.ndarray) -> dict[str, np.ndarray]:
    """Every word's vector in the basis, rounded."""
    vectors = np.round(embeddings.astype(np.float64) @ basis, DECIMALS) + 0.0  # no minus zero
    return {word: checks.frozen(vector) for word, vector in zip(words, vectors, strict=True)}


def _embeddings(words: Sequence[str], lexicon: Mapping[str, np.ndarray]) -> np.ndarray:
    return checks.frozen(np.array([lexicon[word] for word in words]))
