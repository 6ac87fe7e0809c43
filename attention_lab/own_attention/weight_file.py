"""Attention weights in a file: the arrays that anybody can write with NumPy, and what a view adds to them.

An array `attention` of shape (layers, heads, q, k), (heads, q, k) or (q, k); or one for each layer, `layer 0`,
`layer 1`, …, of shape (heads, q, k). Of an encoder-decoder model `encoder`, `decoder` and `cross`, or `cross
layer 0`, …. `tokens`, `keys` and `title` are texts: arrays of texts in `.npz`; in `.safetensors` its metadata,
tokens and keys as JSON. `save` writes an array for each layer, and an entry `attention_lab` (JSON) with the rest.
"""

import json
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .array_file import (
    HOW_TO_SAVE,
    MOST_BYTES,
    MOST_TEXT,
    Contents,
    Entry,
    FileError,
    read_contents,
    size_refused,
    write_npz,
    write_safetensors,
)
from .attention import Attention, check_count
from .forms import NAMES, OWN, PATTERN, read_layers, tokens_of, tokens_of_kind
from .main_directions import Arrows
from .summaries import change
from .token_names import readable, visible

WRITERS: Mapping[str, Callable] = {".npz": write_npz, ".safetensors": write_safetensors}
LAYER = re.compile(r"(?:(encoder|decoder|cross)[ ._])?layers?[ ._](.+)")
EXTRAS, VERSION = "attention_lab", 1
ALL = None  # in place of a layer's name: an array of all layers
DAMAGED = f"the entry {EXTRAS} is damaged; save the file again, or without this entry"


class Saved(NamedTuple):
    """What a view is made of."""

    attention: Mapping[str, Attention]
    title: str = ""
    bits: int = 8
    changes: Sequence[tuple[str, str]] = ()


# Writing --------------------------------------------------------------------------------------------------


def write_weights(path: Path, saved: Saved) -> None:
    """Write every number of a view, float32, and all else that it needs, as `.npz` or `.safetensors`.

    Raises `ValueError` where two layers have one name as text.
    """
    arrays: dict[str, np.ndarray] = {}
    texts: dict[str, str | list[str]] = {"title": saved.title} if saved.title else {}
    kinds = {}
    for kind, each in saved.attention.items():
        before = _before(kind)
        arrows = [np.concatenate([of_layer.query, of_layer.key], axis=1) for of_layer in each.arrows]
        held = [of_layer.held for of_layer in each.arrows]
        for what, of_layers in (
            ("layer", each.weights),
            ("lengths", each.lengths),
            ("arrows", arrows),
            ("held", held),
        ):
            for layer, heads in zip(each.layers, of_layers, strict=False):
                name = f"{before}{what} {layer}"
                if name in arrays:
                    raise ValueError(f"two arrays would be called {name!r}; give layers other names")
                arrays[name] = np.ascontiguousarray(heads, "<f4")
        is_whole = each.is_self and [*each.queries] == [*each.keys[-len(each.queries) :]]
        texts[f"{before}tokens"] = [*(each.keys if is_whole else each.queries)]
        if not is_whole:
            texts[f"{before}keys"] = [*each.keys]
        kinds[kind] = {
            "layers": [int(name) if isinstance(name, Integral) else str(name) for name in each.layers],
            "is_self": each.is_self,
            "prompt": each.prompt,
            "shared": [*each.shared],
        }
    extras = {"version": VERSION, "bits": saved.bits, "changes": [*saved.changes], "kinds": kinds}
    WRITERS[path.suffix.lower()](path, arrays, texts | {EXTRAS: json.dumps(extras, ensure_ascii=False)})


def _before(kind: str) -> str:
    """What stands before the name of an array of a kind."""
    return "" if kind == OWN else f"{kind} "


# Reading --------------------------------------------------------------------------------------------------


def read_weights(source: bytes | str | Path, *, batch: int | None = None, most: int = MOST_BYTES) -> Saved:
    """Return the attention in a file, given by its path or its bytes; `batch` is the place of a text in a batch.

    Of a packed file, at most so many bytes are unpacked.

    Raises `FileNotFoundError` where there is no file, and `ValueError` for one that is not read: of another
    kind, damaged, pickled, larger than 1.1 GB, or with weights that `show` refuses.
    """
    before, data = ("", source) if isinstance(source, bytes) else _bytes_of(Path(source))
    try:
        if refusal := size_refused(len(data)):
            raise FileError("large", f"the file {refusal}")
        return _read(read_contents(data, most), batch)
    except FileError as error:
        raise FileError(error.kind, f"{before}{error}") from None
    except ValueError as error:
        raise ValueError(f"{before}{error}") from None


