"""Results that are found again by what was read to compute them, and by nothing else.

A figure's layout is computed from a whole state, but most of what a hand moves it never reads. The first time, a
function gets `Watched` mappings that note each name it reads. From then on these names are asked for in the same
order, and where all values are the same the result is, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

from .expressions import Expression, follow
from .result_cache import key_of

RECENT = 4  # values of one name that are known again without being looked at


class Watched(Mapping[Any, Any]):
    """A mapping that notes what is read of it. A recorded value is followed, and its name noted."""

    def __init__(self, number: int, values: Mapping[Any, Any], reads: dict[tuple[int, Any], Any], **more: Any):
        """Note in `reads`, under its `number` and the name, the value of each name that is read."""
        self.__dict__.update(_number=number, _values=values, _reads=reads, **more)

    def __getitem__(self, name: Any) -> Any:
        """The value of a name or of a recorded value."""
        if isinstance(name, Expression):
            return follow(self, name)
        return self._note(name, self._values[name])

    def _note(self, name: Any, value: Any) -> Any:
        self._reads.setdefault((self._number, name), value)
        return value

    def fact(self, function: Callable[[Any], Any]) -> Any:
        """What a function says of the values, noted instead of all that it reads."""
        return self._note(function, function(self._values))

    def pop(self, name: Any, default: Any = None) -> None:
        """Leave a name out."""
        self.__dict__["_values"] = {each: value for each, value in self._values.items() if each != name}

    def __getattr__(self, name: str) -> Any:
        """The value of a name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __contains__(self, name: Any) -> bool:
        """Whether there is such a name. Which names there are belongs to the key."""
        return name in self._values

    def get(self, name: Any, default: Any = None) -> Any:
        """The value of a name, or `default`."""
        return self[name] if name in self else default  # noqa: SIM401 - that is what `get` does

    def __iter__(self) -> Iterator[Any]:
        """The names."""
        return iter(self._values)

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._values)

    def __or__(self, other: Mapping[Any, Any]) -> dict[Any, Any]:
        """Both as one dictionary: all is read."""
        return {**self, **other}


def fact(of: Any, function: Callable[[Any], Any]) -> Any:
    """What a function says of values or results. A figure that reads only this stays the same while it does."""
    return of.fact(function) if isinstance(of, Watched) else function(of)


class _Node:
    """What is read next, and for each of its values the node after it; at the end, the result."""

    __slots__ = ("by_key", "read", "recent", "result")

    def __init__(self) -> None:
        self.read: tuple[int, Any] | None = None
        self.recent: list[tuple[Any, _Node]] = []
        self.by_key: dict[Hashable, _Node] = {}
        self.result: Any = None

    def after(self, value: Any, *, make: bool = False) -> _Node | None:
        """The node after a value of what is read here. The value itself must not change."""
        for known, node in self.recent:
            if known is value:
                return node
        key = _key(value)
        node = self.by_key.get(key)
        if node is None and make:
            node = self.by_key[key] = _Node()
        if node is not None:
            self.recent = [(value, node), *self.recent[: RECENT - 1]]
        return node


class ReadCache:
    """At most `most` results that take at most `most_bytes`, as `size` tells; beyond that it begins anew."""

    def __init__(self, most: int, most_bytes: int, size: Callable[[Any], int]) -> None:
        """Begin with none."""
        self.most, self.most_bytes, self._size = most, most_bytes, size
        self._lock = Lock()
        self.clear()

    def clear(self) -> None:
        """Forget all results."""
        self._roots: dict[Hashable, _Node] = {}
        self.count = self.nbytes = 0

    def get(self, key: Hashable, sources: Sequence[Mapping[Any, Any]]) -> Any:
        """Return the result for what can be read in `sources`, or None."""
        node = self._roots.get(key)
        while node is not None and node.read is not None:
            number, name = node.read
            source = sources[number]
            node = node.after(name(source) if callable(name) else source[name])
        return node.result if node is not None else None

    def put(self, key: Hashable, reads: Mapping[tuple[int, Any], Any], result: Any) -> None:
        """Keep a result, with all that was read to compute it, in order."""
        size = self._size(result)
        with self._lock:
            if self.count >= self.most or self.nbytes + size > self.most_bytes:
                self.clear()
            node = self._roots.setdefault(key, _Node())
            for read, value in reads.items():
                if node.result is not None or node.read not in (None, read):  # it reads in another order now
                    node.recent, node.by_key, node.result = [], {}, None
                node.read = read
                node = node.after(value, make=True)
            node.result = result
            self.count, self.nbytes = self.count + 1, self.nbytes + size


def _key(value: Any) -> Hashable:
    """What is equal for equal values; what cannot be told is equal to itself alone."""
    try:
        return key_of(value)
    except TypeError:
        return Same(value)


class Same:
    """One object as a key: it stands for itself alone, and is held, so that no other can take its place."""

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        """Stand for an object."""
        self._of = of

    def __hash__(self) -> int:
        """By the object's place in memory."""
        return id(self._of)

    def __eq__(self, other: object) -> bool:
        """Whether the other stands for the same object."""
        return isinstance(other, Same) and self._of is other._of
