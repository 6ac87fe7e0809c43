"""The forms in which people have attention weights, read without importing the libraries that make them.

Arrays are whatever `numpy.asarray` takes, and tensors of PyTorch on any device. A sequence of arrays is one of
layers, as in `output.attentions` of transformers; of sequences of arrays, one of `generate`'s steps. Sources of
the forms: transformers' `ModelOutput` and `GenerateDecoderOnlyOutput`, TransformerLens' `ActivationCache`,
`torch.nn.MultiheadAttention`, and this course's own traces.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from attention_core import checks

from .attention import Attention, check_count
from .main_directions import main_directions
from .token_names import readable

KINDS = ("encoder", "decoder", "cross")  # of an encoder-decoder model
OWN = "attention"  # the kind of any other
NAMES = (OWN, *KINDS)
PATTERN = re.compile(r"blocks\.(\d+)\.attn\.hook_pattern")  # in a cache of TransformerLens
AXES = {2: "(q, k)", 3: "(heads, q, k)", 4: "(layers, heads, q, k)", 5: "(layers, batch, heads, q, k)"}
NO_WEIGHTS = (
    "this output has no attention weights: load the model with attn_implementation='eager' and call it with "
    "output_attentions=True; of `generate`, ask return_dict_in_generate=True as well"
)

Layers = dict[Hashable, np.ndarray]


def read_attention(
    attention: Any,
    tokens: Iterable[object] | None = None,
    keys: Iterable[object] | None = None,
    *,
    batch: int | None = None,
    key_heads: int | None = None,
) -> dict[str, Attention]:
    """Return the attention in any of its forms, by its kind: "attention", or "encoder", "decoder" and "cross".

    `tokens` are those of the queries, and of the keys where `keys` has no others: of an encoder-decoder model
    `tokens` are the decoder's, `keys` the encoder's. `batch` is the place of the text in a batch, `key_heads` how
    many key heads each layer has, where query heads share them. Raises `ValueError` for what is in none of the
    forms, with the shapes that were given.
    """
    if tokens is None and hasattr(attention, "states"):
        tokens = getattr(attention, "tokens", None) or attention.words  # of a run of one of the course's models
    names = None if tokens is None else readable(tokens)
    others = None if keys is None else readable(keys)
    found = {}
    for kind, given in _kinds(attention).items():
        traces = _traces(given)
        layers, prompt = _read_layers([each.weights for each in traces] or given, batch, kind == "cross")
        n_q, n_k = next(iter(layers.values())).shape[1:]
        own = names
        if own is not None and prompt is not None and len(own) == n_q + 1:
            own = own[:-1]  # the last token that was written has not been read
        queries, of_keys, is_self = tokens_of_kind(kind, own, others, n_q, n_k)
        more = _of_vectors(traces, batch)
        if key_heads is not None:
            more["shared"] = [_shared(len(weights), key_heads) for weights in layers.values()]
        found[kind] = Attention([*layers.values()], [*layers], queries, of_keys, is_self, prompt, **more)
    return found


def _shared(heads: int, key_heads: int) -> int:
    """How many query heads share a key head."""
    if key_heads < 1 or heads % key_heads:
        raise ValueError(f"key_heads must divide the number of heads, got {key_heads} and {heads} heads")
    return heads // key_heads


def _kinds(attention: Any) -> dict[str, Any]:
    """What holds the layers of each kind of attention."""
    if _member(attention, "beam_indices") is not None:
        raise ValueError("these steps are of several beams, whose rows change places; generate with num_beams=1")
    of_both = {kind: _member(attention, f"{kind}_attentions") for kind in KINDS}
    of_both = {kind: given for kind, given in of_both.items() if _holds(given)}
    if "encoder" in of_both or "decoder" in of_both:
        return of_both
    own = _member(attention, "attentions")
    if _holds(own):
        return {OWN: own, **of_both}
    if of_both:
        return of_both
    lacks = isinstance(attention, (list, tuple)) and attention and all(each is None for each in attention)
    if lacks or any(
        _has_member(attention, name) for name in ("attentions", "encoder_attentions", "decoder_attentions")
    ):
        raise ValueError(NO_WEIGHTS)
    return {OWN: attention}


def _has_member(of: Any, name: str) -> bool:
    """Whether this has an entry or an attribute: outputs of transformers have one for what they lack, too."""
    return (isinstance(of, Mapping) and name in of) or hasattr(of, name)


def _member(of: Any, name: str) -> Any:
    return of[name] if isinstance(of, Mapping) and name in of else getattr(of, name, None)


def _holds(layers: Any) -> bool:
    """Whether there is anything in layers: models that lack a kind hold None, or a None for each layer."""
    return layers is not None and len(layers) > 0 and any(each is not None for each in layers)


def _read_layers(given: Any, batch: int | None, is_cross: bool) -> tuple[Layers, int | None]:
    """The weights (heads, n_q, n_k) by layer, and how many tokens a generated text began with."""
    if isinstance(given, (list, tuple)) and given and all(map(_is_sequence_of_arrays, given)):
        return _joined_steps(given, batch, is_cross)
    if isinstance(given, Mapping):
        given = _of_cache(given)
    return read_layers(given, "attention", batch), None


def read_layers(given: Any, name: str, batch: int | None = None) -> Layers:
    """Return arrays of shape (heads, rows, columns), float32, by layer, of one array or of one for each layer.

    `name` is what a sentence calls them. Raises `ValueError` for other shapes, and for more than a view can hold.
    """
    if _is_sequence_of_arrays(given):
        given = {place: each for place, each in enumerate(given) if each is not None}
    if not isinstance(given, Mapping):
        return _layers_of(checks.real_array(without_gradient(given), name), name, batch)
    if not given:
        raise ValueError(f"{name} is empty; pass {{layer: array of shape (heads, q, k)}}")
    check_count([np.shape(each) for each in given.values()])
    return {layer: _heads(each, batch, f"layer {layer} of {name}") for layer, each in given.items()}


def _traces(given: Any) -> list[Any]:
    """The course's own traces: of one head, of several, or of a model's layers; none of anything else."""
    if hasattr(given, "states") and hasattr(given, "layers"):
        return [trace for layer in given.layers for trace in _traces(layer)]
    if hasattr(given, "heads") and hasattr(given.heads, "weights"):
        given = given.heads
    return [given] if hasattr(given, "weights") and hasattr(given, "masked_scores") else []


def _of_vectors(traces: Sequence[Any], batch: int | None) -> dict[str, Any]:
    """What queries, keys and values of traces say besides the weights."""
    found: dict[str, Any] = {"lengths": [], "shared": [], "arrows": []} if traces else {}
    lengths = all(trace.delta is None for trace in traces)  # else a matrix that is not in the trace changes them
    for trace in traces:
        query, key, value = (_heads(getattr(trace, name), batch, name) for name in ("query", "key", "value"))
        of_head = [*(trace.key_heads or range(len(key)))]
        found["shared"].append(len(query) // len(key))
        if lengths:
            found["lengths"].append(np.linalg.norm(value, axis=-1)[of_head])
        found["arrows"].append(main_directions(query, key[of_head]))
    return found


def _of_cache(given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The patterns in a cache of TransformerLens by layer; any other mapping as it is."""
    found = {int(match[1]): given[name] for name in given if (match := PATTERN.fullmatch(str(name)))}
    if not found and any(isinstance(name, str) and name.startswith("blocks.") for name in given):
        raise ValueError(
            "this cache has no attention patterns: let run_with_cache keep the names that end in hook_pattern"
        )
    return found or given


