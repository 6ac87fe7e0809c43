"""Results that are asked for again and again: the newest are kept, for all readers."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from .caches import BoundedCache
from .recording import Calculation, Results

MOST, MOST_BYTES = 64, 16_000_000
LARGEST = 2**14  # bytes of an array that is looked at: reading a larger one costs what it would save
PLAIN = frozenset([str, bool, int, float, type(None)])


RESULTS = BoundedCache(MOST, MOST_BYTES, shared=(Calculation,))


def run_cached(calculation: Calculation, *scopes: Mapping[str, Any]) -> Results:
    """Return `calculation.run(*scopes)`, from the cache where it is there: the result must not be changed.

    With large arrays, or with values other than arrays, numbers and texts, it is run every time.
    """
    try:
        key = calculation, key_of(scopes)
    except TypeError:
        return calculation.run(*scopes)
    if (results := RESULTS.get(key)) is None:
        results = RESULTS.put(key, calculation.run(*scopes))
    return results


def key_of(value: Any) -> Hashable:
    """What is equal for equal values; a TypeError for what cannot be told or would take long to."""
    kind = type(value)
    if kind in PLAIN or isinstance(value, np.generic):
        return kind, value
    if kind in (list, tuple):
        kinds = tuple(map(type, value))
        return (kind, kinds, tuple(value)) if PLAIN.issuperset(kinds) else (kind, tuple(map(key_of, value)))
    if isinstance(value, Mapping):
        return tuple((name, key_of(each)) for name, each in value.items())
    if isinstance(value, np.ndarray) and not value.dtype.hasobject and value.nbytes <= LARGEST:
        return value.dtype.str, value.shape, value.tobytes()
    raise TypeError(kind.__name__)
