"""The shipped weights of a small network of two layers that learned the referent of *it*."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.models import weights

TWO_LAYERS = "trophy_or_box"
ARRAYS = {"embeddings", "positions", "W_query", "W_key", "W_value", "W_output"}


def load_two_layers() -> tuple[dict[str, np.ndarray], Mapping[str, Any]]:
    """Return its arrays, matrices by layer and head, and the record of its training.

    Raises `ValueError` for weights missing or damaged.
    """
    arrays, record = weights.load(TWO_LAYERS, (TWO_LAYERS,))
    if missing := (ARRAYS - set(arrays)) | ({"task", "fingerprint"} - set(record)):
        raise ValueError(f"the weights {TWO_LAYERS}.npz have no {', '.join(sorted(missing))}")
    return arrays, record