def _is_array(each: Any) -> bool:
    return hasattr(each, "shape") and hasattr(each, "dtype") and len(each.shape) >= 2


def _is_sequence_of_arrays(given: Any) -> bool:
    """Whether this is a sequence of layers' arrays; layers without weights are None."""
    if not isinstance(given, (list, tuple)):
        return False
    return any(map(_is_array, given)) and all(each is None or _is_array(each) for each in given)


def without_gradient(given: Any) -> Any:
    """A tensor of PyTorch on the processor, without what is needed to train; anything else as it is."""
    if hasattr(given, "detach") and hasattr(given, "cpu"):
        given = given.detach().cpu()
    return given


def _heads(layer: Any, batch: int | None, where: str) -> np.ndarray:
    """One layer as (heads, n_q, n_k)."""
    array = checks.real_array(without_gradient(layer), where)
    if array.ndim == 4:
        array = _text_of(array, batch, where)
    elif array.ndim not in (2, 3):
        raise ValueError(
            f"{where} must have shape (q, k), (heads, q, k) or (batch, heads, q, k), got {array.shape}"
        )
    array = array.reshape((-1, *array.shape[-2:])) if array.size else array
    if 0 in array.shape:
        raise ValueError(f"{where} is empty: its shape is {array.shape}")
    return np.ascontiguousarray(array, np.float32)


