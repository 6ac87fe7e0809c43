"""How many scripts run at a time, and whose is next.

All of a process's scripts share one interpreter. Were they all let in at once, each would be slowed by every
other and all would end late; one after another, all but the last end earlier. Who waits is served fairly:
network addresses in turn, and of one address the session first that has used least of late, so that nobody's
haste keeps others waiting.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from itertools import count

FORGOTTEN_BY_HALF = 10.0  # s: half of what a session has used is forgotten after that


class Usage:
    """How many seconds of runs a session has used of late."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none."""
        self._clock, self._used, self._seen = clock, 0.0, clock()

    def now(self) -> float:
        """What is not forgotten yet."""
        now = self._clock()
        self._used *= 0.5 ** ((now - self._seen) / FORGOTTEN_BY_HALF)
        self._seen = now
        return self._used

    def add(self, seconds: float) -> None:
        """Count a run."""
        self._used = self.now() + seconds


class Run:
    """One session's wish to run, which is granted and, once it is over or given up, ended."""

    def __init__(self, limiter: RunLimiter, address: str, usage: Usage, changed: Callable[[], None]) -> None:
        """Wish to run; `changed` is called once it may, and once it has had its share."""
        self.address, self.usage = address, usage
        self.granted = self.over = False
        self._limiter, self._changed = limiter, changed
        self._began = 0.0
        self._share: asyncio.TimerHandle | None = None

    def grant(self, longest: float) -> None:
        """Let it run; after `longest` seconds it keeps nobody waiting any more."""
        self.granted, self._began = True, time.monotonic()
        self._share = asyncio.get_running_loop().call_later(longest, self.end)
        self._changed()

    def end(self) -> None:
        """It is over, or no longer wished for; saying so twice does no harm."""
        if self.over:
            return
        self.over = True
        if self._share is not None:
            self._share.cancel()
            self.usage.add(time.monotonic() - self._began)
        self._limiter.ended(self)
        self._changed()


class RunLimiter:
    """`number` runs at a time, none of which keeps others waiting for more than `longest` seconds."""

    def __init__(self, number: int, longest: float) -> None:
        """Begin with nobody running."""
        self._free, self._longest = number, longest
        self._order = count()
        # By address, the one to be served next first; of each those who wait, with the order they came in.
        self._waiting: OrderedDict[str, list[tuple[int, Run]]] = OrderedDict()

    def ask(self, address: str, usage: Usage, changed: Callable[[], None] = lambda: None) -> Run:
        """Wish for a run. It is granted at once, or as soon as it is this one's turn."""
        run = Run(self, address, usage, changed)
        self._waiting.setdefault(address, []).append((next(self._order), run))
        self._serve()
        return run

    def ended(self, run: Run) -> None:
        """A run is over, or whoever wished for it has gone."""
        if run.granted:
            self._free += 1
        elif waiting := self._waiting.get(run.address):
            waiting[:] = [each for each in waiting if each[1] is not run]
            if not waiting:
                del self._waiting[run.address]
        self._serve()

    def _serve(self) -> None:
        while self._free and self._waiting:
            address, waiting = next(iter(self._waiting.items()))
            chosen = min(waiting, key=lambda each: (each[1].usage.now(), each[0]))
            waiting.remove(chosen)
            if waiting:
                self._waiting.move_to_end(address)
            else:
                del self._waiting[address]
            self._free -= 1
            chosen[1].grant(self._longest)
