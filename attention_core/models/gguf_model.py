"""A model in a GGUF file, under the names of a folder: its configuration, its tensors, its tokeniser.

Source of the names: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.models.llama import OUTPUT
from attention_core.models.stored import Stored, shorten

KINDS = ("llama", "qwen2", "qwen3", "smollm3")  # general.architecture, and model_type of the same
NEIGHBOURS = ("llama", "smollm3")  # whose W_query and W_key are reordered, so that rotated pairs are neighbours
KEYS = {
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "max_position_embeddings": "context_length",
    "head_dim": "attention.key_length",
    "sliding_window": "attention.sliding_window",
    "rope_theta": "rope.freq_base",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "num_local_experts": "expert_count",
}
NAMES = {
    "token_embd": "embed_tokens",
    "output_norm": "norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
FACTORS = "rope_freqs.weight"  # by which the frequencies of rotary positions are divided


def config_of(metadata: Mapping[str, Any], tensors: Mapping[str, Stored]) -> dict[str, Any]:
    """What config.json would say, from a GGUF file's metadata and tensors under a folder's names.

    Raises `ValueError` for a kind of model, or a form of rotary positions, that is unknown.
    """
    name = metadata.get("general.architecture")
    if name not in KINDS:
        raise ValueError(f"general.architecture: {str(name)[:40]!r} is unknown; known: {', '.join(KINDS)}")
    found = {key: metadata.get(f"{name}.{own}") for key, own in KEYS.items()}
    config = {"model_type": name} | {key: value for key, value in found.items() if value is not None}
    scaling = metadata.get(f"{name}.rope.scaling.type", "none")
    config["rope_scaling"] = {"rope_type": "default" if scaling == "none" else scaling}
    if scaling == "linear":
        config["rope_scaling"]["factor"] = metadata.get(f"{name}.rope.scaling.factor")
    heads, width = config.get("num_attention_heads"), config.get("hidden_size")
    wide = config.get("head_dim") or (width // heads if type(heads) is type(width) is int and heads else None)
    for key in ("rope.dimension_count", "attention.key_length", "attention.value_length"):
        if (other := metadata.get(f"{name}.{key}", wide)) != wide:
            raise ValueError(f"{name}.{key} must be {wide}, the length of a key, got {shorten(other)}")
    table = tensors.get("embed_tokens.weight")
    config["vocab_size"] = table.shape[0] if table else None
    config["tie_word_embeddings"] = OUTPUT not in tensors
    config["attention_bias"] = "layers.0.self_attn.q_proj.bias" in tensors  # the metadata does not say
    config["mlp_bias"] = "layers.0.mlp.gate_proj.bias" in tensors
    config["rotate_neighbours"] = name in NEIGHBOURS
    if f"{name}.attention.sliding_window" in metadata and name == "llama":
        config["model_type"] = "mistral"
    return config


def renamed(tensors: Mapping[str, Stored]) -> dict[str, Stored]:
    """The tensors under the names that a folder has for them; others keep theirs."""
    result = {}
    for name, tensor in tensors.items():
        match = re.fullmatch(r"(?:blk\.(\d{1,4})\.)?(\w+)\.(weight|bias)", name)
        if match and match[2] in NAMES:
            layer = f"layers.{match[1]}." if match[1] else ""
            name = f"{layer}{NAMES[match[2]]}.{match[3]}"
        result[name] = tensor
    return result


def ends_of(metadata: Mapping[str, Any]) -> frozenset[int]:
    """The tokens that end a text."""
    keys = (f"tokenizer.ggml.{name}_token_id" for name in ("eos", "eot", "eom"))
    return frozenset(metadata[key] for key in keys if type(metadata.get(key)) is int)


def with_factors(settings: dict[str, Any], tensors: Mapping[str, Stored]) -> dict[str, Any]:
    """The settings with frequencies divided by the file's factors, where it has some (Llama 3.1 and later)."""
    if FACTORS not in tensors:
        return settings
    factors = tensors[FACTORS].as_float32()
    if factors.shape != settings["frequencies"].shape or not np.all(factors > 0):
        raise ValueError(f"{FACTORS} must hold {len(settings['frequencies'])} positive numbers")
    return settings | {"frequencies": settings["frequencies"] / factors}
