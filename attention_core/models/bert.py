"""BERT-like encoders: Devlin et al. 2019."""

import numpy as np

from attention_core.models.architecture import (
    KEYS,
    Architecture,
    ForwardPass,
    Settings,
    Shapes,
    by_head,
    even_heads,
    layer_norm,
    with_biases,
)
from attention_core.models.folder import TOKENIZER, Folder, check_size, in_order
from attention_core.models.tokens import WordPiece


def _forward(run: ForwardPass) -> list[np.ndarray]:
    """Run an encoder with post-norm and without a mask."""
    w, settings = run.weights, run.settings
    heads, epsilon = settings["heads"], settings["epsilon"]
    embeddings = (
        w.rows("embeddings.word_embeddings.weight", run.numbers)
        + w.rows(BERT.positions, run.positions)
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    x = layer_norm(w, epsilon, embeddings, "embeddings.LayerNorm")
    states = [x]
    for layer in range(settings["layers"]):
        part = f"encoder.layer.{layer}."

        def linear(x: np.ndarray, name: str, part: str = part) -> np.ndarray:
            return x @ w[f"{part}{name}.weight"].T + w[f"{part}{name}.bias"]

        projected = (by_head(linear(x, f"attention.self.{name}"), heads) for name in ("query", "key", "value"))
        attended = linear(run.attend(*projected), "attention.output.dense")
        x = layer_norm(w, epsilon, x + attended, f"{part}attention.output.LayerNorm")
        inner = linear(_gelu(linear(x, "intermediate.dense")), "output.dense")
        x = layer_norm(w, epsilon, x + inner, f"{part}output.LayerNorm")
        states.append(x)
    return states


def _gelu(x: np.ndarray) -> np.ndarray:
    """x Φ(x); Φ by Abramowitz & Stegun 7.1.26, whose error is below 1.5e-7."""
    y = np.abs(x) * x.dtype.type(0.5**0.5)
    t = 1 / (1 + x.dtype.type(0.3275911) * y)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return x * (1 + np.copysign(1 - series * np.exp(-y * y), x)) / 2


def _shapes(s: Settings) -> Shapes:
    d, inner = s["d_model"], s["d_ff"]
    shapes: Shapes = {
        "embeddings.word_embeddings.weight": (s["vocabulary"], d),
        "embeddings.position_embeddings.weight": (s["positions"], d),
        "embeddings.token_type_embeddings.weight": (1, d),
    }
    shapes |= with_biases("embeddings.", {"LayerNorm": (d,)}, last=False)
    layer = {
        **{f"attention.{name}": (d, d) for name in ("self.query", "self.key", "self.value", "output.dense")},
        "attention.output.LayerNorm": (d,),
        "output.LayerNorm": (d,),
        "intermediate.dense": (inner, d),
        "output.dense": (d, inner),
    }
    for number in range(s["layers"]):
        shapes |= with_biases(f"encoder.layer.{number}.", layer, last=False)
    return shapes


def _tokeniser(folder: Folder, vocabulary: int) -> WordPiece:
    file, tokens, options = _vocabulary(folder)
    check_size(file, tokens, vocabulary)
    try:
        return WordPiece(tokens, *options)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _vocabulary(folder: Folder) -> tuple[str, list[str], tuple[bool, bool | None, bool]]:
    """The file of the vocabulary, its tokens, and whether to write small, without accents, Chinese one by one."""
    if folder.has("vocab.txt") or not folder.has(TOKENIZER):
        tokens = folder.text("vocab.txt").removesuffix("\n").split("\n")
        config = folder.json("tokenizer_config.json") if folder.has("tokenizer_config.json") else {}
        lower, accents, chinese = "do_lower_case", "strip_accents", "tokenize_chinese_chars"
        file = "vocab.txt"
    else:
        file, content = TOKENIZER, folder.json(TOKENIZER)
        config, model = content.get("normalizer"), content.get("model")
        if not isinstance(config, dict) or not isinstance(model, dict) or model.get("type") != "WordPiece":
            raise ValueError(f"{TOKENIZER} is not a WordPiece tokeniser, and vocab.txt is missing")
        tokens = in_order(TOKENIZER, model.get("vocab"))
        lower, accents, chinese = "lowercase", "strip_accents", "handle_chinese_chars"
    strip = config.get(accents)
    return file, tokens, (config.get(lower, True) is True, strip, config.get(chinese, True) is not False)


BERT = Architecture(
    name="bert",
    keys={**KEYS, "epsilon": "layer_norm_eps"},
    defaults={"epsilon": 1e-12},
    only={
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute",),
        "is_decoder": (False,),
        "add_cross_attention": (False,),
    },
    prefix="bert.",
    shapes=_shapes,
    tables=("embeddings.word_embeddings.weight", "embeddings.token_type_embeddings.weight"),
    forward=_forward,
    logits=None,
    read_out=(),
    tokeniser=_tokeniser,
    more=even_heads,
    positions="embeddings.position_embeddings.weight",
    causal=False,
    marks=1,
)
