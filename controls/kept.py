"""What takes long to make, made once for all readers: the newest are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from . import long_work


class Kept:
    """Things that take time to make: each made once for all who ask at once, the newest kept, within bounds."""

    def __init__(self, most: int, most_bytes: int) -> None:
        """Keep at most so many, of so many bytes together."""
        self._most, self._most_bytes = most, most_bytes
        self._things: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock, self._making = Lock(), {}

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The thing of that key; where it is not kept, one maker makes it and all others wait for it."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key][0]
            turn, waiting = self._making.get(key, (Lock(), 0))
            self._making[key] = turn, waiting + 1
        try:
            with long_work.aside(), turn:
                with self._lock:
                    if key in self._things:
                        return self._things[key][0]
                with long_work.alone():
                    thing = make()
                with self._lock:
                    self._things[key] = thing, size(thing)
                    self._let_go()
                return thing
        finally:
            with self._lock:
                turn, waiting = self._making[key]
                if waiting > 1:
                    self._making[key] = turn, waiting - 1
                else:
                    del self._making[key]

    def _let_go(self) -> None:
        """Forget the oldest while there are too many; the newest stays, however large."""
        while len(self._things) > 1 and (
            len(self._things) > self._most or sum(size for _, size in self._things.values()) > self._most_bytes
        ):
            self._things.popitem(last=False)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._things)
