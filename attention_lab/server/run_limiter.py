"""How many scripts run at a time, and whose is next.

All of a process's scripts share one interpreter. Were they all let in at once, each would be slowed by every
other and all would end late; one after another, all but the last end earlier. Who waits is served fairly:
network addresses get as much time as one another, and of one address that session is first that has used least
of late. What a session has used is forgotten while it pauses: who changes something now and then waits behind
nobody who never pauses.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import count

PAUSE_HALF_LIFE = 10.0  # s: a session that pauses has half of what it has used forgotten after that
BUSY_HALF_LIFE = 200.0  # s: the same while it waits or runs; who never pauses is last, but not for ever
# s that a new session is thought to have used: it comes after those who pause, and before those who never do.
NEWCOMER = 0.5
EXPECTED = 0.02  # s that a run is thought to take until it has ended
KEPT = 1000  # addresses whose time is remembered
PATIENCE = 10.0  # s after which long work is begun although others wait


class Usage:
    """How many seconds of runs a session has used of late. What it has used is forgotten while it pauses.

    Where the processor is too slow for all who ask, those who never pause get no more time each than those who
    ask now and then: by time alone they could not be told apart.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin as a newcomer that pauses."""
        self._clock, self._used, self._seen = clock, NEWCOMER, clock()
        self._half_life = PAUSE_HALF_LIFE
        self.is_new = True  # nothing was run yet

    def now(self) -> float:
        """What is not forgotten yet."""
        now = self._clock()
        if not self.is_new:
            self._used *= 0.5 ** ((now - self._seen) / self._half_life)
        self._seen = now
        return self._used

    @property
    def is_hasty(self) -> bool:
        """Whether it has used more than a newcomer is thought to have."""
        return self.now() > NEWCOMER

    def add(self, seconds: float) -> None:
        """Count a run."""
        self._used = self.now() + seconds
        self.is_new = False

    def set_busy(self, busy: bool) -> None:
        """Note that the session wishes to run from now on, or that it pauses."""
        self.now()
        self._half_life = BUSY_HALF_LIFE if busy else PAUSE_HALF_LIFE


class Run:
    """One session's wish to run, which is granted and, once it is over or given up, ended.

    A script that is about to do something long steps aside, takes its turn among the long ones, and comes back.
    """

    def __init__(self, limiter: RunLimiter, address: str, usage: Usage, changed: Callable[[], None]) -> None:
        """Wish to run; `changed` is called whenever it may, and once it has had its share."""
        self.address, self.usage, self.changed = address, usage, changed
        self.granted = self.over = False
        self.runs = self.works_long = False  # now
        self.is_hasty = False  # whether its turn is one of those for hasty sessions
        self._limiter = limiter
        self._began = self.seconds = 0.0
        self._share: asyncio.TimerHandle | None = None
        usage.set_busy(True)

    def grant(self, longest: float) -> None:
        """Let it run; after `longest` seconds it keeps nobody waiting any more."""
        self.granted = self.runs = True
        self._began = time.monotonic()
        self._share = asyncio.get_running_loop().call_later(longest, self.end)
        self.changed()

    def grant_long(self) -> None:
        """Let it do its long work."""
        self.works_long = True
        self._began = time.monotonic()
        self.changed()

    def end(self) -> None:
        """It is over, or no longer wished for; saying so twice does no harm."""
        if self.over:
            return
        self.over = True
        self.step_aside()
        self.usage.set_busy(False)
        self.changed()

    def step_aside(self) -> None:
        """Give the turn back, or the place among those who wait, without being over."""
        if self.runs or self.works_long:
            self.seconds = time.monotonic() - self._began
            self.usage.add(self.seconds)
        if self._share is not None:
            self._share.cancel()
        self._limiter.left(self)
        self.runs = self.works_long = False


def _place(waiting: tuple[int, Run]) -> tuple[float, int]:
    """Where a run that waits stands in the queue. Of new sessions the newest is first: so a hundred of them that
    come at once do not keep the next reader waiting."""
    order, run = waiting
    return run.usage.now(), -order if run.usage.is_new else order


class RunLimiter:
    """`number` runs at a time, none of which keeps others waiting for more than `longest` seconds.

    What takes long waits until no other wish does (at most about `PATIENCE` seconds), and is done one at a time.
    """

    def __init__(self, number: int, longest: float) -> None:
        """Begin with nobody running."""
        self._free, self._longest = number, longest
        # Of those at a time, hasty sessions have half at most: so a turn is free soon for one who pauses.
        self._hasty, self._most_hasty = 0, max(1, number // 2)
        self._order = count()
        # By address, those who wait, with the order they came in.
        self._waiting: dict[str, list[tuple[int, Run]]] = {}
        # By address, up to when its time is used, as if each had a clock of its own that runs while it is served;
        # the least is next. Who comes anew begins where the others are, and so neither owes nor is owed.
        self._used: dict[str, float] = {}
        self._now = 0.0
        # Those who wait with long work, the order they came in and since when; and whether one is at work.
        self._long: list[tuple[int, float, Run]] = []
        self._works = False
        self.of_socket: dict[str, Run] = {}  # the newest of each session's socket, by its name

    def ask(self, address: str, usage: Usage, changed: Callable[[], None] = lambda: None) -> Run:
        """Wish for a run. It is granted at once, or as soon as it is this one's turn."""
        run = Run(self, address, usage, changed)
        self.queue(run)
        return run

    def queue(self, run: Run) -> None:
        """Let a run that has none wait for a turn."""
        if run.address not in self._waiting:
            self._used[run.address] = max(self._used.get(run.address, 0.0), self._now)
        self._waiting.setdefault(run.address, []).append((next(self._order), run))
        self._serve()

    def queue_long(self, run: Run) -> None:
        """Let a run that has no turn wait for one to do something long."""
        self._long.append((next(self._order), time.monotonic(), run))
        self._serve()

    def left(self, run: Run) -> None:
        """A run has given its turn back, or whoever wished for it has gone."""
        if run.runs:
            self._free += 1
            self._hasty -= run.is_hasty
            if run.address in self._used:
                self._used[run.address] += run.seconds - EXPECTED
        elif waiting := self._waiting.get(run.address):
            waiting[:] = [each for each in waiting if each[1] is not run]
            if not waiting:
                del self._waiting[run.address]
        self._works = self._works and not run.works_long
        self._long = [each for each in self._long if each[2] is not run]
        self._serve()

    def _next(self) -> tuple[str, tuple[int, Run]] | None:
        """Whose turn it is, of those who may run now, and where."""
        for address in sorted(self._waiting, key=self._used.__getitem__):
            chosen = min(self._waiting[address], key=_place)
            if self._hasty < self._most_hasty or not chosen[1].usage.is_hasty:
                return address, chosen
        return None

    def _serve(self) -> None:
        while self._free and (place := self._next()):
            address, chosen = place
            waiting = self._waiting[address]
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
            run = chosen[1]
            run.is_hasty = run.usage.is_hasty
            self._hasty += run.is_hasty
            run.grant(self._longest)
        if (
            self._long
            and not self._works
            and (not self._waiting or time.monotonic() - self._long[0][1] > PATIENCE)
        ):
            least = min(self._long, key=lambda each: (each[2].usage.now(), each[0]))
            self._long.remove(least)
            self._works = True
            least[2].grant_long()
