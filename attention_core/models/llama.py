"""Llama's block and its relatives: RMSNorm, rotary positions, grouped keys and values, SwiGLU.

Touvron et al. 2023 (Llama); Jiang et al. 2023 (Mistral: a sliding window); Yang et al. 2024 and 2025 (Qwen2:
biases; Qwen3: norms of queries and keys); SmolLM3 (layers without rotation).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_core.models.architecture import (
    KEYS,
    Architecture,
    ForwardPass,
    Settings,
    Shapes,
    by_head,
)
from attention_core.models.stored import Weights, shorten
from attention_core.models.tokenizer_file import from_tokenizer_json

TABLE, NORM, OUTPUT = "embed_tokens.weight", "norm.weight", "lm_head.weight"
ATTENTION, MLP = ("q", "k", "v", "o"), ("gate", "up", "down")
MOST_ROTATED = 1e9  # the largest base of rotary positions

# The forward pass -----------------------------------------------------------------------------------------


def _forward(run: ForwardPass) -> list[np.ndarray]:
    """Run a decoder with pre-norm, rotated queries and keys, and a causal mask, perhaps with a window."""
    w, s = run.weights, run.settings
    x = w.rows(TABLE, run.numbers)
    angles = run.positions[:, None] * s["frequencies"]
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    states = [x]
    for layer in range(s["layers"]):
        part = f"layers.{layer}."

        def linear(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            result = x @ w[f"{part}{name}_proj.weight"].T
            return result + w[f"{part}{name}_proj.bias"] if name in s["biases"] else result

        def norm(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            return rms_norm(x, w[f"{part}{name}.weight"], s["epsilon"])

        h = norm(x, "input_layernorm")
        query = by_head(linear(h, "self_attn.q"), s["heads"])
        key, value = (by_head(linear(h, f"self_attn.{name}"), s["kv_heads"]) for name in "kv")
        if s["norms"]:
            query, key = norm(query, "self_attn.q_norm"), norm(key, "self_attn.k_norm")
        if s["rotated"][layer]:
            query, key = (_rotate(each, cos, sin, s["halves"]) for each in (query, key))
        x = x + linear(run.attend(query, key, value, s["windows"][layer]), "self_attn.o")
        h = norm(x, "post_attention_layernorm")
        x = x + linear(_silu(linear(h, "mlp.gate")) * linear(h, "mlp.up"), "mlp.down")
        states.append(x)
    return states


def _logits(w: Weights, s: Settings, x: np.ndarray) -> np.ndarray:
    return rms_norm(x, w[NORM], s["epsilon"]) @ w[TABLE if s["tied"] else OUTPUT].T


def rms_norm(x: np.ndarray, gain: np.ndarray, epsilon: float) -> np.ndarray:
    """Divide each vector by the root of its mean square, and multiply by a gain: Zhang & Sennrich 2019."""
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(epsilon)) * gain


def _silu(x: np.ndarray) -> np.ndarray:
    """x times its sigmoid: Elfwing et al. 2018."""
    return x / (1 + np.exp(-x))


def _rotate(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, halves: bool) -> np.ndarray:
    """Rotate pairs of components, (heads, n, d_k), by angles (n, d_k / 2): neighbours, or i and i + d_k / 2.

    As `rotate_by_position`, which pairs neighbours, but with angles that the layers share.
    """
    half = x.shape[-1] // 2
    first, second = (x[..., :half], x[..., half:]) if halves else (x[..., ::2], x[..., 1::2])
    pairs = first * cos - second * sin, first * sin + second * cos
    return np.concatenate(pairs, axis=-1) if halves else np.stack(pairs, axis=-1).reshape(x.shape)


# Settings and shapes --------------------------------------------------------------------------------------


def _shapes(s: Settings) -> Shapes:
    d, inner, d_k = s["d_model"], s["d_ff"], s["d_k"]
    wide, narrow = s["heads"] * d_k, s["kv_heads"] * d_k
    maps = {"self_attn.q": (wide, d), "self_attn.k": (narrow, d), "self_attn.v": (narrow, d)}
    maps |= {"self_attn.o": (d, wide), "mlp.gate": (inner, d), "mlp.up": (inner, d), "mlp.down": (d, inner)}
    layer: Shapes = {f"{name}_proj.weight": shape for name, shape in maps.items()}
    layer |= {f"{name}_proj.bias": maps[name][:1] for name in s["biases"]}
    layer |= {f"{name}.weight": (d,) for name in ("input_layernorm", "post_attention_layernorm")}
    layer |= {f"self_attn.{name}_norm.weight": (d_k,) for name in "qk" if s["norms"]}
    shapes: Shapes = {TABLE: (s["vocabulary"], d), NORM: (d,)}
    shapes |= {} if s["tied"] else {OUTPUT: (s["vocabulary"], d)}
    return shapes | {f"layers.{n}.{name}": shape for n in range(s["layers"]) for name, shape in layer.items()}


def _size(config: Mapping[str, Any], key: str, default: int, most: int) -> int:
    """A size that may be left out."""
    value = default if config.get(key) is None else config[key]
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{key} cannot be {shorten(value)}")
    return value


def _common(config: Mapping[str, Any], s: Settings, tied: bool) -> dict[str, Any]:
    """The settings that all relatives have."""
    heads, layers = s["heads"], s["layers"]
    kv_heads = _size(config, "num_key_value_heads", heads, heads)
    d_k = _size(config, "head_dim", s["d_model"] // heads or 1, 1024)
    if heads % kv_heads:
        raise ValueError(f"{heads} heads cannot share {kv_heads} heads of keys and values")
    if d_k % 2:
        raise ValueError(f"head_dim {d_k} is odd: rotary positions need pairs")
    return {
        "kv_heads": kv_heads,
        "d_k": d_k,
        "tied": config.get("tie_word_embeddings", tied) is True,
        "biases": (),
        "norms": False,
        "halves": config.get("rotate_neighbours") is not True,
        "frequencies": _frequencies(config, d_k),
        "rotated": (True,) * layers,
        "windows": (None,) * layers,
    }


def _frequencies(config: Mapping[str, Any], d_k: int) -> np.ndarray:
    """The angle by which each pair turns from one position to the next, (d_k / 2,)."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    if not isinstance(rope, dict):
        raise ValueError(f"rope_parameters cannot be {shorten(rope)}")

    def number(key: str, default: float | None = None) -> float:
        value = rope.get(key, default)
        if type(value) not in (int, float) or not 0 < value <= MOST_ROTATED:
            raise ValueError(f"the rotary positions' {key} cannot be {shorten(value)}")
        return float(value)

    kind = rope.get("rope_type", rope.get("type", "default"))
    part = rope.get("partial_rotary_factor", config.get("partial_rotary_factor", 1))
    if kind not in ("default", "linear", "llama3"):
        raise ValueError(f"the rope scaling {str(kind)[:40]!r} is unknown; known: default, linear, llama3")
    if part not in (1, None):
        raise ValueError(f"partial_rotary_factor {str(part)[:40]} is unknown; known: 1")
    base = number("rope_theta", config.get("rope_theta", 10000.0))
    frequencies = base ** (-np.arange(0, d_k, 2) / d_k)
    if kind == "default":
        return frequencies
    factor = number("factor")
    if kind == "linear":
        return frequencies / factor
    low, high = number("low_freq_factor"), number("high_freq_factor")
    if low >= high:
        raise ValueError(f"the rotary positions' low_freq_factor {low} must be below high_freq_factor {high}")
    turns = number("original_max_position_embeddings") * frequencies / (2 * np.pi)
    kept = np.clip((turns - low) / (high - low), 0, 1)  # 1: pairs that turn often, which stay as they are
    return frequencies * (kept + (1 - kept) / factor)


