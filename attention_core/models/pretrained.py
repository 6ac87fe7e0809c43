"""Pretrained models from a folder: BERT-like encoders and GPT-2, in NumPy.

A folder is as published: `config.json`, `model.safetensors`, and `vocab.txt` (BERT) or `vocab.json` and
`merges.txt` (GPT-2). No code in it is run, and pickled weights are never loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend
from attention_core.masks import causal_mask
from attention_core.models.safetensors import read_safetensors
from attention_core.models.tokens import BytePairs, WordPiece

MOST_TOKENS = 64
MOST_SIGNS = 2000  # characters of a text; every token has at least one
MOST_TEXT_BYTES = 20_000_000  # of a text file
WEIGHTS = "model.safetensors"
PICKLED = (".bin", ".pt", ".pth", ".pkl", ".ckpt")


@dataclass(frozen=True, eq=False)
class PretrainedRun:
    """A forward pass over a text of n tokens. Every array is read-only."""

    tokens: tuple[str, ...]
    states: np.ndarray  #: (layers + 1, n, d_model), the residual stream before the first and after each layer
    layers: tuple[AttentionTrace, ...]  #: of each layer, with weights (heads, n, n)


#: the name of the table of positions in each architecture
POSITIONS = {"bert": "embeddings.position_embeddings.weight", "gpt2": "wpe.weight"}


@dataclass(frozen=True, eq=False)
class PretrainedModel:
    """A model with its weights and its tokeniser."""

    name: str  #: the folder's
    architecture: str  #: *bert* or *gpt2*
    settings: Mapping[str, int | float]  #: layers, heads, d_model, d_ff, positions, vocabulary and epsilon
    weights: Mapping[str, np.ndarray]
    tokeniser: WordPiece | BytePairs
    sha256: str  #: of the file with the weights

    @property
    def longest(self) -> int:
        """The greatest number of tokens of a text."""
        return min(MOST_TOKENS, int(self.settings["positions"]))

    @property
    def positions(self) -> np.ndarray:
        """The learned position vectors, (positions, d_model)."""
        return self.weights[POSITIONS[self.architecture]]

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
        forward = _run_bert if self.architecture == "bert" else _run_gpt2
        with np.errstate(all="ignore"):
            states, layers = forward(self, np.array(numbers, dtype=int))
        return checks.frozen(np.stack(states)), tuple(layers)


# Forward passes ------------------------------------------------------------------------------------------


def _run_bert(model: PretrainedModel, numbers: np.ndarray) -> tuple[list[np.ndarray], list[AttentionTrace]]:
    """Run an encoder with post-norm and without a mask: Devlin et al. 2019."""
    w, n = model.weights, len(numbers)
    embeddings = (
        w["embeddings.word_embeddings.weight"][numbers]
        + model.positions[:n]
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    x = _norm(model, embeddings, "embeddings.LayerNorm")
    states, layers = [x], []
    for layer in range(int(model.settings["layers"])):
        part = f"encoder.layer.{layer}."

        def linear(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            return x @ w[f"{part}{name}.weight"].T + w[f"{part}{name}.bias"]

        query, key, value = (
            _by_head(model, linear(x, f"attention.self.{name}")) for name in ("query", "key", "value")
        )
        trace = attend(query, key, value)
        x = _norm(
            model,
            x + linear(_concatenate(trace.context), "attention.output.dense"),
            f"{part}attention.output.LayerNorm",
        )
        inner = _gelu(linear(x, "intermediate.dense"))
        x = _norm(model, x + linear(inner, "output.dense"), f"{part}output.LayerNorm")
        states.append(x)
        layers.append(trace)
    return states, layers


def _run_gpt2(model: PretrainedModel, numbers: np.ndarray) -> tuple[list[np.ndarray], list[AttentionTrace]]:
    """Run a decoder with pre-norm and a causal mask: Radford et al. 2019."""
    w, n = model.weights, len(numbers)
    x = w["wte.weight"][numbers] + model.positions[:n]
    states, layers = [x], []
    for layer in range(int(model.settings["layers"])):
        part = f"h.{layer}."

        def linear(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            return x @ w[f"{part}{name}.weight"] + w[f"{part}{name}.bias"]  # transposed, unlike BERT's

        parts = np.split(linear(_norm(model, x, f"{part}ln_1"), "attn.c_attn"), 3, axis=-1)
        trace = attend(*(_by_head(model, each) for each in parts), mask=causal_mask(n))
        x = x + linear(_concatenate(trace.context), "attn.c_proj")
        inner = _gelu_by_tanh(linear(_norm(model, x, f"{part}ln_2"), "mlp.c_fc"))
        x = x + linear(inner, "mlp.c_proj")
        states.append(x)
        layers.append(trace)
    return states, layers


def _by_head(model: PretrainedModel, x: np.ndarray) -> np.ndarray:
    """(n, d_model) as (heads, n, d_k)."""
    heads = int(model.settings["heads"])
    return np.ascontiguousarray(x.reshape(len(x), heads, x.shape[1] // heads).swapaxes(0, 1))


def _concatenate(context: np.ndarray) -> np.ndarray:
    """(heads, n, d_k) as (n, d_model)."""
    heads, n, d_k = context.shape
    return context.swapaxes(0, 1).reshape(n, heads * d_k)


def _norm(model: PretrainedModel, x: np.ndarray, name: str) -> np.ndarray:
    """Layer norm with learned gain and bias: Ba et al. 2016."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    size = np.sqrt(variance + x.dtype.type(model.settings["epsilon"]))
    return centred / size * model.weights[f"{name}.weight"] + model.weights[f"{name}.bias"]


