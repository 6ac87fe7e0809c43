"""Shipped weights: a file of arrays with the record of their making."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Sequence
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
    """The weights, read-only, and their record.

    Raises `KeyError` for a name that is not among the `known`, and `ValueError`, saying which file and why, where
    it is missing or cannot be read. Nothing in the file is run: arrays of numbers and one text are read.
    """
    if name not in known:
        raise KeyError(f"unknown model {name!r}; known: {', '.join(known)}")
    path = (folder or FOLDER) / f"{name}.npz"
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        record = json.loads(str(arrays.pop("record")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as why:
        raise ValueError(f"the weights {path.name} cannot be read: {why}") from None
    return {
        key: checks.frozen(checks.finite(array, f"{path.name}: {key}")) for key, array in arrays.items()
    }, MappingProxyType(record)


def places(words: Sequence[str], vocabulary: Sequence[str], longest: int) -> np.ndarray:
    """The numbers of the words in the vocabulary.

    Raises `ValueError`, naming it, for a word that is not among them, and for more words than `longest`.
    """
    numbers = {word: number for number, word in enumerate(vocabulary)}
    for word in words:
        if word not in numbers:
            raise ValueError(f"the model does not know the word {word!r}")
    if len(words) > longest:
        raise ValueError(f"a text has at most {longest} words, got {len(words)}")
    return np.array([numbers[word] for word in words], dtype=int)
