"""The small network of two layers that found out whom *it* means: its shipped weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.models import weights

TWO_LAYERS = "trophy_or_box"
ARRAYS = {"embeddings", "positions", "W_query", "W_key", "W_value", "W_output"}


def load_two_layers() -> tuple[dict[str, np.ndarray], Mapping[str, Any]]:
    """Its arrays, matrices by layer and head, and the record of its making.

    Raises `ValueError` for weights missing or damaged.
    """
    arrays, record = weights.load(TWO_LAYERS, (TWO_LAYERS,))
    if wrong := (ARRAYS - set(arrays)) | ({"task", "fingerprint"} - set(record)):
        raise ValueError(f"the weights {TWO_LAYERS}.npz have no {', '.join(sorted(wrong))}")
    return arrays, record
