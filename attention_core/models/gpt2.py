"""GPT-2: Radford et al. 2019."""

import numpy as np

from attention_core.models.architecture import (
    Architecture,
    ForwardPass,
    Settings,
    Shapes,
    Tokeniser,
    by_head,
    even_heads,
    layer_norm,
    with_biases,
)
from attention_core.models.folder import TOKENIZER, Folder, check_size, in_order
from attention_core.models.stored import Weights
from attention_core.models.tokenizer_file import checked_byte_pairs, from_tokenizer_json, pairs_of


def _forward(run: ForwardPass) -> list[np.ndarray]:
    """Run a decoder with pre-norm and a causal mask."""
    w, settings = run.weights, run.settings
    heads, epsilon = settings["heads"], settings["epsilon"]
    x = w.rows("wte.weight", run.numbers) + w.rows(GPT2.positions, run.positions)
    states = [x]
    for layer in range(settings["layers"]):
        part = f"h.{layer}."

        def linear(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            return x @ w[f"{part}{name}.weight"] + w[f"{part}{name}.bias"]  # transposed, unlike BERT's

        parts = np.split(linear(layer_norm(w, epsilon, x, f"{part}ln_1"), "attn.c_attn"), 3, axis=-1)
        x = x + linear(run.attend(*(by_head(each, heads) for each in parts)), "attn.c_proj")
        inner = _gelu_by_tanh(linear(layer_norm(w, epsilon, x, f"{part}ln_2"), "mlp.c_fc"))
        x = x + linear(inner, "mlp.c_proj")
        states.append(x)
    return states


def _logits(w: Weights, settings: Settings, x: np.ndarray) -> np.ndarray:
    """Read the last states by the table of embeddings, after one more norm."""
    return layer_norm(w, settings["epsilon"], x, "ln_f") @ w["wte.weight"].T


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
    return shapes | with_biases("", {"ln_f": (d,)}, last=True)


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
        "tie_word_embeddings": (True,),
    },
    prefix="transformer.",
    shapes=_shapes,
    tables=("wte.weight",),
    forward=_forward,
    logits=_logits,
    read_out=("ln_f.weight", "ln_f.bias"),
    tokeniser=_tokeniser,
    more=even_heads,
    positions="wpe.weight",
    causal=True,
    marks=0,
)