def _bytes_of(path: Path) -> tuple[str, bytes]:
    """What stands before what is wrong with a file, and its bytes."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it, such as {path / 'attention.npz'}")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}. Check its name, or write it with attention_lab.save.")
    if not path.is_file():
        raise ValueError(f"{path} is no file on a disk; copy it to one")
    if refusal := size_refused(path.stat().st_size):
        raise ValueError(f"{path} {refusal}")
    try:
        return f"{path.name}: ", path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}; copy it to another place") from None


def _read(contents: Contents, batch: int | None) -> Saved:
    extras = _extras(_text(contents, EXTRAS))
    kinds = extras.get("kinds")
    entries = _of_others(contents.arrays) if kinds is None else _of_own(contents.arrays, kinds)
    _check([entry for of_layers in entries.values() for entry in of_layers.values()])
    found = {}
    for kind, of_layers in entries.items():
        read = {layer: entry.read() for layer, entry in of_layers.items()}
        layers = read_layers(read.get(ALL, read), kind, batch)
        if kinds is None:
            found[kind] = _attention_of_others(kind, layers, contents)
        else:
            found[kind] = _own_attention(kind, layers, contents, kinds[kind])
    changes = [(before, after) for before, after in extras.get("changes", ())]
    for pair in changes:
        if not {*pair} <= {*found}:
            raise FileError("damaged", DAMAGED)
        change(*(found[kind] for kind in pair))  # refuses other shapes
    return Saved(found, _text(contents, "title"), extras.get("bits", 8), changes)


def _of_others(arrays: Mapping[str, Entry]) -> dict[str, dict[Hashable, Entry]]:
    """The layers of each kind by the names of the arrays; else the only array, whatever its name."""
    found: dict[str, dict[Hashable, Entry]] = {}
    for name, entry in arrays.items():
        if match := LAYER.fullmatch(name) or PATTERN.fullmatch(name):
            kind, layer = match[1] if match[1] in NAMES else OWN, match[match.lastindex]
            found.setdefault(kind, {})[int(layer) if layer.isdecimal() else layer] = entry
    found = {kind: dict(sorted(each.items(), key=_in_order)) for kind, each in found.items()}
    found |= {name: {ALL: arrays[name]} for name in NAMES if name in arrays}
    patterns = [entry for entry in arrays.values() if entry.dtype.kind in "biuf" and len(entry.shape) > 1]
    if not found and len(patterns) == 1:
        return {OWN: {ALL: patterns[0]}}
    if not found:
        names = ", ".join(sorted(arrays)[:5])
        raise ValueError(
            f"none of the arrays ({names}) is called attention, or layer 0, layer 1, …; {HOW_TO_SAVE}"
        )
    return {name: found[name] for name in NAMES if name in found}


def _in_order(item: tuple[Hashable, Entry]) -> tuple[bool, int]:
    """Layers by their numbers, then those with names as they come: other libraries write 0, 1, 10, 11, 2."""
    name, _ = item
    return (False, name) if isinstance(name, int) else (True, 0)


def _of_own(arrays: Mapping[str, Entry], kinds: Mapping[str, Any]) -> dict[str, dict[Hashable, Entry]]:
    try:
        return {
            kind: {layer: arrays[f"{_before(kind)}layer {layer}"] for layer in each["layers"]}
            for kind, each in kinds.items()
        }
    except KeyError as error:
        raise ValueError(f"there is no array {error.args[0]!r}; save the file again") from None


def _check(entries: Sequence[Entry]) -> None:
    """Refuse what holds no weights, and more than a view can hold, before any is read."""
    for name, shape, dtype, _ in entries:
        if dtype.kind not in "biuf" or len(shape) < 2:
            raise ValueError(f"{name} must be an array of numbers (heads, q, k), got {dtype} of shape {shape}")
    check_count(entry.shape for entry in entries)


def _attention_of_others(kind: str, layers: Mapping[Hashable, np.ndarray], contents: Contents) -> Attention:
    n_q, n_k = next(iter(layers.values())).shape[1:]
    given = [_tokens(contents, side) for side in ("tokens", "keys")]
    names = [None if each is None else readable(each) for each in given]
    return Attention([*layers.values()], [*layers], *tokens_of_kind(kind, *names, n_q, n_k))


def _own_attention(
    kind: str, layers: Mapping[Hashable, np.ndarray], contents: Contents, extras: Mapping[str, Any]
) -> Attention:
    before = _before(kind)
    n_q, n_k = next(iter(layers.values())).shape[1:]
    names = [_tokens(contents, f"{before}{side}") for side in ("tokens", "keys")]
    queries, keys, _ = tokens_of(*(None if each is None else [*map(visible, each)] for each in names), n_q, n_k)
    is_self, prompt, shared = extras["is_self"], extras["prompt"], extras["shared"]
    counts = [len(each) for each in layers.values()]

    def of_layers(what: str, *shape: int) -> list[np.ndarray]:
        if f"{before}{what} {next(iter(layers))}" not in contents.arrays:
            return []
        names = [f"{before}{what} {layer}" for layer in layers]
        return [_numbers(contents, name, (count, *shape)) for name, count in zip(names, counts, strict=True)]

    lengths, held = of_layers("lengths", n_k), of_layers("held")
    if any((each < 0).any() for each in (*lengths, *held)):
        raise ValueError("lengths and held hold numbers that are negative; save the file again")
    arrows = [
        Arrows(each[:, :n_q], each[:, n_q:], of_layer)
        for each, of_layer in zip(of_layers("arrows", n_q + n_k, 2), held, strict=False)
    ]
    is_shared = not shared or (len(shared) == len(counts) and not any(map(int.__mod__, counts, shared)))
    if not is_shared or not 0 <= (prompt or 0) <= n_k or (is_self and n_q > n_k):
        raise FileError("damaged", DAMAGED)
    return Attention([*layers.values()], [*layers], queries, keys, is_self, prompt, lengths, shared, arrows)


def _numbers(contents: Contents, name: str, shape: tuple[int, ...]) -> np.ndarray:
    entry = contents.arrays.get(name)
    if entry is None or entry.dtype.kind != "f" or entry.shape != shape:
        raise ValueError(f"{name} must be an array of numbers of shape {shape}; save the file again")
    numbers = np.ascontiguousarray(entry.read(), np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} holds numbers that are not finite; save the file again")
    return numbers


def _extras(text: str) -> dict[str, Any]:
    """The entry of a view's own file, or nothing of a file of others."""
    if not text:
        return {}
    try:
        extras = json.loads(text)
        json.dumps(extras, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError):
        raise FileError("damaged", DAMAGED) from None
    match extras:
        case {"version": int(version)} if version > VERSION:
            raise FileError(
                "newer", "the file is of a newer Attention Lab; update this one, or save the file without it"
            )
        case {"bits": int(), "changes": list(changes), "kinds": dict(kinds)}:
            pairs = all(isinstance(pair, list) and [*map(type, pair)] == [str, str] for pair in changes)
            if pairs and extras["bits"] in (8, 16) and kinds and all(map(_is_kind, kinds.values())):
                return extras
    raise FileError("damaged", DAMAGED)


