"""Tensors as a file holds them: mapped into memory, and widened to float32 where they are used.

Blocks of quantised numbers are those of llama.cpp's `ggml-quants.c`, and give its reference's float32 to the bit.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attention_core import checks

Read = TypeVar("Read")
AT_ONCE = 2**17  # numbers: what is computed from them fits a processor's cache

# Blocks of quantised numbers ------------------------------------------------------------------------------


class Parts(NamedTuple):
    """What n blocks hold: number · scale + offset of its group gives the value."""

    numbers: np.ndarray  #: (n, groups, width), of 8 bits
    scales: np.ndarray  #: (n, groups)
    offsets: np.ndarray | None = None  #: (n, groups)


def _halves(blocks: np.ndarray, at: int) -> np.ndarray:
    """The float16 at a place of every block, (n, 1)."""
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2").astype(np.float32)


def _nibbles(packed: np.ndarray) -> np.ndarray:
    """(n, …, width) bytes as (n, …, 2, width): their lower halves, then their upper ones."""
    numbers = np.empty((*packed.shape[:-1], 2, packed.shape[-1]), np.uint8)
    np.bitwise_and(packed, 15, out=numbers[..., 0, :])
    np.right_shift(packed, 4, out=numbers[..., 1, :])
    return numbers


def _q4_0(blocks: np.ndarray) -> Parts:
    numbers = _nibbles(blocks[:, 2:]).view(np.int8)
    numbers -= 8
    return Parts(numbers.reshape(-1, 1, 32), _halves(blocks, 0))


def _q4_1(blocks: np.ndarray) -> Parts:
    return Parts(_nibbles(blocks[:, 4:]).reshape(-1, 1, 32), _halves(blocks, 0), _halves(blocks, 2))


def _q4_k(blocks: np.ndarray) -> Parts:
    """Eight groups of 32; twelve bytes pack eight scales and eight minima of 6 bits."""
    low, minima, high = np.moveaxis(blocks[:, 4:16].reshape(-1, 3, 4), 1, 0)
    scales = np.concatenate([low & 63, (high & 15) | (low >> 2 & 48)], axis=1)
    minima = np.concatenate([minima & 63, (high >> 4) | (minima >> 2 & 48)], axis=1)
    numbers = _nibbles(blocks[:, -128:].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    return Parts(numbers, _halves(blocks, 0) * scales, -_halves(blocks, 2) * minima)


def _q5_k(blocks: np.ndarray) -> Parts:
    """As Q4_K, and the fifth bits of group g are the bits g of 32 bytes."""
    parts = _q4_k(blocks)
    fifth = blocks[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]
    fifth &= 1
    fifth <<= 4
    np.bitwise_or(parts.numbers, fifth, out=parts.numbers)
    return parts


def _q6_k(blocks: np.ndarray) -> Parts:
    """Sixteen groups of 16; in each half of the block four bits of a number are apart from its upper two."""
    numbers = _nibbles(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    upper = blocks[:, 128:192].reshape(-1, 2, 1, 32) >> np.arange(0, 8, 2, dtype=np.uint8)[:, None]
    upper &= 3
    upper <<= 4
    numbers |= upper
    numbers = numbers.view(np.int8)
    numbers -= 32
    return Parts(numbers.reshape(-1, 16, 16), _halves(blocks, 208) * blocks[:, 192:208].view(np.int8))


def _widen_half(bits: np.ndarray, out: np.ndarray) -> None:
    """Write finite float16 as float32, faster than NumPy does.

    Sign, exponent and fraction are moved to their places; the exponents are then too small by 127 − 15.
    """
    moved = out.view("<i4")
    np.left_shift(bits, 13, out=moved, dtype="<i4")
    moved &= -0x70002000  # 8fffe000: what extending the sign has set besides it
    out *= np.float32(2.0**112)


class Format(NamedTuple):
    """How numbers of a kind are stored."""

    block: int  #: numbers that are stored together
    size: int  #: bytes of a block
    dtype: str = ""  #: of a number, where it is not quantised
    halves: tuple[int, ...] = ()  #: where a block of quantised numbers has its float16
    parts: Callable[[np.ndarray], Parts] | None = None  #: of blocks (n, size)


_DTYPES = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"},
    **{"I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1"},
    **{"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"},
}
FORMATS = {kind: Format(1, np.dtype(dtype).itemsize, dtype) for kind, dtype in _DTYPES.items()} | {
    "Q8_0": Format(32, 34, halves=(0,), parts=lambda b: Parts(b[:, None, 2:].view(np.int8), _halves(b, 0))),
    "Q4_0": Format(32, 18, halves=(0,), parts=_q4_0),
    "Q4_1": Format(32, 20, halves=(0, 2), parts=_q4_1),
    "Q4_K": Format(256, 144, halves=(0, 2), parts=_q4_k),
    "Q5_K": Format(256, 176, halves=(0, 2), parts=_q5_k),
    "Q6_K": Format(256, 210, halves=(208,), parts=_q6_k),
}
FLOATS = "F64", "F32", "F16", "BF16"
EXPONENT = {"F16": 0x7C00, "BF16": 0x7F80}  # all of these bits are set in NaN and the infinities

# Tensors --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Stored:
    """A tensor as a file holds it, mapped into memory."""

    shape: tuple[int, ...]  #: as in NumPy: quantised numbers of a block are neighbours on the last axis
    kind: str  #: a name in `FORMATS`
    raw: np.ndarray  #: its bytes, uint8, a view of the mapped file

    @property
    def is_float(self) -> bool:
        """Whether it holds real numbers, quantised or not."""
        return self.kind in FLOATS or FORMATS[self.kind].parts is not None

    @property
    def needed(self) -> int:
        """Bytes of memory that using it as float32 takes for good; none where the mapped file serves."""
        return 0 if self._is_float32 or self.kind in EXPONENT else 4 * math.prod(self.shape)

    @property
    def _is_float32(self) -> bool:
        return self.kind == "F32" and self.raw.__array_interface__["data"][0] % 4 == 0

    def as_float32(self) -> np.ndarray:
        """Return the numbers, read-only: a view of the file where it holds float32, else computed at each call.

        Raises `ValueError` for whole numbers.
        """
        if not self.is_float:
            raise ValueError(f"must hold floating-point numbers, got {self.kind}")
        if self._is_float32:
            return checks.frozen(self.raw.view("<f4").reshape(self.shape))
        numbers = np.zeros(math.prod(self.shape), np.float32)
        at = 0
        for blocks in self._chunks():
            part = numbers[at : at + len(blocks) * FORMATS[self.kind].block]
            self._widen(blocks, part)
            at += part.size
        return checks.frozen(numbers.reshape(self.shape))

    def rows(self, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the rows with these numbers along the first axis as float32; no other is converted."""
        numbers = np.asarray(numbers, int)
        if len(self.shape) < 2:  # a block may be more than a row
            return self.as_float32()[numbers]
        form = FORMATS[self.kind]
        size = math.prod(self.shape[1:]) // form.block * form.size
        raw = self.raw.reshape(self.shape[0], size).take(numbers, axis=0)
        return Stored((*numbers.shape, *self.shape[1:]), self.kind, raw.reshape(-1)).as_float32()

    def is_finite(self) -> bool:
        """Return whether every number is finite in float32; little of it is widened at once."""
        return not self.is_float or all(map(self._are_finite, self._chunks()))

    def _chunks(self) -> Iterator[np.ndarray]:
        """The bytes as blocks, (n, size of a block), as many at once as a processor's cache can take."""
        form = FORMATS[self.kind]
        blocks, step = self.raw.reshape(-1, form.size), AT_ONCE // form.block
        return (blocks[start : start + step] for start in range(0, len(blocks), step))

    def _widen(self, blocks: np.ndarray, out: np.ndarray) -> None:
        """Write the numbers of blocks to `out`, which is zero; NaN and the infinities give no warning."""
        form = FORMATS[self.kind]
        with np.errstate(all="ignore"):
            if self.kind == "BF16":  # the upper half of a float32
                out.view("<u2")[1::2] = blocks.view("<u2")[:, 0]
            elif self.kind == "F16" and self._are_finite(blocks):
                _widen_half(blocks.view("<i2")[:, 0], out)
            elif form.parts is None:
                out[:] = blocks.view(form.dtype)[:, 0]
            else:
                numbers, scales, offsets = form.parts(blocks)
                out = out.reshape(numbers.shape)
                out[:] = numbers
                out *= scales[..., None]
                if offsets is not None:
                    out += offsets[..., None]

    def _are_finite(self, blocks: np.ndarray) -> bool:
        if self.kind in ("F64", "F32"):
            with np.errstate(all="ignore"):
                return checks.is_finite(blocks.view(_DTYPES[self.kind]).ravel().astype("<f4", copy=False))
        exponent = EXPONENT.get(self.kind, EXPONENT["F16"])
        halves = FORMATS[self.kind].halves or (0,)
        bits = np.concatenate([blocks[:, at : at + 2] for at in halves]).view("<u2") & exponent
        return not (bits == exponent).any()