def _gelu(x: np.ndarray) -> np.ndarray:
    """x Φ(x); Φ by Abramowitz & Stegun 7.1.26, whose error is below 1.5e-7."""
    y = np.abs(x) * x.dtype.type(0.5**0.5)
    t = 1 / (1 + x.dtype.type(0.3275911) * y)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return x * (1 + np.copysign(1 - series * np.exp(-y * y), x)) / 2


def _gelu_by_tanh(x: np.ndarray) -> np.ndarray:
    """GPT-2's approximation of x Φ(x)."""
    return x * (1 + np.tanh(x.dtype.type((2 / np.pi) ** 0.5) * (x + 0.044715 * x * x * x))) / 2


# Reading a folder ----------------------------------------------------------------------------------------

# The names of the settings in each architecture's configuration.
SETTINGS = {
    "bert": {
        "layers": "num_hidden_layers",
        "heads": "num_attention_heads",
        "d_model": "hidden_size",
        "d_ff": "intermediate_size",
        "positions": "max_position_embeddings",
        "vocabulary": "vocab_size",
        "epsilon": "layer_norm_eps",
    },
    "gpt2": {
        "layers": "n_layer",
        "heads": "n_head",
        "d_model": "n_embd",
        "d_ff": "n_inner",
        "positions": "n_positions",
        "vocabulary": "vocab_size",
        "epsilon": "layer_norm_epsilon",
    },
}
MOST = {
    "layers": 100,
    "heads": 256,
    "d_model": 16_384,
    "d_ff": 65_536,
    "positions": 65_536,
    "vocabulary": 1_000_000,
}
# Settings with which the same tensors would need another calculation, and their supported values.
ONLY = {
    "bert": {
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute",),
        "is_decoder": (False,),
        "add_cross_attention": (False,),
    },
    "gpt2": {
        "activation_function": ("gelu_new",),
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
        "add_cross_attention": (False,),
    },
}
PREFIX = {"bert": "bert.", "gpt2": "transformer."}


