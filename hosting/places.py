"""How many tabs one process holds, and whether there is room for one more."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class FullError(Exception):
    """There is no place left."""


class Places:
    """The open sessions, and those whose page is still on its way.

    A page that was handed out keeps a place for `hold` seconds, so that whoever has been let in also gets a
    session.
    """

    def __init__(self, most: int, hold: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with `most` free places."""
        self.most, self.hold, self.clock = most, hold, clock
        self.taken = 0
        self._promised: deque[float] = deque()

    @property
    def promised(self) -> int:
        """The pages handed out whose session has not come yet."""
        while self._promised and self._promised[0] <= self.clock():
            self._promised.popleft()
        return len(self._promised)

    def promise(self) -> bool:
        """Keep a place for a page about to be handed out, if there is one."""
        free = self.taken + self.promised < self.most
        if free and self.hold:
            self._promised.append(self.clock() + self.hold)
        return free

    @contextmanager
    def take(self) -> Iterator[None]:
        """Hold a place for one session, from beginning to end."""
        if self.taken >= self.most:
            raise FullError
        if self.promised:
            self._promised.popleft()
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