def _text_of(array: np.ndarray, batch: int | None, where: str, axis: int = 0) -> np.ndarray:
    """One text of a batch."""
    count = array.shape[axis]
    if batch is None and count != 1:
        raise ValueError(
            f"{where} holds a batch of {count} texts (shape {array.shape}): choose one with batch=0, 1 …"
        )
    if not 0 <= (batch or 0) < count:
        raise ValueError(f"batch={batch} is not in {where}, which holds {count} texts (shape {array.shape})")
    return array.take(batch or 0, axis)


def _layers_of(array: np.ndarray, name: str, batch: int | None) -> Layers:
    """One array as layers. With `batch`, its axis stands before that of the heads, or in the layers' place."""
    if array.ndim not in AXES:
        forms = ", ".join(AXES.values())
        raise ValueError(f"{name} must have shape {forms}, or be a sequence of layers, got {array.shape}")
    check_count([array.shape])
    if array.ndim == 5:
        array = _text_of(array, batch, name, axis=1)
    elif batch is not None and array.ndim > 2:
        array = _text_of(array, batch, name)
    if array.ndim < 4:
        array = array[None]
    return {place: _heads(layer, None, name) for place, layer in enumerate(array)}


def _joined_steps(steps: Sequence[Any], batch: int | None, is_cross: bool) -> tuple[Layers, int]:
    """The steps of `generate` as one pattern of each layer: a row for each token that the model has read.

    Step 0 has the prompt's rows. Each later step has one row, over all keys so far; without a cache it has all
    rows, and the last is the new one. A cache of fixed size has places for keys that are not there yet; a
    sliding window has the last keys alone.
    """
    names = [place for place, layer in enumerate(steps[0]) if layer is not None]
    n, wide = np.shape(steps[0][names[0]])[-2:]
    total = n + len(steps) - 1
    wide = wide if is_cross else total
    check_count([(np.shape(steps[0][name])[-3], total, wide) for name in names])
    found = {}
    for name in names:
        prompt = _heads(steps[0][name], batch, f"step 0, layer {name} of attention")
        pattern = np.zeros((len(prompt), total, wide), np.float32)
        _put(pattern[:, :n], prompt, wide if is_cross else n)
        for number, step in enumerate(steps[1:], 1):
            where, seen = f"step {number}, layer {name} of attention", wide if is_cross else n + number
            rows = _heads(step[name], batch, where)
            if rows.shape[1] not in (1, n + number) or len(rows) != len(prompt):
                raise ValueError(
                    f"{where} has shape {rows.shape}; expected ({len(prompt)}, 1, keys), one row, or "
                    f"({len(prompt)}, {n + number}, keys) without a cache. Generate without an assistant model"
                )
            _put(pattern[:, n + number - 1 : n + number], rows[:, -1:], seen)
        found[name] = pattern
    return found, n


def _put(pattern: np.ndarray, rows: np.ndarray, seen: int) -> None:
    """Write rows into a pattern, of which they see the first `seen` keys, or the last of these."""
    rows = rows[..., :seen]
    pattern[..., seen - rows.shape[-1] : seen] = rows


def tokens_of(
    own: list[str] | None, others: list[str] | None, n_q: int, n_k: int, *, is_cross: bool = False
) -> tuple[list[str], list[str], bool]:
    """Return the tokens of queries and keys, and whether both are one text, of which the queries are the last.

    Where none were given, their places stand for them. Raises `ValueError` where those of the keys are missing.
    """
    if is_cross or (others is not None and (others != own or n_q != n_k)):
        return own or _places(n_q), others or _places(n_k), False
    if own is None:
        return _places(n_q), _places(n_k), n_q == n_k
    if len(own) == n_k > n_q:
        return own[-n_q:], own, True
    if n_q != n_k:
        raise ValueError(
            f"{len(own)} tokens were given for {n_q:,} queries and {n_k:,} keys: pass the tokens of both, those "
            "of the keys as keys="
        )
    return own, own, True


def tokens_of_kind(
    kind: str, names: list[str] | None, others: list[str] | None, n_q: int, n_k: int
) -> tuple[list[str], list[str], bool]:
    """Return `tokens_of` a kind: in an encoder-decoder model, `others` are those of the encoder."""
    own = others if kind == "encoder" else names
    of_keys = others if kind in (OWN, "cross") else None
    return tokens_of(own, of_keys, n_q, n_k, is_cross=kind == "cross")


def _places(n: int) -> list[str]:
    return [str(place) for place in range(n)]