def read_model(folder: str | Path) -> PretrainedModel:
    """Read the model in a folder.

    Raises `ValueError`, naming the file and the cause, for a folder that is damaged or not of a known
    architecture.

    >>> read_model("no_folder")
    Traceback (most recent call last):
    ValueError: no_folder is not a folder
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder.name or folder} is not a folder")
    weights = _weights_file(folder)
    config = _json(folder, "config.json")
    architecture = config.get("model_type")
    if architecture not in list(SETTINGS):
        raise ValueError(
            f"config.json: the architecture {str(architecture)[:40]!r} is unknown; known: {', '.join(SETTINGS)}"
        )
    settings = _settings(config, architecture)
    tokeniser = (_word_piece if architecture == "bert" else _byte_pairs)(folder, settings["vocabulary"])
    tensors = _check_tensors(read_safetensors(weights), architecture, settings)
    with weights.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return PretrainedModel(folder.resolve().name, architecture, settings, tensors, tokeniser, sha256)


def _inside(folder: Path, name: str) -> Path:
    """The path of a file in the folder; refuse a link that leads out of it."""
    path = folder / name
    if not path.is_file():
        raise ValueError(f"{name} is missing")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name} is a link that leads out of the folder")
    return path


def _weights_file(folder: Path) -> Path:
    if not (folder / WEIGHTS).is_file():
        pickled = sorted(path.name for path in folder.iterdir() if path.suffix in PICKLED)
        if pickled:
            raise ValueError(f"{pickled[0]} is not loaded, because it can run code: use {WEIGHTS}")
    return _inside(folder, WEIGHTS)


def _text(folder: Path, name: str) -> str:
    path = _inside(folder, name)
    try:
        if path.stat().st_size > MOST_TEXT_BYTES:
            raise ValueError(f"{name} is larger than {MOST_TEXT_BYTES} bytes")
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8") from None
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error}") from None


def _json(folder: Path, name: str) -> dict[str, Any]:
    text = _text(folder, name)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is not JSON: {str(error)[:200]}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{name} must hold a JSON object")
    return content


def _settings(config: dict[str, Any], architecture: str) -> dict[str, int | float]:
    """The validated settings of a configuration, under common names."""
    settings: dict[str, int | float] = {}
    for name, key in SETTINGS[architecture].items():
        value = config.get(key)
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
    for key, known in ONLY[architecture].items():
        if config.get(key, known[0]) not in known:
            raise ValueError(f"config.json: {key} {str(config[key])[:40]!r} is unknown; known: {known[0]!r}")
    return settings


def _word_piece(folder: Path, vocabulary: int) -> WordPiece:
    tokens = _text(folder, "vocab.txt").replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(tokens) != vocabulary:
        raise ValueError(f"vocab.txt has {len(tokens)} tokens, and the model {vocabulary}")
    config = _json(folder, "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    try:
        return WordPiece(tokens, config.get("do_lower_case", True) is True)
    except ValueError as error:
        raise ValueError(f"vocab.txt: {error}") from None


def _byte_pairs(folder: Path, vocabulary: int) -> BytePairs:
    numbers = _json(folder, "vocab.json")
    if sorted(map(repr, numbers.values())) != sorted(map(repr, range(vocabulary))):
        raise ValueError(f"vocab.json does not give each of the numbers 0 to {vocabulary - 1} to one token")
    lines = _text(folder, "merges.txt").split("\n")
    merges = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    if any(len(pair) != 2 for pair in merges):
        raise ValueError("merges.txt must have one pair per line")
    try:
        return BytePairs(numbers, merges)
    except ValueError as error:
        raise ValueError(f"vocab.json: {error}") from None


def _shapes(architecture: str, s: Mapping[str, int | float]) -> dict[str, tuple[int, ...]]:
    """The shapes of all tensors of the forward pass, by name; 0 is any size."""
    d, inner = s["d_model"], s["d_ff"]

    def pair(name: str, *shape: int, width: int) -> dict[str, tuple[int, ...]]:
        return {f"{name}.weight": shape, f"{name}.bias": (width,)}

    if architecture == "bert":
        shapes = {
            "embeddings.word_embeddings.weight": (s["vocabulary"], d),
            "embeddings.position_embeddings.weight": (s["positions"], d),
            "embeddings.token_type_embeddings.weight": (0, d),
            **pair("embeddings.LayerNorm", d, width=d),
        }
        for layer in range(s["layers"]):
            part = f"encoder.layer.{layer}."
            for name in (
                "attention.self.query",
                "attention.self.key",
                "attention.self.value",
                "attention.output.dense",
            ):
                shapes |= pair(part + name, d, d, width=d)
            shapes |= pair(f"{part}attention.output.LayerNorm", d, width=d) | pair(
                f"{part}output.LayerNorm", d, width=d
            )
            shapes |= pair(f"{part}intermediate.dense", inner, d, width=inner)
            shapes |= pair(f"{part}output.dense", d, inner, width=d)
        return shapes
    shapes = {"wte.weight": (s["vocabulary"], d), "wpe.weight": (s["positions"], d)}
    for layer in range(s["layers"]):
        part = f"h.{layer}."
        shapes |= pair(f"{part}ln_1", d, width=d) | pair(f"{part}ln_2", d, width=d)
        shapes |= pair(f"{part}attn.c_attn", d, 3 * d, width=3 * d) | pair(f"{part}attn.c_proj", d, d, width=d)
        shapes |= pair(f"{part}mlp.c_fc", d, inner, width=inner) | pair(f"{part}mlp.c_proj", inner, d, width=d)
    return shapes


def _check_tensors(
    tensors: dict[str, np.ndarray], architecture: str, settings: Mapping[str, int | float]
) -> dict[str, np.ndarray]:
    """The needed tensors in float32; refuse one that is missing, of another shape or not finite."""
    tensors = {name.removeprefix(PREFIX[architecture]): tensor for name, tensor in tensors.items()}
    checked = {}
    for name, shape in _shapes(architecture, settings).items():
        if name not in tensors:
            raise ValueError(f"{WEIGHTS}: {name} is missing")
        tensor = tensors[name]
        if 0 in shape and tensor.ndim == len(shape) and len(tensor):
            shape = (len(tensor), *shape[1:])
        if tensor.shape != shape:
            raise ValueError(f"{WEIGHTS}: {name} must have shape {shape}, got {tensor.shape}")
        if tensor.dtype.kind != "f":
            raise ValueError(f"{WEIGHTS}: {name} must hold floating-point numbers, got {tensor.dtype}")
        with np.errstate(all="ignore"):
            checked[name] = tensor.astype(np.float32, copy=False)
        if not checks.is_finite(checked[name]):
            raise ValueError(f"{WEIGHTS}: {name} holds a number that is not finite in float32")
    return checked