class Weights(Mapping[str, np.ndarray]):
    """Tensors by name as float32, read-only.

    Quantised ones are computed at their first use and kept, as are views of mapped float32; those of 16 bits stay
    mapped, and are widened at each use. Threads may share it: at worst two compute the same tensor.
    """

    def __init__(self, stored: Mapping[str, Stored]) -> None:
        self.stored = dict(stored)
        self._kept: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a tensor. Raises `KeyError` for an unknown name."""
        if name in self._kept:
            return self._kept[name]
        tensor = self.stored[name]
        array = tensor.as_float32()
        return array if tensor.kind in EXPONENT else self._kept.setdefault(name, array)

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored)

    def __len__(self) -> int:
        return len(self.stored)

    def rows(self, name: str, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return rows of a tensor along its first axis; no other is converted."""
        return self.stored[name].rows(numbers)

    @property
    def needed(self) -> int:
        """Bytes of memory that the use of all tensors takes for good."""
        return sum(tensor.needed for tensor in self.stored.values())

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a tensor, without computing it."""
        return name in self.stored


# Files ----------------------------------------------------------------------------------------------------


def read_mapped(path: Path, parse: Callable[[np.ndarray], Read]) -> Read:
    """Parse a file's bytes, mapped into memory; a `ValueError` names the file."""
    try:
        raw = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from None
    try:
        return parse(raw.view(np.ndarray))
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def without_overlap(ranges: Mapping[str, tuple[int, int]]) -> list[tuple[str, tuple[int, int]]]:
    """Names and (start, end) of tensors as they follow each other in a file; refuse two that overlap."""
    order = sorted(ranges.items(), key=lambda item: item[1])
    for (one, (_, end)), (other, (start, _)) in pairwise(order):
        if start < end:
            raise ValueError(f"{shorten(one)} and {shorten(other)} overlap")
    return order


def shorten(value: Any) -> str:
    """A value from a file as it is shown in a message."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
