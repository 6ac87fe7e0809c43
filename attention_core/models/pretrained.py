"""Pretrained models from a folder, in NumPy; the records in `ARCHITECTURES` say of which kinds.

A folder is as published: `config.json`, `model.safetensors`, and `vocab.txt` (BERT) or `vocab.json` and
`merges.txt` (GPT-2). No code in it is run, and pickled weights are never loaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace
from attention_core.models.architecture import Architecture, Settings, Tokeniser
from attention_core.models.bert import BERT
from attention_core.models.folder import WEIGHTS, Folder
from attention_core.models.gpt2 import GPT2
from attention_core.models.safetensors import read_safetensors
from attention_core.models.stored import Stored

ARCHITECTURES = {each.name: each for each in (BERT, GPT2)}
MOST_TOKENS = 64
MOST_SIGNS = 2000  # characters of a text; every token has at least one
BLOCK = 2**20  # bytes that are read at once
OLD_NAMES = {".gamma": ".weight", ".beta": ".bias"}  # of gains and biases, in models from before 2019
MOST = {
    "layers": 100,
    "heads": 256,
    "d_model": 16_384,
    "d_ff": 65_536,
    "positions": 65_536,
    "vocabulary": 1_000_000,
}


@dataclass(frozen=True, eq=False)
class PretrainedRun:
    """A forward pass over a text of n tokens. Every array is read-only."""

    tokens: tuple[str, ...]
    states: np.ndarray  #: (layers + 1, n, d_model), the residual stream before the first and after each layer
    layers: tuple[AttentionTrace, ...]  #: of each layer, with weights (heads, n, n)


@dataclass(frozen=True, eq=False)
class PretrainedModel:
    """A model with its weights and its tokeniser."""

    name: str  #: the folder's
    kind: Architecture  #: how it is stored and run
    settings: Settings
    weights: Mapping[str, np.ndarray]
    tokeniser: Tokeniser
    sha256: str  #: of the file with the weights

    @property
    def architecture(self) -> str:
        """The name of its architecture, *bert* or *gpt2*."""
        return self.kind.name

    @property
    def longest(self) -> int:
        """The greatest number of tokens of a text."""
        return min(MOST_TOKENS, int(self.settings["positions"]))

    @property
    def positions(self) -> np.ndarray:
        """The learned position vectors, (positions, d_model)."""
        return self.weights[self.kind.positions]

    def run(self, text: str) -> PretrainedRun:
        """Run the model on a text. Raises `ValueError`, naming the limit, for a text that is too long."""
        if len(text) > MOST_SIGNS:
            raise ValueError(f"a text has at most {MOST_SIGNS} characters, got {len(text)}")
        numbers, tokens = self.tokeniser.encode(text)
        if len(numbers) > self.longest:
            raise ValueError(f"a text has at most {self.longest} tokens, got {len(numbers)}")
        states, layers = self.run_tokens(numbers)
        return PretrainedRun(tuple(tokens), states, layers)

    def run_tokens(self, numbers: Sequence[int]) -> tuple[np.ndarray, tuple[AttentionTrace, ...]]:
        """Compute the states and layers of a `PretrainedRun` from indices of tokens in the vocabulary."""
        with np.errstate(all="ignore"):
            states, layers = self.kind.forward(self.weights, self.settings, np.array(numbers, dtype=int))
        return checks.frozen(np.stack(states)), tuple(layers)


# Reading a folder ----------------------------------------------------------------------------------------


def read_model(folder: str | Path) -> PretrainedModel:
    """Read the model in a folder.

    Raises `ValueError`, naming the file and the cause, for a folder that is damaged or not of a known
    architecture.

    >>> read_model("no_folder")
    Traceback (most recent call last):
    ValueError: no_folder is not a folder
    """
    files = Folder(Path(folder))
    paths = files.weights()
    config = files.json("config.json")
    name = config.get("model_type")
    if name not in list(ARCHITECTURES):
        raise ValueError(
            f"config.json: the architecture {str(name)[:40]!r} is unknown; known: {', '.join(ARCHITECTURES)}"
        )
    kind = ARCHITECTURES[name]
    settings = _settings(config, kind)
    tokeniser = kind.tokeniser(files, settings["vocabulary"])
    tensors = _check_tensors(_read_tensors(paths), kind, settings)
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return PretrainedModel(files.path.resolve().name, kind, settings, tensors, tokeniser, digest.hexdigest())


def _read_tensors(paths: Sequence[Path]) -> dict[str, Stored]:
    """All tensors of the files; one in two of them is refused."""
    tensors: dict[str, Stored] = {}
    for path in paths:
        more = read_safetensors(path)
        if twice := sorted(tensors.keys() & more.keys()):
            raise ValueError(f"{path.name}: {twice[0]!r} is in another file, too")
        tensors |= more
    return tensors


def _settings(config: Mapping[str, Any], kind: Architecture) -> dict[str, Any]:
    """The validated settings of a configuration, under common names."""
    settings: dict[str, Any] = {}
    for name, key in kind.keys.items():
        value = config.get(key, kind.defaults.get(name))
        if name == "d_ff" and value is None:
            value = 4 * settings["d_model"]  # GPT-2's default
        is_size = type(value) is int and 1 <= value <= MOST.get(name, 0)
        is_epsilon = name == "epsilon" and type(value) is float and 0 < value < 1
        if not (is_size or is_epsilon):
            raise ValueError(f"config.json: {key} cannot be {str(value)[:40]}")
        settings[name] = value
    if settings["d_model"] % settings["heads"]:
        raise ValueError(
            f"config.json: {settings['d_model']} dimensions cannot be split among {settings['heads']} heads"
        )
    for key, known in kind.only.items():
        if config.get(key, known[0]) not in known:
            raise ValueError(f"config.json: {key} {str(config[key])[:40]!r} is unknown; known: {known[0]!r}")
    return settings


def _name(name: str, kind: Architecture) -> str:
    """The name of a tensor as the forward pass has it."""
    name = name.removeprefix(kind.prefix)
    ending = next((ending for ending in OLD_NAMES if name.endswith(ending)), "")
    return name.removesuffix(ending) + OLD_NAMES.get(ending, "")


def _check_tensors(tensors: dict[str, Stored], kind: Architecture, settings: Settings) -> dict[str, np.ndarray]:
    """The needed tensors in float32; refuse one that is missing, of another shape or not finite."""
    tensors = {_name(name, kind): tensor for name, tensor in tensors.items()}
    checked = {}
    for name, shape in kind.shapes(settings).items():
        if name not in tensors:
            raise ValueError(f"{WEIGHTS}: {name} is missing")
        tensor = tensors[name]
        if name in kind.tables and len(tensor.shape) == len(shape) and tensor.shape[0] >= shape[0]:
            shape = (tensor.shape[0], *shape[1:])  # more rows are padding
        if tensor.shape != shape:
            raise ValueError(f"{WEIGHTS}: {name} must have shape {shape}, got {tensor.shape}")
        if not tensor.is_float:
            raise ValueError(f"{WEIGHTS}: {name} must hold floating-point numbers, got {tensor.kind}")
        if not tensor.is_finite():
            raise ValueError(f"{WEIGHTS}: {name} holds a number that is not finite in float32")
        checked[name] = tensor.as_float32()
    return checked
