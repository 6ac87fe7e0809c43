"""Caches that all sessions of a process share, each within a number of values and a number of bytes.

Locks are taken in one order, so that no two sessions can wait for each other:

1. the lock of a key that is being computed, that of a value before those of the values it is computed from;
2. `long_work.exclusive`;
3. the lock of a cache, which is held for no longer than a lookup.

So what a value is computed from is asked for before `exclusive`: `SingleFlightCache.get` takes it as `first`, and
refuses to be called inside `exclusive`.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from . import long_work

CODE = (type, FunctionType, MethodType, ModuleType)
PLAIN = frozenset([bool, bytes, complex, float, int, str, type(None)])


def bytes_held(value: Any, shared: tuple[type, ...] = ()) -> int:
    """Count the bytes of a value and of all it refers to, each object once; `shared` types belong to others."""
    total, seen, rest = 0, set(), [value]
    while rest:
        each = rest.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if type(each) in PLAIN:  # most are, and refer to nothing
            total += sys.getsizeof(each)
            continue
        if isinstance(each, (*CODE, *shared)):
            continue
        total += sys.getsizeof(each)
        if isinstance(each, Mapping):
            rest += [*each.keys(), *each.values()]
        elif isinstance(each, (list, tuple, set, frozenset)):
            rest += each
        elif isinstance(each, np.ndarray) and each.base is not None:
            rest.append(each.base)
        if hasattr(each, "__dict__"):
            rest += vars(each).values()
    return total


class BoundedCache:
    """The most recently used values, at most `most` of them and `most_bytes` bytes together.

    One value that is larger than that by itself stays until the next one comes. Types that are `shared` with
    others, who hold them anyway, are not counted.
    """

    def __init__(self, most: int, most_bytes: int, shared: tuple[type, ...] = ()) -> None:
        self.most, self.most_bytes, self._shared = most, most_bytes, shared
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()
        self.nbytes = 0

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return the value of a key, or `default`."""
        with self._lock:
            if key not in self._values:
                return default
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Hashable, value: Any) -> Any:
        """Add a value, drop the least recently used ones beyond the bounds, and return the value."""
        size = bytes_held((key, value), self._shared)
        with self._lock:
            self.nbytes += size - self._values.pop(key, (None, 0))[1]
            self._values[key] = value, size
            while len(self._values) > 1 and (len(self._values) > self.most or self.nbytes > self.most_bytes):
                _, (_, dropped) = self._values.popitem(last=False)
                self.nbytes -= dropped
        return value

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._values.clear()
            self.nbytes = 0

    def __len__(self) -> int:
        return len(self._values)


def bounded(most: int, most_bytes: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep the newest results of a function of hashable arguments in a `BoundedCache`, its attribute `cache`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        cache = BoundedCache(most, most_bytes)

        @wraps(function)
        def cached(*arguments: Hashable) -> Any:
            if (result := cache.get(arguments, cache)) is cache:
                result = cache.put(arguments, function(*arguments))
            return result

        cached.cache = cache
        return cached

    return decorate


class SingleFlightCache(BoundedCache):
    """A bounded cache of what takes long to compute: sessions that ask for one key at once compute it once."""

    def __init__(self, most: int, most_bytes: int, shared: tuple[type, ...] = ()) -> None:
        super().__init__(most, most_bytes, shared)
        self._computing: dict[Hashable, tuple[Lock, int]] = {}  # by key its lock, and how many use it

    def compute(self, key: Hashable, make: Callable[..., Any], first: Callable[[], Any] | None = None) -> Any:
        """Return the value of a key; where there is none, one session computes it and the others wait.

        `make` runs inside `long_work.exclusive`. What it needs from this or another cache is returned by `first`,
        which runs before, and becomes its argument.
        """
        if long_work.is_exclusive():
            raise RuntimeError("a cache is asked inside long_work.exclusive: ask it before, as `first`")
        if (value := self.get(key, self)) is not self:
            return value
        with long_work.release_turn(), self._lock_of(key):
            if (value := self.get(key, self)) is not self:
                return value
            needed = () if first is None else (first(),)
            with long_work.exclusive():
                value = make(*needed)
            return self.put(key, value)

    @contextmanager
    def _lock_of(self, key: Hashable) -> Iterator[None]:
        """Hold the lock of a key, which exists while somebody holds it or waits for it."""
        with self._lock:
            lock, users = self._computing.get(key, (Lock(), 0))
            self._computing[key] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, users = self._computing.pop(key)
                if users > 1:
                    self._computing[key] = lock, users - 1
