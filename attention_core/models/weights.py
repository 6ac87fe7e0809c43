"""Shipped weights: files of arrays with a record of their training."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core import checks

FOLDER = Path(__file__).with_name("shipped")


@lru_cache(16)
def load(
    name: str, known: tuple[str, ...], folder: Path | None = None
) -> tuple[dict[str, np.ndarray], MappingProxyType[str, Any]]:
    """Return the weights, read-only, and their record.

    Raises `KeyError` for a name that is not among the `known`, and `ValueError`, naming the file and the cause,
    for a file that is missing or damaged. No code in the file is run: it holds arrays of numbers and one text.
    """
    if name not in known:
        raise KeyError(f"unknown model {name!r}; known: {', '.join(known)}")
    path = (folder or FOLDER) / f"{name}.npz"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        record = json.loads(str(arrays.pop("record")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"the weights {path.name} cannot be read: {error}") from None
    for key, array in arrays.items():
        checks.frozen(checks.finite(array, f"{path.name}: {key}"))
    return arrays, MappingProxyType(record)


def fingerprint(arrays: Mapping[str, np.ndarray]) -> str:
    """Return the first eight digits of the SHA-256 of arrays, in the order of their names."""
    return hashlib.sha256(b"".join(array.tobytes() for _, array in sorted(arrays.items()))).hexdigest()[:8]


def places(words: Sequence[str], vocabulary: Sequence[str], longest: int) -> np.ndarray:
    """Return the indices of words in the vocabulary.

    Raises `ValueError`, naming it, for a word that is not among them, and for more words than `longest`.
    """
    indices = {word: index for index, word in enumerate(vocabulary)}
    for word in words:
        if word not in indices:
            raise ValueError(f"the model does not know the word {word!r}")
    if len(words) > longest:
        raise ValueError(f"a text has at most {longest} words, got {len(words)}")
    return np.array([indices[word] for word in words], dtype=int)
