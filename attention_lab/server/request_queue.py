"""Whose request is next: of those that wait, the one whose connection has had the fewest answers.

An address that asks for more than its pace waits in a queue of bounded length. A request is charged when its turn
comes, and only if its connection is still there, so that an address owes nothing for clients that have left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count

from .capacity import RequestPace

LONGEST_WAIT = 5.0  # s: a queue that would take longer than that refuses its last request


@dataclass(order=True)
class Waiter:
    """A request that waits. Of two, the one whose connection has had fewer answers is first, then the older."""

    answers: int
    order: int
    cost: float = field(compare=False)
    is_gone: Callable[[], bool] = field(compare=False)
    turn: asyncio.Future[bool] = field(compare=False)


class Turns:
    """So many requests are worked on at a time."""

    def __init__(self, number: int) -> None:
        """Begin with nothing under way."""
        self._free, self._order = number, count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    async def take(self, answers: int = 0) -> None:
        """Wait for a turn; `answers` is how many the connection has had."""
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (answers, next(self._order), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Give a turn back, to the next one if any waits."""
        while self._waiting:
            turn = heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class RequestQueue:
    """Requests take their turn here: at once while their address is within its pace, later beyond it."""

    def __init__(self, rate: float, burst: float) -> None:
        """Begin with nobody waiting."""
        self._rate, self._pace = rate, RequestPace(rate, burst)
        self._order = count()
        self._waiting: dict[str, list[Waiter]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def waits(self, address: str, cost: float = 1) -> bool:
        """Whether the next request of an address would have to wait."""
        return address in self._waiting or self._pace.until(address, cost) > 0

    async def take_turn(
        self, address: str, cost: float = 1, answers: int = 0, is_gone: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait for a turn; False where there is none, because the queue is too long or the client has left."""
        if is_gone():
            return False
        if not self.waits(address, cost):
            self._pace.wait(address, cost)
            return True
        waiting = self._waiting.setdefault(address, [])
        waiter = Waiter(answers, next(self._order), cost, is_gone, asyncio.get_running_loop().create_future())
        heappush(waiting, waiter)
        if waiting[0] is waiter:
            self._serve_later(address)
        if sum(each.cost for each in waiting) > LONGEST_WAIT * self._rate:
            self._shorten(waiting)
        return await waiter.turn

    def _shorten(self, waiting: list[Waiter]) -> None:
        """Let go who has left, or else the last."""
        leaving = [each for each in waiting if each.is_gone()] or [max(waiting)]
        for each in leaving:
            _end(each, has_turn=False)
        waiting[:] = [each for each in waiting if not each.turn.done()]
        heapify(waiting)

    def _serve_later(self, address: str) -> None:
        """Wait until the first one's turn comes."""
        if address in self._timers:
            self._timers[address].cancel()
        wait = self._pace.until(address, self._waiting[address][0].cost)
        self._timers[address] = asyncio.get_running_loop().call_later(wait, self._serve, address)

    def _serve(self, address: str) -> None:
        """Let in as many as the pace allows by now."""
        waiting = self._waiting[address]
        while waiting and not self._pace.until(address, waiting[0].cost):
            chosen = heappop(waiting)
            present = not chosen.turn.done() and not chosen.is_gone()
            if present:
                self._pace.wait(address, chosen.cost)
            _end(chosen, has_turn=present)
        if waiting:
            self._serve_later(address)
        else:
            del self._waiting[address], self._timers[address]


def _end(waiter: Waiter, *, has_turn: bool) -> None:
    if not waiter.turn.done():  # else the server stops, and it waits no more
        waiter.turn.set_result(has_turn)
