"""How a script, in its own thread, gives its turn back for a while and does what takes long in its turn."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attention_lab.streamlit_internals as streamlit

from .run_limiter import Run, RunLimiter, Usage

MOST_CHARGED = 1.0  # s that one who comes back is thought to have used


class ScriptTurns:
    """The turns of `calculation.long_work`, from the limiter that all changes of the process take theirs from."""

    def __init__(self, limiter: RunLimiter) -> None:
        """Take turns of the running event loop's `limiter`."""
        self._loop, self._limiter = asyncio.get_running_loop(), limiter

    @contextmanager
    def release_turn(self) -> Iterator[None]:
        """The turn is given back, and another one taken at the end, behind those who have asked for less.

        Many may have waited for the same long work, and come back at the same moment.
        """
        run = self._limiter.of_socket.get(streamlit.running_socket())
        if run is None or run.over:
            yield
            return
        began = time.monotonic()
        self._wait(run, run.step_aside, lambda: True)
        try:
            yield
        finally:
            waited = time.monotonic() - began

            def come_back() -> None:
                run.usage.add(min(waited, MOST_CHARGED))
                self._limiter.queue(run)

            self._wait(run, come_back, lambda: run.runs)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Wait until nobody waits with less; a reader who has left meanwhile ends the script."""
        run = self._limiter.of_socket.get(streamlit.running_socket())
        if run is None or run.over:  # not begun by a reader, or it has had its share of a turn
            run = Run(self._limiter, "", Usage(), lambda: None)
        self._wait(run, lambda: self._limiter.queue_long(run), lambda: run.works_long)
        if not run.works_long:
            streamlit.end_script()
        try:
            yield
        finally:
            self._wait(run, run.step_aside, lambda: True)

    def _wait(self, run: Run, do: Callable[[], None], reached: Callable[[], bool]) -> None:
        """Do something in the event loop, and wait until it has led to what was wished, or the run is over."""
        there, told = threading.Event(), run.changed

        def look() -> None:
            told()
            if reached() or run.over:
                there.set()

        def begin() -> None:
            run.changed = look
            if not run.over:
                do()
            look()

        self._loop.call_soon_threadsafe(begin)
        while not there.wait(1) and not self._loop.is_closed():
            pass
        run.changed = told