def _is_kind(extras: object) -> bool:
    match extras:
        case {"layers": list(layers), "is_self": bool(), "prompt": None | int(), "shared": list(shared)}:
            return (
                len(layers) > 0
                and all(isinstance(name, int | str) for name in layers)
                and all(type(count) is int and count > 0 for count in shared)
            )
    return False


def _text(contents: Contents, name: str) -> str:
    """A text of the file; an empty one where there is none."""
    text = contents.metadata.get(name, "")
    if entry := contents.arrays.get(name):
        if entry.dtype.kind != "U" or entry.shape or entry.dtype.itemsize > MOST_TEXT:
            raise ValueError(f"{name} must be one text, got {entry.dtype} of shape {entry.shape}")
        text = str(entry.read())
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be a text, and holds half a character") from None
    return text


def _tokens(contents: Contents, name: str) -> list[object] | None:
    """The tokens of one side, where the file has them."""
    if entry := contents.arrays.get(name):
        size = entry.dtype.itemsize * (entry.shape or (1,))[0]
        if entry.dtype.kind not in "USiu" or len(entry.shape) != 1 or size > MOST_TEXT:
            raise ValueError(
                f"{name} must be one array of texts, numpy.array(list), got {entry.dtype} of shape {entry.shape}"
            )
        return entry.read().tolist()
    if name not in contents.metadata:
        return None
    try:
        found = json.loads(contents.metadata[name])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(token, str | int) for token in found):
        raise ValueError(f"{name} must be a list of texts as JSON; write json.dumps(tokens)")
    return found
