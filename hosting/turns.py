"""Scripts take turns: so many run at a time, the others wait, first come, first served.

All of a process's scripts share one interpreter. Were they all let in at once, each would be slowed by every
other and all would end late; one after another, all but the last end earlier.
"""

from __future__ import annotations

import asyncio


class Turn:
    """One script's turn. It ends when it is given back, or after the longest a turn may be."""

    def __init__(self, free: asyncio.Semaphore, longest: float) -> None:
        """Begin the turn."""
        self._free = free
        self._end: asyncio.TimerHandle | None = asyncio.get_running_loop().call_later(longest, self.give_back)

    def give_back(self) -> None:
        """Let the next one in; once is enough."""
        if self._end is not None:
            self._end.cancel()
            self._end = None
            self._free.release()


class Turns:
    """`number` turns at a time, none of which keeps others waiting for more than `longest` seconds."""

    def __init__(self, number: int, longest: float) -> None:
        """Begin with all turns free."""
        self._free, self._longest = asyncio.Semaphore(number), longest

    async def take(self) -> Turn:
        """Wait for a turn."""
        await self._free.acquire()
        return Turn(self._free, self._longest)