def _windows(config: Mapping[str, Any], layers: int, begin: int) -> tuple[int | None, ...]:
    """The window of each layer: as `layer_types` says, else of those from `begin` on."""
    window = config.get("sliding_window")
    if window is None:
        return (None,) * layers
    window = _size(config, "sliding_window", 1, 2**30)
    kinds = config.get("layer_types") or ["full_attention"] * begin + ["sliding_attention"] * (layers - begin)
    known = {"full_attention", "sliding_attention"}
    if not isinstance(kinds, list) or len(kinds) < layers or not known.issuperset(map(str, kinds)):
        raise ValueError("layer_types must name full_attention or sliding_attention for each layer")
    return tuple(window if kind == "sliding_attention" else None for kind in kinds[:layers])


def _biases(config: Mapping[str, Any]) -> tuple[str, ...]:
    attention = ATTENTION if config.get("attention_bias") is True else ()
    mlp = MLP if config.get("mlp_bias") is True else ()
    return (*(f"self_attn.{name}" for name in attention), *(f"mlp.{name}" for name in mlp))


def _optional_windows(config: Mapping[str, Any], s: Settings) -> tuple[int | None, ...]:
    if config.get("use_sliding_window") is not True:
        return (None,) * s["layers"]
    begin = config.get("max_window_layers", 28)
    return _windows(config, s["layers"], min(begin, s["layers"]) if type(begin) is int and begin >= 0 else 0)


