"""How many sessions, connections and requests one process takes, in all and from one network address.

A share for each address keeps one client from taking everything; it is wide enough for a classroom behind one
address. An IPv6 address is counted with its neighbours, the /64 that one household gets.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network

UNKNOWN = "unknown"
KEPT = 10_000  # addresses whose pace is remembered, the latest that asked


class FullError(Exception):
    """There is no room left; its text is whose: "full" or "share"."""


class TokenBucket:
    """So many a second, and a few at once before that; beyond it, how long to wait."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self.left, self.seen = float(burst), clock()

    def wait(self, cost: float = 1) -> float:
        """Seconds that the next one has to wait."""
        now = self.clock()
        self.left = min(self.burst, self.left + (now - self.seen) * self.rate) - cost
        self.seen = now
        return max(0.0, -self.left / self.rate)

    def until(self, cost: float = 1) -> float:
        """Seconds until one of this cost would not have to wait; nothing is charged."""
        self.wait(0)
        return max(0.0, (min(cost, self.burst) - self.left) / self.rate)


class Addresses:
    """Which client a connection belongs to, seen through the proxies that are trusted."""

    def __init__(self, proxies: Sequence[str] = ()) -> None:
        """Trust these networks to say whom they ask for."""
        self._proxies = [ip_network(each, strict=False) for each in proxies]

    def is_proxy(self, host: str) -> bool:
        """Whether a connection comes from a trusted proxy."""
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._proxies)

    def of(self, host: str, forwarded: str = "") -> str:
        """The client's address: the connection's, or what a trusted proxy says of it.

        Of X-Forwarded-For only the last one is the proxy's own word: what stands before it anybody can write.
        """
        said = forwarded.rpartition(",")[2].strip()
        return neighbours(said if said and self.is_proxy(host) else host)


def neighbours(host: str) -> str:
    """The addresses that count as one client."""
    try:
        address = ip_address(host)
    except ValueError:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ip_network((address, 64), strict=False))
    return str(address)


class SeatPool:
    """Count seats: at most `most` are taken, `share` of them by one address."""

    def __init__(self, most: int, share: int) -> None:
        self.most, self.share = most, share
        self.taken = 0
        self._by_address: Counter[str] = Counter()

    def lacking(self, address: str, *, shared: bool = True) -> str:
        """What there is no room for: "full", "share", or "" where there is. A proxy has no share."""
        if self.taken >= self.most:
            return "full"
        return "share" if shared and self._by_address[address] >= self.share else ""

    def enter(self, address: str) -> None:
        """Take room for one."""
        self.taken += 1
        self._by_address[address] += 1

    def leave(self, address: str) -> None:
        """Give it back."""
        self.taken -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]

    @contextmanager
    def take(self, address: str) -> Iterator[None]:
        """Hold room for one session, from beginning to end."""
        if lacking := self.lacking(address):
            raise FullError(lacking)
        self.enter(address)
        try:
            yield
        finally:
            self.leave(address)


class RateLimiter:
    """A `TokenBucket` for each of the latest `KEPT` addresses: it tells how long a request has to wait."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._paces: OrderedDict[str, TokenBucket] = OrderedDict()

    def of(self, address: str) -> TokenBucket:
        """Return the bucket of an address."""
        if address not in self._paces:
            self._paces[address] = TokenBucket(self._rate, self._burst, self._clock)
        self._paces.move_to_end(address)
        if len(self._paces) > KEPT:
            self._paces.popitem(last=False)
        return self._paces[address]
