"""Results kept for whoever is given the same: a whole class begins with one example."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from threading import Lock
from typing import Any

import numpy as np

from .recording import Calculation, Results

MOST = 64  # results; the newest are kept
LARGEST = 2**14  # bytes of an array that is looked at: reading a larger one costs what it would save

_kept: OrderedDict[Hashable, Results] = OrderedDict()
_lock = Lock()


def run_kept(calculation: Calculation, *given: Mapping[str, Any]) -> Results:
    """What `calculation.run` makes of what is `given`, perhaps for somebody before: it is not to be changed.

    What is given large arrays, or what is no array, number or text, is run every time.
    """
    try:
        key = calculation, _key(given)
    except TypeError:
        return calculation.run(*given)
    with _lock:
        if found := _kept.get(key):
            _kept.move_to_end(key)
            return found
    found = calculation.run(*given)
    with _lock:
        _kept[key] = found
        while len(_kept) > MOST:
            _kept.popitem(last=False)
    return found


def _key(value: Any) -> Hashable:
    """What is equal for equal values; a TypeError for what cannot be told or would take long to."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject and value.nbytes <= LARGEST:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return tuple((name, _key(each)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return type(value), *map(_key, value)
    if isinstance(value, str | bool | int | float | np.generic | None):
        return type(value), value
    raise TypeError(type(value).__name__)
