"""How many scripts run at a time, and whose is next.

All of a process's scripts share one interpreter. Were they all let in at once, each would be slowed by every
other and all would end late; one after another, all but the last end earlier. Who waits is served fairly:
network addresses get as much time as one another, and of one address that session is first that has used least
of late, so that nobody's haste keeps others waiting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import count

FORGOTTEN_BY_HALF = 10.0  # s: half of what a session has used is forgotten after that
EXPECTED = 0.02  # s that a run is thought to take until it has ended
KEPT = 1000  # addresses whose time is remembered


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
        self._began = self.seconds = 0.0
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
            self.seconds = time.monotonic() - self._began
            self.usage.add(self.seconds)
        self._limiter.ended(self)
        self._changed()


class RunLimiter:
    """`number` runs at a time, none of which keeps others waiting for more than `longest` seconds."""

    def __init__(self, number: int, longest: float) -> None:
        """Begin with nobody running."""
        self._free, self._longest = number, longest
        self._order = count()
        # By address, those who wait, with the order they came in.
        self._waiting: dict[str, list[tuple[int, Run]]] = {}
        # By address, up to when its time is used, as if each had a clock of its own that runs while it is served;
        # the least is next. Who comes anew begins where the others are, and so neither owes nor is owed.
        self._used: dict[str, float] = {}
        self._now = 0.0

    def ask(self, address: str, usage: Usage, changed: Callable[[], None] = lambda: None) -> Run:
        """Wish for a run. It is granted at once, or as soon as it is this one's turn."""
        run = Run(self, address, usage, changed)
        if address not in self._waiting:
            self._used[address] = max(self._used.get(address, 0.0), self._now)
        self._waiting.setdefault(address, []).append((next(self._order), run))
        self._serve()
        return run

    def ended(self, run: Run) -> None:
        """A run is over, or whoever wished for it has gone."""
        if run.granted:
            self._free += 1
            if run.address in self._used:
                self._used[run.address] += run.seconds - EXPECTED
        elif waiting := self._waiting.get(run.address):
            waiting[:] = [each for each in waiting if each[1] is not run]
            if not waiting:
                del self._waiting[run.address]
        self._serve()

    def _serve(self) -> None:
        while self._free and self._waiting:
            address = min(self._waiting, key=self._used.__getitem__)
            waiting = self._waiting[address]
            chosen = min(waiting, key=lambda each: (each[1].usage.now(), each[0]))
            waiting.remove(chosen)
            if not waiting:
                del self._waiting[address]
            self._now = max(self._now, self._used[address])
            self._used[address] += EXPECTED
            if len(self._used) > KEPT:
                self._used = {
                    name: used for name, used in self._used.items() if used > self._now or name in self._waiting
                }
            self._free -= 1
            chosen[1].grant(self._longest)
