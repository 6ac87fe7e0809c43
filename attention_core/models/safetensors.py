"""Reader of `.safetensors`: the length of a header (8 bytes), the header (JSON), then the data of all tensors.

No code in such a file is run. The data is memory-mapped, so that all processes share it.
Source: the format's description, https://github.com/huggingface/safetensors#format.
"""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np

from attention_core.models.stored import FORMATS, Stored, read_mapped, shorten, without_overlap

LONGEST_HEADER = 10_000_000  # bytes; a model of a hundred layers needs some hundred thousand
MOST_AXES = 8
KINDS = [kind for kind, form in FORMATS.items() if form.dtype]


def read_safetensors(path: Path) -> dict[str, Stored]:
    """Read every tensor by its name.

    Raises `ValueError`, naming file and fault, for a file that is truncated, damaged or not of this format.
    """
    return read_mapped(path, lambda raw: parse_safetensors(raw)[0])


def parse_safetensors(raw: np.ndarray) -> tuple[dict[str, Stored], dict[str, str]]:
    """Return the tensors in a file's bytes (uint8), and its metadata: texts by name.

    Raises `ValueError`, naming the fault, for bytes that are truncated, damaged or not of this format.
    """
    if raw.size < 8:
        raise ValueError(f"a file of {raw.size} bytes has no header")
    length = int(raw[:8].view("<u8")[0])
    most = min(LONGEST_HEADER, raw.size - 8)
    if not 2 <= length <= most:
        raise ValueError(f"its header claims {length} bytes, but at most {most} are possible")
    header, body = _header(raw[8 : 8 + length].tobytes()), raw[8 + length :]
    metadata = header.pop("__metadata__", {})
    ranges = {name: _byte_range(name, entry, body.size) for name, entry in header.items()}
    _check_coverage(ranges, body.size)
    tensors = {
        name: Stored(tuple(header[name]["shape"]), header[name]["dtype"], body[start:end])
        for name, (start, end) in ranges.items()
    }
    texts = metadata.items() if isinstance(metadata, dict) else ()
    return tensors, {name: text for name, text in texts if isinstance(text, str)}


def _header(text: bytes) -> dict:
    def unique_keys(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("its header has the same name twice")
        return dict(pairs)

    try:
        header = json.loads(text.decode(), object_pairs_hook=unique_keys)
    except UnicodeDecodeError:
        raise ValueError("its header is not text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"its header is not JSON: {error}") from None
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict):
        raise ValueError("its header is not a list of names")
    return header


def _is_size(number: object) -> bool:
    return type(number) is int and 0 <= number < 2**48


def _byte_range(name: str, entry: object, size: int) -> tuple[int, int]:
    """Where a tensor's bytes start and end; refuse an entry that contradicts itself or the file's size."""
    shown = shorten(name)
    if not isinstance(entry, dict):
        raise ValueError(f"its header lacks the shape or the offsets of {shown}")
    kind, shape, offsets = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not (isinstance(kind, str) and kind in KINDS):
        raise ValueError(f"{shown} has an unknown dtype {shorten(kind)}; known: {', '.join(KINDS)}")
    if not (isinstance(shape, list) and len(shape) <= MOST_AXES and all(map(_is_size, shape))):
        raise ValueError(f"{shown} has an impossible shape: {shorten(shape)}")
    if not (isinstance(offsets, list) and len(offsets) == 2 and all(map(_is_size, offsets))):
        raise ValueError(f"{shown} has impossible offsets: {shorten(offsets)}")
    start, end = offsets
    if not start <= end <= size:
        raise ValueError(f"{shown} is at bytes {start} to {end}, but there are only {size}")
    needed = math.prod(shape) * FORMATS[kind].size
    if end - start != needed:
        raise ValueError(f"{shown} of shape {shape} and dtype {kind} needs {needed} bytes, got {end - start}")
    return start, end


def _check_coverage(ranges: dict[str, tuple[int, int]], size: int) -> None:
    """Refuse tensors that overlap, and bytes that belong to none."""
    order = without_overlap(ranges)
    for (_, (_, end)), (_, (start, _)) in pairwise(order):
        if start > end:
            raise ValueError(f"the bytes {end} to {start} belong to no tensor")
    first, last = (order[0][1][0], order[-1][1][1]) if order else (0, 0)
    if first or last != size:
        raise ValueError(f"its tensors cover only the bytes {first} to {last} of {size}")
