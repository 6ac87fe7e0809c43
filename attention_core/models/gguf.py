"""Reader of GGUF, the format of llama.cpp: metadata, the names and places of all tensors, then their data.

No code in such a file is run. The data is memory-mapped, so that all processes share it.
Source: the format's description, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.models.stored import FORMATS, Stored, read_mapped, shorten, without_overlap

# A file may claim anything. Known models have up to 650,000 texts, in 16 MB.
MOST_BYTES = 24_000_000  # of all that is not tensors' data
MOST_MEMORY = 80_000_000  # bytes, for the items of all arrays
TEXT_SIZE, NUMBER_SIZE = 96, 40  # bytes of memory an item takes, with its place in a list
LONGEST_TEXT = 1_000_000  # bytes
LONGEST_NAME = 200
MOST_NAMES = 10_000  # tensors; and entries of metadata
MOST_AXES = 4
LARGEST_ALIGNMENT = 2**16

VERSIONS = 2, 3
TEXT, ARRAY, BOOLEAN = 8, 9, 7
NUMBERS = {
    **{0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", BOOLEAN: "u1"},
    **{10: "<u8", 11: "<i8", 12: "<f8"},
}
# The names that llama.cpp gives to the kinds of tensors, by number.
KINDS = str.split(
    "F32 F16 Q4_0 Q4_1 Q4_2 Q4_3 Q5_0 Q5_1 Q8_0 Q8_1 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ2_XXS IQ2_XS IQ3_XXS IQ1_S"
    " IQ4_NL IQ3_S IQ2_S IQ4_XS I8 I16 I32 I64 F64 IQ1_M BF16 Q4_0_4_4 Q4_0_4_8 Q4_0_8_8 TQ1_0 TQ2_0 IQ4_NL_4_4"
    " IQ4_NL_4_8 IQ4_NL_8_8 MXFP4 NVFP4 Q1_0"
)
READABLE = [kind for kind in KINDS if kind in FORMATS and kind[0] != "I"]


def read_gguf(path: Path) -> tuple[dict[str, Any], dict[str, Stored]]:
    """Read metadata by key (numbers, truth values, texts and lists of these), and tensors by name.

    A tensor's shape is as in NumPy: the file has the axes in reverse. Raises `ValueError`, naming the file, the
    field and the fault, for a file that is truncated, damaged, of another format or quantised in another way.
    """
    return read_mapped(path, _content)


def _content(raw: np.ndarray) -> tuple[dict[str, Any], dict[str, Stored]]:
    header = _Header(raw)
    if header.take(4, "its first bytes") != b"GGUF":
        raise ValueError("it does not begin with GGUF")
    version = header.number(4, "its version")
    if version not in VERSIONS:
        raise ValueError(f"it is of version {version}; known: 2 and 3, little endian")
    tensors, entries = (header.count(MOST_NAMES, f"the number of {what}") for what in ("tensors", "entries"))
    metadata: dict[str, Any] = {}
    for _ in range(entries):
        key = header.name("the key of an entry", metadata)
        metadata[key] = header.value(header.number(4, key), key)
    places: dict[str, tuple[tuple[int, ...], str, int]] = {}
    for _ in range(tensors):
        name = header.name("the name of a tensor", places)
        places[name] = _place(header, name)
    if metadata.get("split.count", 1) not in (0, 1):
        raise ValueError("it is one part of several: join them with llama-gguf-split --merge")
    alignment = metadata.get("general.alignment", 32)
    if type(alignment) is not int or not 8 <= alignment <= LARGEST_ALIGNMENT or alignment & (alignment - 1):
        raise ValueError(f"general.alignment must be a power of two from 8 on, got {shorten(alignment)}")
    body = raw[-(-header.at // alignment) * alignment :]
    return metadata, _tensors(places, alignment, body)


def _place(header: "_Header", name: str) -> tuple[tuple[int, ...], str, int]:
    """The shape, the kind and the offset of a tensor."""
    axes = header.count(MOST_AXES, f"{name}: the number of axes", 4)
    shape = tuple(header.number(10, name) for _ in range(axes))[::-1]
    number, offset = header.number(4, name), header.number(10, name)
    kind = KINDS[number] if number < len(KINDS) else f"kind {number}"
    if kind not in FORMATS:
        raise ValueError(f"{name} is stored as {kind}, which cannot be read: use {', '.join(READABLE)}")
    if not all(0 < size < 2**48 for size in shape) or (shape or (1,))[-1] % FORMATS[kind].block:
        raise ValueError(f"{name} has an impossible shape for {kind}: {shape}")
    return shape, kind, offset


def _tensors(
    places: dict[str, tuple[tuple[int, ...], str, int]], alignment: int, body: np.ndarray
) -> dict[str, Stored]:
    """The tensors; refuse those that overlap, or are not within the file."""
    ranges = {}
    for name, (shape, kind, start) in places.items():
        end = start + math.prod(shape) // FORMATS[kind].block * FORMATS[kind].size
        if start % alignment:
            raise ValueError(f"{name} begins at byte {start}, which is no multiple of {alignment}")
        if end > body.size:
            raise ValueError(
                f"{name} is at bytes {start} to {end}, but there are only {body.size}: is the file complete?"
            )
        ranges[name] = start, end
    without_overlap(ranges)
    return {name: Stored(shape, kind, body[slice(*ranges[name])]) for name, (shape, kind, _) in places.items()}


class _Header:
    """What is before the tensors' data, read from front to back; `field` is what a message names."""

    def __init__(self, raw: np.ndarray) -> None:
        self.buffer = memoryview(raw)[:MOST_BYTES]
        self.at = 0
        self.memory = MOST_MEMORY  # that is left for arrays

    def take(self, size: int, field: str) -> memoryview:
        """The next bytes."""
        if size > len(self.buffer) - self.at:
            left = len(self.buffer) - self.at
            raise ValueError(f"{field} needs {size} bytes, but only {left} are left: is the file complete?")
        self.at += size
        return self.buffer[self.at - size : self.at]

    def numbers(self, kind: int, count: int, field: str) -> list[Any]:
        """Numbers of a kind of metadata; those that are not finite are refused."""
        dtype = np.dtype(NUMBERS[kind])
        array = np.frombuffer(self.take(count * dtype.itemsize, field), dtype)
        if kind == BOOLEAN:
            if (array > 1).any():
                raise ValueError(f"{field} must be true or false, 1 or 0, got {array.max()}")
            array = array.astype(bool)
        elif dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{field} must be finite, got {array[~np.isfinite(array)][0]}")
        return array.tolist()

    def number(self, kind: int, field: str) -> Any:
        """One number."""
        return self.numbers(kind, 1, field)[0]

    def count(self, most: int, field: str, kind: int = 10) -> int:
        """How many of something follow."""
        count = self.number(kind, field)
        if count > most:
            raise ValueError(f"{field} is {count}, but at most {most} are possible")
        return count

    def texts(self, count: int, field: str) -> list[str]:
        """The next texts: a loop without calls, as a vocabulary has a hundred thousand."""
        texts, buffer, at, end = [], self.buffer, self.at, len(self.buffer)
        for _ in range(count):
            start = at + 8
            size = int.from_bytes(buffer[at:start], "little")
            at = start + size
            if at > end or size > LONGEST_TEXT:
                most = max(min(LONGEST_TEXT, end - start), 0)
                raise ValueError(f"{field} has a text of {size} bytes, but at most {most} are possible")
            try:
                texts.append(str(buffer[start:at], "utf-8"))
            except UnicodeDecodeError:
                raise ValueError(f"{field} has a text that is not UTF-8") from None
        self.at = at
        return texts

    def name(self, field: str, known: dict[str, Any]) -> str:
        """A new name."""
        name = self.texts(1, field)[0]
        if not (name.isprintable() and 0 < len(name) <= LONGEST_NAME) or ".." in name:
            raise ValueError(f"{field} cannot be {shorten(name)}")
        if name in known:
            raise ValueError(f"{field}, {name!r}, is there twice")
        return name

    def value(self, kind: int, field: str) -> Any:
        """A value of metadata."""
        if kind != ARRAY:
            return self.values(kind, 1, field)[0]
        kind = self.number(4, field)
        size = TEXT_SIZE if kind == TEXT else NUMBER_SIZE
        count = self.count(self.memory // size, f"{field}: the number of its items")
        self.memory -= count * size
        return self.values(kind, count, field)

    def values(self, kind: int, count: int, field: str) -> list[Any]:
        """Values of one kind; llama.cpp reads no array of arrays, either."""
        if kind == TEXT:
            return self.texts(count, field)
        if kind not in NUMBERS:
            raise ValueError(
                f"{field} is {'an array of arrays' if kind == ARRAY else f'of an unknown type, {kind}'}"
            )
        return self.numbers(kind, count, field)
