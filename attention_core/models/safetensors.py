"""Reader of `.safetensors`: the length of a header (8 bytes), the header (JSON), then the data of all tensors.

No code in such a file is run. The data is memory-mapped, so that all processes share it.
Source: the format's description, https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np

LONGEST_HEADER = 10_000_000  # bytes; a model of a hundred layers needs some hundred thousand
MOST_AXES = 8
KINDS = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
    "U16": "<u2",
    "U32": "<u4",
    "U64": "<u8",
    "BOOL": "?",
}


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Read every tensor by its name, read-only; BF16 becomes float32, the others are views of the file.

    Raises `ValueError`, naming the fault, for a file that is truncated, damaged or not of this format.
    """
    try:
        raw = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from None
    try:
        return _tensors(raw)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _tensors(raw: np.ndarray) -> dict[str, np.ndarray]:
    if raw.size < 8:
        raise ValueError(f"a file of {raw.size} bytes has no header")
    length = int(raw[:8].view("<u8")[0])
    most = min(LONGEST_HEADER, raw.size - 8)
    if not 2 <= length <= most:
        raise ValueError(f"its header claims {length} bytes, but at most {most} are possible")
    header, body = _header(raw[8 : 8 + length].tobytes()), raw[8 + length :]
    ranges = {name: _byte_range(name, entry, body.size) for name, entry in header.items()}
    _check_coverage(ranges, body.size)
    return {
        name: _array(body[start:end], header[name]["dtype"], header[name]["shape"])
        for name, (start, end) in ranges.items()
    }


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
    header.pop("__metadata__", None)
    return header


def _is_size(number: object) -> bool:
    return type(number) is int and 0 <= number < 2**48


def _byte_range(name: str, entry: object, size: int) -> tuple[int, int]:
    """Where a tensor's bytes start and end; refuse an entry that contradicts itself or the file's size."""
    if not isinstance(entry, dict):
        raise ValueError(f"its header lacks the shape or the offsets of {name!r}")
    kind, shape, offsets = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not (isinstance(kind, str) and kind in KINDS):
        raise ValueError(f"{name!r} has an unknown dtype {kind!r}; known: {', '.join(KINDS)}")
    if not (isinstance(shape, list) and len(shape) <= MOST_AXES and all(map(_is_size, shape))):
        raise ValueError(f"{name!r} has an impossible shape: {shape!r}"[:200])
    if not (isinstance(offsets, list) and len(offsets) == 2 and all(map(_is_size, offsets))):
        raise ValueError(f"{name!r} has impossible offsets: {offsets!r}"[:200])
    start, end = offsets
    if not start <= end <= size:
        raise ValueError(f"{name!r} is at bytes {start} to {end}, but there are only {size}")
    needed = math.prod(shape) * np.dtype(KINDS[kind]).itemsize
    if end - start != needed:
        raise ValueError(f"{name!r} of shape {shape} and dtype {kind} needs {needed} bytes, got {end - start}")
    return start, end


def _check_coverage(ranges: dict[str, tuple[int, int]], size: int) -> None:
    """Refuse tensors that overlap, and bytes that belong to none."""
    order = sorted(ranges.items(), key=lambda item: item[1])
    for (one, (_, end)), (other, (start, _)) in pairwise(order):
        if start < end:
            raise ValueError(f"{one!r} and {other!r} overlap")
        if start > end:
            raise ValueError(f"the bytes {end} to {start} belong to no tensor")
    first, last = (order[0][1][0], order[-1][1][1]) if order else (0, 0)
    if first or last != size:
        raise ValueError(f"its tensors cover only the bytes {first} to {last} of {size}")


def _array(data: np.ndarray, kind: str, shape: list[int]) -> np.ndarray:
    dtype = np.dtype(KINDS[kind])
    address = data.__array_interface__["data"][0]
    array = data.view(np.ndarray)
    array = array.view(dtype) if address % dtype.itemsize == 0 else np.frombuffer(array.tobytes(), dtype)
    if kind == "BF16":  # the upper half of a float32
        array = (array.astype("<u4") << 16).view("<f4")
    array = array.reshape(shape)
    array.setflags(write=False)
    return array
