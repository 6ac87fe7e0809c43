"""Examples whose numbers were learned: a shipped model's words, on the directions in which they spread most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.models.directions import leading_directions
from attention_core.models.language_model import QUESTIONS, LanguageModel, load_language_model

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


def of_model(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an example whose file names a `model`, and which `layer`'s heads it shows.

    Its vectors are the model's, turned so that the first axes are those along which the words of the sentence
    spread most, before and after that layer. The matrices are turned with them: every score is the model's own.
    """
    model, layer = load_language_model(data["model"]), data["layer"] - 1
    run = model.run(data["words"])
    basis, shares = leading_directions(np.vstack([run.states[layer], run.states[layer + 1]]))
    lexicon = _lexicon(model, basis)
    turned = {W: basis.T @ getattr(model, W)[layer].astype(np.float64) for W in ("W_query", "W_key", "W_value")}
    turned["W_output"] = model.W_output[layer].astype(np.float64) @ basis
    positions = model.positions.astype(np.float64) @ basis
    asked = {head: question for question, (of, head) in QUESTIONS.items() if of == layer}
    return {
        "axes": tuple(f"u{k + 1}".translate(LOWERED) for k in range(len(basis))),
        "embeddings": checks.frozen(np.array([lexicon[word] for word in data["words"]])),
        "heads": tuple(asked.get(head, f"head {head + 1}") for head in range(model.heads[1])),
        **{W: checks.frozen(matrix) for W, matrix in turned.items()},
        "learned": Learned(
            model.name, model.fingerprint, data["layer"], shares, checks.frozen(positions), lexicon
        ),
    }


def _lexicon(model: LanguageModel, basis: np.ndarray) -> dict[str, np.ndarray]:
    vectors = np.round(model.embeddings.astype(np.float64) @ basis, DECIMALS) + 0.0  # no minus zero
    return {word: checks.frozen(vector) for word, vector in zip(model.words, vectors, strict=True)}
