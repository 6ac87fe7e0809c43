"""Weights as few bytes: each a whole number of 8 or 16 bits, each layer packed by itself."""

import gzip
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .attention import ONE_TOLERANCE

BITS = {8: np.dtype("u1"), 16: np.dtype("<u2")}
LEVEL = 5  # of gzip: a higher one takes twice as long for 2% less
NONE = 2**16 - 1  # in place of a key
THUMBNAIL = 32  # rows and columns of a small picture, at most


def largest_error(bits: int, signed: bool = False) -> float:
    """Return by how much a number in the file may differ from the array's.

    It is half a step, and what float32 rounds. Of numbers from −1 to 1, steps are twice as large.
    """
    return (0.5 + 0.5 * signed) / most_of(bits, signed) + ONE_TOLERANCE


def rounded_up(error: float) -> float:
    """Return a bound with two digits that is not below this one."""
    digit = 10.0 ** (math.floor(math.log10(error)) - 1)
    return float(f"{math.ceil(error / digit) * digit:.2g}")


def strongest(layers: Sequence[np.ndarray]) -> np.ndarray:
    """Return for each query of each head the key with the largest weight, uint16: `NONE` where all are 0.

    Of numbers from −1 to 1, it is that with the largest size. Numbers of 8 bits cannot tell it.
    """
    found = []
    for heads in layers:
        sizes = np.abs(heads)
        found.append(np.where(sizes.any(axis=-1), sizes.argmax(axis=-1), NONE).ravel())
    return np.concatenate(found).astype("<u2")


def most_of(bits: int, signed: bool = False) -> int:
    """Return the whole number that stands for 1. Of numbers from −1 to 1 it is even, so that 0 stays 0."""
    return 2**bits - 1 - signed


def quantized(weights: np.ndarray, bits: int) -> np.ndarray:
    """Return weights from 0 to 1 as whole numbers of so many bits, rounded; a weight just above 1 becomes 1."""
    most = most_of(bits)
    return np.minimum(weights * np.float32(most) + np.float32(0.5), most).astype(BITS[bits])


def quantized_change(change: np.ndarray, bits: int) -> np.ndarray:
    """Return numbers from −1 to 1 as whole numbers of so many bits: 0 becomes half of `most_of`."""
    half = most_of(bits, signed=True) // 2
    return np.round((change + 1) * half).astype(BITS[bits])


def pack_layers(layers: Sequence[np.ndarray], bits: int, signed: bool = False) -> list[bytes]:
    """Return each layer's quantized numbers, row by row of each head, packed with gzip."""
    numbers = quantized_change if signed else quantized
    with ThreadPoolExecutor() as pool:  # gzip leaves Python's lock to others
        return [*pool.map(lambda layer: packed_bytes(numbers(layer, bits).tobytes()), layers)]


def packed_bytes(data: bytes) -> bytes:
    """Return bytes packed with gzip."""
    return gzip.compress(data, LEVEL, mtime=0)


def thumbnail(heads: np.ndarray, signed: bool = False) -> np.ndarray:
    """Return a small picture of each head, (heads, rows, columns), uint8: of each block its largest number.

    Of a mean, a diagonal would be gone. Of numbers from −1 to 1, it is the one that is furthest from 0.
    """
    if not signed:
        return quantized(_largest(heads), 8)
    more, less = _largest(heads), _largest(-heads)
    return quantized_change(np.where(more >= less, more, -less), 8)


def _largest(heads: np.ndarray) -> np.ndarray:
    for axis in (1, 2):
        n = heads.shape[axis]
        if n > THUMBNAIL:
            starts = (np.arange(THUMBNAIL) * n) // THUMBNAIL
            heads = np.maximum.reduceat(heads, starts, axis=axis)
    return heads
