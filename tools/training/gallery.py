"""Make the gallery of a real model: `python -m tools.training.gallery FOLDER`, a few seconds.

FOLDER holds all-MiniLM-L6-v2 (`requirements-weights.txt` brings it). A dozen short sentences go through it once;
what its heads looked at, every token's vector after each layer, and what taking a token out changes, is kept,
and the position vectors of the first places.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from attention_core.models.gallery import PLACES, deletion, value_lengths
from attention_core.models.pretrained import PretrainedModel, read_model
from attention_core.models.weights import FOLDER
from attention_lab.model_packages import chosen
from tools.training.weights import save

#: the sentences, by what they are for: words that mean two things, *it*, and two in which word order counts
SENTENCES = {
    "bank_money": "she paid the cheque into the bank",
    "bank_river": "he sat by the river on the bank",
    "bank_loan": "the bank gave us a loan",
    "apple_fruit": "she ate an orange and an apple",
    "apple_pie": "a sweet apple and a ripe pear",
    "apple_phone": "apple sells a new phone",
    "it_tired": "the animal didn't cross the street because it was too tired",
    "it_wide": "the animal didn't cross the street because it was too wide",
    "it_big": "the trophy didn't fit in the box because it was too big",
    "it_small": "the trophy didn't fit in the box because it was too small",
    "dog_bites": "the dog bites the man",
    "man_bites": "the man bites the dog",
}
#: a word in several senses, six or so texts each
SENSES = {
    "bank": {
        "money": (
            "she paid the cheque into the bank",
            "the bank gave us a loan",
            "he put all his money in the bank",
            "the bank charged interest on the loan",
            "my bank closed the account",
            "the bank lent her money for a house",
        ),
        "river": (
            "he sat by the river on the bank",
            "the bank of the river was muddy",
            "they fished from the grassy bank",
            "the boat ran into the river bank",
            "grass grew along the bank of the stream",
            "the flood washed away the bank",
        ),
    },
    "apple": {
        "fruit": (
            "she ate an orange and an apple",
            "a sweet apple and a ripe pear",
            "the apple fell from the tree",
            "he baked an apple pie",
            "peel the apple and cut it",
            "the apple was red and juicy",
        ),
        "tech": (
            "apple sells a new phone",
            "apple released a laptop this year",
            "the software by apple crashed",
            "apple makes phones and computers",
            "shares of apple rose today",
            "he works at apple as an engineer",
        ),
    },
    "mole": {
        "animal": (
            "the mole dug a tunnel in the garden",
            "a mole lives under the lawn",
            "the blind mole ate a worm",
        ),
        "spy": (
            "the agent was a mole for the enemy",
            "a mole leaked the secret papers",
            "they caught the mole in the ministry",
        ),
    },
}


def make(model: PretrainedModel) -> tuple[dict[str, np.ndarray], dict]:
    """What is kept of every sentence, and the record of its making."""
    arrays, tokens = {}, {}
    for name, text in SENTENCES.items():
        run = model.run(text)
        tokens[name] = run.tokens
        # The weights of *it* are compared: 16 bits would make ties.
        precision = np.float32 if name.startswith("it_") else np.float16
        scores = np.stack([trace.scaled_scores for trace in run.layers])
        arrays[f"{name}/scaled_scores"] = scores.astype(precision)
        arrays[f"{name}/value_lengths"] = value_lengths(run.layers).astype(np.float16)
        arrays[f"{name}/states"] = run.states.astype(np.float16)
        arrays[f"{name}/deletion"] = deletion(model, text).astype(np.float32)
    for word, senses in SENSES.items():
        runs = [model.run(text) for texts in senses.values() for text in texts]
        vectors = [run.states[:, run.tokens.index(word)] for run in runs]
        arrays[f"senses/{word}"] = np.stack(vectors).astype(np.float16)
    arrays["positions"] = model.positions[:PLACES].astype(np.float16)
    record = {
        "model": "all-MiniLM-L6-v2",
        "source": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "sha256": model.sha256,
        "made_by": "python -m tools.training.gallery",
        **{name: int(model.settings[name]) for name in ("layers", "heads", "d_model")},
        "sentences": SENTENCES,
        "tokens": tokens,
        "senses": SENSES,
    }
    return arrays, record


def shipped_folder() -> Path:
    """Where the development requirement has put the weights."""
    try:
        return chosen("minilm").path
    except ValueError as why:
        raise SystemExit(f"{why}.") from None


def main() -> None:
    """Read the model, make the gallery and write it."""
    parser = argparse.ArgumentParser(prog="python -m tools.training.gallery", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="the model's folder (default: the installed one)")
    parser.add_argument("--to", type=Path, default=FOLDER, help="where the gallery goes")
    given = parser.parse_args()
    save("gallery", *make(read_model(given.folder or shipped_folder())), given.to)


if __name__ == "__main__":
    main()
