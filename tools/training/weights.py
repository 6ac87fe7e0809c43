"""How weights and the record of their making are written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from attention_core.models.weights import FOLDER


def save(name: str, weights: dict[str, np.ndarray], record: dict, folder: Path | None = None) -> Path:
    """Write both into one file; numbers as float32, or with 16 bits where they are given so."""
    path = (folder or FOLDER) / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {key: np.asarray(value) for key, value in weights.items()}
    arrays = {
        key: value if value.dtype.itemsize == 2 else value.astype(np.float32) for key, value in kept.items()
    }
    np.savez_compressed(path, record=np.array(json.dumps(record)), **arrays)
    print(f"{path.name}: {path.stat().st_size:,} bytes, {sum(each.size for each in arrays.values()):,} numbers")
    return path