def _qwen2(config: Mapping[str, Any], s: Settings) -> dict[str, Any]:
    biases = tuple(f"self_attn.{name}" for name in "qkv")
    return _common(config, s, tied=False) | {"biases": biases, "windows": _optional_windows(config, s)}


def _qwen3(config: Mapping[str, Any], s: Settings) -> dict[str, Any]:
    own = {"biases": _biases(config), "norms": True, "windows": _optional_windows(config, s)}
    return _common(config, s, tied=False) | own


def _smollm3(config: Mapping[str, Any], s: Settings) -> dict[str, Any]:
    every = _size(config, "no_rope_layer_interval", 4, 100)
    rotated = config.get("no_rope_layers") or [(layer + 1) % every for layer in range(s["layers"])]
    if not isinstance(rotated, list) or len(rotated) < s["layers"]:
        raise ValueError("no_rope_layers must have one number for each layer")
    rotated = rotated[: s["layers"]]
    kinds = ["full_attention" if each else "sliding_attention" for each in rotated]
    config = {"rope_theta": 2e6, **config, "layer_types": config.get("layer_types") or kinds}
    own = {"biases": _biases(config), "windows": _optional_windows(config, s)}
    return _common(config, s, tied=True) | own | {"rotated": tuple(map(bool, rotated))}


def _record(name: str, more: Callable[[Mapping[str, Any], Settings], dict[str, Any]]) -> Architecture:
    return Architecture(
        name=name,
        keys={**KEYS, "epsilon": "rms_norm_eps"},
        defaults={"epsilon": 1e-6},
        only={"hidden_act": ("silu",), "quantization_config": (None,), "num_local_experts": (None, 0)},
        prefix="model.",
        shapes=_shapes,
        tables=(TABLE, OUTPUT),
        forward=_forward,
        logits=_logits,
        read_out=(NORM, OUTPUT),
        tokeniser=from_tokenizer_json,
        more=more,
        positions="",
        causal=True,
        marks=0,
    )


LLAMAS = tuple(
    _record(name, more)
    for name, more in {
        "llama": lambda config, s: _common(config, s, tied=False) | {"biases": _biases(config)},
        "mistral": lambda config, s: (
            _common(config, s, tied=False) | {"windows": _windows(config, s["layers"], 0)}
        ),
        "qwen2": _qwen2,
        "qwen3": _qwen3,
        "smollm3": _smollm3,
    }.items()
)
