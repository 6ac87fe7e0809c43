"""Whose request is next, where more come than are answered at once.

The things that are asked for take turns; of the requests for one thing that is next whose connection has had
the fewest answers. One who asks for a page without a pause, be it on connections that are always new, delays
others' requests for pages, but not for the files that a new reader asks for once each.

An address that asks for more than its pace waits in a queue of bounded length. A request is charged when its turn
comes, and only if its connection is still there, so that an address owes nothing for clients that have left.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count

from .capacity import KEPT, RateLimiter

LONGEST_WAIT = 5.0  # s: a queue that would take longer than that refuses its last request
CHEAP = 25  # answers of a connection after which each request counts as one more; a browser's visit needs fewer
ORDER = count()


@dataclass(order=True)
class Waiter:
    """A request that waits. Of two, the one whose connection has had fewer answers is first, then the older."""

    answers: int
    thing: Hashable = field(compare=False)
    cost: float = field(compare=False, default=1)
    is_gone: Callable[[], bool] = field(compare=False, default=lambda: False)
    order: int = field(default_factory=lambda: next(ORDER))
    turn: asyncio.Future[bool] = field(
        compare=False, default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def is_present(self) -> bool:
        """Whether anybody still waits for the turn."""
        return not self.turn.done() and not self.is_gone()

    def end(self, *, has_turn: bool) -> None:
        """Wait no more."""
        if not self.turn.done():  # else the server stops, and nobody hears of it
            self.turn.set_result(has_turn)


class FairQueue:
    """Requests that wait, by what they ask for: each thing is served as often as any other.

    What was served is remembered only while anything waits.
    """

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._waiting: dict[Hashable, list[Waiter]] = {}
        # How often each thing was served. One that nobody waited for begins where the others are, and so neither
        # owes nor is owed.
        self._served: dict[Hashable, int] = {}
        self._now = 0

    def __bool__(self) -> bool:
        """Whether anybody waits."""
        return bool(self._waiting)

    def __iter__(self) -> Iterator[Waiter]:
        """All who wait, in no order."""
        return (each for waiting in self._waiting.values() for each in waiting)

    @property
    def first(self) -> Waiter:
        """Whose turn is next."""
        return min(self._waiting.items(), key=self._place)[1][0]

    @property
    def last(self) -> Waiter:
        """Of those who wait for what most wait for, the one whose turn is last."""
        return max(max(self._waiting.values(), key=len))

    def _place(self, waiting: tuple[Hashable, list[Waiter]]) -> float:
        thing, waiters = waiting
        return self._served[thing] + waiters[0].answers / CHEAP

    def add(self, waiter: Waiter) -> None:
        """Let one more wait."""
        if waiter.thing not in self._waiting:
            self._waiting[waiter.thing] = []
            self._served[waiter.thing] = max(self._served.get(waiter.thing, 0), self._now)
        heappush(self._waiting[waiter.thing], waiter)

    def pop(self) -> Waiter:
        """Take out whose turn is next. Who has left has used no turn."""
        waiter = self.first
        heappop(self._waiting[waiter.thing])
        if waiter.is_present:
            self._now = max(self._now, self._served[waiter.thing])
            self._served[waiter.thing] += 1
        if not self._waiting[waiter.thing]:
            del self._waiting[waiter.thing]
            self._forget()
        return waiter

    def remove_ended(self) -> None:
        """Take out all who wait no more."""
        for thing, waiters in list(self._waiting.items()):
            self._waiting[thing] = [each for each in waiters if not each.turn.done()]
            heapify(self._waiting[thing])
            if not self._waiting[thing]:
                del self._waiting[thing]
        self._forget()

    def _forget(self) -> None:
        """Forget what was served, once nobody waits or too much would be remembered."""
        if not self._waiting or len(self._served) > KEPT:
            self._served = {thing: self._served[thing] for thing in self._waiting}


class Turns:
    """So many requests are worked on at a time."""

    def __init__(self, number: int) -> None:
        """Begin with nothing under way."""
        self._free = number
        self._waiting = FairQueue()

    async def take(self, thing: Hashable = "", answers: int = 0) -> None:
        """Wait for a turn to answer with a thing; `answers` is how many the connection has had."""
        if self._free:
            self._free -= 1
            return
        waiter = Waiter(answers, thing)
        self._waiting.add(waiter)
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if not waiter.turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Give a turn back, to the next one if any waits."""
        while self._waiting:
            waiter = self._waiting.pop()
            if waiter.is_present:
                waiter.end(has_turn=True)
                return
        self._free += 1


class RequestQueue:
    """Requests take their turn here: at once while their address is within its pace, later beyond it."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nobody waiting."""
        self._rate, self._pace = rate, RateLimiter(rate, burst, clock)
        self._waiting: dict[str, FairQueue] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def waits(self, address: str, cost: float = 1) -> bool:
        """Whether the next request of an address would have to wait."""
        return address in self._waiting or self._pace.until(address, cost) > 0

    async def take_turn(
        self,
        address: str,
        cost: float = 1,
        thing: Hashable = "",
        answers: int = 0,
        is_gone: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Wait for a turn; False where there is none, because the queue is too long or the client has left."""
        if is_gone():
            return False
        if not self.waits(address, cost):
            self._pace.wait(address, cost)
            return True
        waiting = self._waiting.setdefault(address, FairQueue())
        waiter = Waiter(answers, thing, cost, is_gone)
        waiting.add(waiter)
        if waiting.first is waiter:
            self._serve_later(address)
        if sum(each.cost for each in waiting) > LONGEST_WAIT * self._rate:
            self._shorten(waiting)
        return await waiter.turn

    def _shorten(self, waiting: FairQueue) -> None:
        """Let go who has left, or else the last."""
        leaving = [each for each in waiting if not each.is_present] or [waiting.last]
        for each in leaving:
            each.end(has_turn=False)
        waiting.remove_ended()

    def _serve_later(self, address: str) -> None:
        """Wait until the first one's turn comes."""
        if address in self._timers:
            self._timers[address].cancel()
        wait = self._pace.until(address, self._waiting[address].first.cost)
        self._timers[address] = asyncio.get_running_loop().call_later(wait, self._serve, address)

    def _serve(self, address: str) -> None:
        """Let in as many as the pace allows by now."""
        waiting = self._waiting[address]
        while waiting and not self._pace.until(address, waiting.first.cost):
            chosen = waiting.pop()
            if present := chosen.is_present:
                self._pace.wait(address, chosen.cost)
            chosen.end(has_turn=present)
        if waiting:
            self._serve_later(address)
        else:
            del self._waiting[address], self._timers[address]
