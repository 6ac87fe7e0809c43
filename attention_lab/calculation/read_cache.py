"""Results that are found again by what was read to compute them, and by nothing else.

A figure's layout is computed from a whole state, but most of what a hand moves it never reads. The first time, a
function gets `Watched` mappings that note each name it reads. From then on these names are asked for in the same
order, and where all values are the same the result is, too.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

from .caches import bytes_held
from .expressions import Expression, follow
from .result_cache import key_of

RECENT = 4  # values of one name that are known again without being looked at


class Watched(Mapping[Any, Any]):
    """A mapping that notes what is read of it. A recorded value is followed, and its name noted."""

    def __init__(self, number: int, values: Mapping[Any, Any], reads: dict[tuple[int, Any], Any]):
        """Note in `reads`, under its `number` and the name, the value of each name that is read."""
        self._number, self._values, self._reads = number, values, reads

    def __getitem__(self, name: Any) -> Any:
        """The value of a name or of a recorded value."""
        if isinstance(name, Expression):
            return follow(self, name)
        return self._note(name, self._values[name])

    def _note(self, name: Any, value: Any) -> Any:
        self._reads.setdefault((self._number, name), value)
        return value

    def pop(self, name: Any, default: Any = None) -> None:
        """Leave a name out."""
        self._values = {each: value for each, value in self._values.items() if each != name}

    def __getattr__(self, name: str) -> Any:
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
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __or__(self, other: Mapping[Any, Any]) -> dict[Any, Any]:
        """Both as one dictionary: all is read."""
        return {**self, **other}


def fact(of: Any, function: Callable[[Any], Any]) -> Any:
    """What a function says of values or results. A figure that reads only this stays the same while it does."""
    return of._note(function, function(of._values)) if isinstance(of, Watched) else function(of)


class _Node:
    """What is read next, and for each of its values the node after it; or the result, where all has been read."""

    __slots__ = ("by_key", "read", "recent", "result")

    def __init__(self, read: tuple[int, Any] | None = None) -> None:
        """Begin with no node after it. `read` never changes: others may just be looking up what it names."""
        self.read = read
        self.recent: list[tuple[Any, _Node]] = []
        self.by_key: dict[Hashable, _Node] = {}
        self.result: Any = None

    def after(self, value: Any) -> "_Node | None":
        """The node after a value of what is read here. The value itself must not change."""
        for known, node in self.recent:
            if known is value:
                return node
        node = self.by_key.get(_key(value))
        if node is not None:
            self.recent = [(value, node), *self.recent[: RECENT - 1]]
        return node


class ReadCache:
    """At most `most` results that take at most `most_bytes`; beyond that it begins anew with the newest.

    The bytes are those of the results, as `size` tells, and those of the values by which they are found.
    """

    def __init__(self, most: int, most_bytes: int, size: Callable[[Any], int]) -> None:
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
            value = name(source) if callable(name) else source[name]  # may be code of a lesson: no lock
            with self._lock:
                node = node.after(value)
        return node.result if node is not None else None

    def put(self, key: Hashable, reads: Mapping[tuple[int, Any], Any], result: Any) -> None:
        """Keep a result, with all that was read to compute it, in order."""
        with self._lock:
            self._add(key, reads, result)
            if self.count > self.most or self.nbytes > self.most_bytes:
                self.clear()
                self._add(key, reads, result)

    def _add(self, key: Hashable, reads: Mapping[tuple[int, Any], Any], result: Any) -> None:
        leaf = _Node()
        leaf.result = result
        order = [*map(_Node, reads), leaf]
        node = self._next(self._roots, key, order[0])
        for (_, value), new in zip(reads.items(), order[1:], strict=True):
            each = _key(value)
            if (known := self._next(node.by_key, each, new)) is new:
                node.recent = []  # one of them may lead to the node that is replaced
                self.nbytes += bytes_held(each) + getattr(value, "nbytes", 0)
            node = known
        self.count, self.nbytes = self.count + 1, self.nbytes + self._size(result)

    @staticmethod
    def _next(nodes: dict[Hashable, _Node], key: Hashable, new: _Node) -> _Node:
        """The node of a key: a new one where there is none, where others were read next, or for a result."""
        if new.read is None or key not in nodes or nodes[key].read != new.read:
            nodes[key] = new
        return nodes[key]


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
        self._of = of

    def __hash__(self) -> int:
        return id(self._of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._of is other._of
