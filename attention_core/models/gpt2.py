"""GPT-2: Radford et al. 2019."""

from __future__ import annotations

import numpy as np

from attention_core.attention import AttentionTrace, attend
from attention_core.masks import causal_mask
from attention_core.models.architecture import (
    Architecture,
    Settings,
    Shapes,
    Tokeniser,
    Weights,
    by_head,
    concatenate,
    layer_norm,
    with_biases,
)
from attention_core.models.folder import TOKENIZER, Folder, check_size, in_order
from attention_core.models.tokenizer_file import checked_byte_pairs, from_tokenizer_json, pairs_of


def _forward(
    w: Weights, settings: Settings, numbers: np.ndarray
) -> tuple[list[np.ndarray], list[AttentionTrace]]:
    """Run a decoder with pre-norm and a causal mask."""
    n, heads, epsilon = len(numbers), settings["heads"], settings["epsilon"]
    x = w["wte.weight"][numbers] + w[GPT2.positions][:n]
    states, layers = [x], []
    for layer in range(settings["layers"]):
        part = f"h.{layer}."

        def linear(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            return x @ w[f"{part}{name}.weight"] + w[f"{part}{name}.bias"]  # transposed, unlike BERT's

        parts = np.split(linear(layer_norm(w, epsilon, x, f"{part}ln_1"), "attn.c_attn"), 3, axis=-1)
        trace = attend(*(by_head(each, heads) for each in parts), mask=causal_mask(n))
        x = x + linear(concatenate(trace.context), "attn.c_proj")
        inner = _gelu_by_tanh(linear(layer_norm(w, epsilon, x, f"{part}ln_2"), "mlp.c_fc"))
        x = x + linear(inner, "mlp.c_proj")
        states.append(x)
        layers.append(trace)
    return states, layers


def _gelu_by_tanh(x: np.ndarray) -> np.ndarray:
    """GPT-2's approximation of x Φ(x)."""
    return x * (1 + np.tanh(x.dtype.type((2 / np.pi) ** 0.5) * (x + 0.044715 * x * x * x))) / 2


def _shapes(s: Settings) -> Shapes:
    d, inner = s["d_model"], s["d_ff"]
    shapes: Shapes = {"wte.weight": (s["vocabulary"], d), "wpe.weight": (s["positions"], d)}
    layer = {
        "ln_1": (d,),
        "ln_2": (d,),
        "attn.c_attn": (d, 3 * d),
        "attn.c_proj": (d, d),
        "mlp.c_fc": (d, inner),
        "mlp.c_proj": (inner, d),
    }
    for number in range(s["layers"]):
        shapes |= with_biases(f"h.{number}.", layer, last=True)
    return shapes


def _tokeniser(folder: Folder, vocabulary: int) -> Tokeniser:
    if folder.has(TOKENIZER) and not folder.has("vocab.json"):
        return from_tokenizer_json(folder, vocabulary)
    numbers, lines = folder.json("vocab.json"), folder.text("merges.txt").split("\n")
    check_size("vocab.json", in_order("vocab.json", numbers), vocabulary)
    merges = pairs_of("merges.txt", [line for line in lines if line and not line.startswith("#version")])
    return checked_byte_pairs("vocab.json", numbers, merges)


GPT2 = Architecture(
    name="gpt2",
    keys={
        "layers": "n_layer",
        "heads": "n_head",
        "d_model": "n_embd",
        "d_ff": "n_inner",
        "positions": "n_positions",
        "vocabulary": "vocab_size",
        "epsilon": "layer_norm_epsilon",
    },
    defaults={"epsilon": 1e-5},
    only={
        "activation_function": ("gelu_new",),
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
        "add_cross_attention": (False,),
    },
    prefix="transformer.",
    shapes=_shapes,
    tables=("wte.weight",),
    forward=_forward,
    tokeniser=_tokeniser,
    positions="wpe.weight",
    causal=True,
    marks=0,
)
