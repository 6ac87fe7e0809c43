"""The process's memory: few heaps, start-up kept out of the collector's way, a collection now and then.

Python searches all that it holds for cycles whenever that has grown by a quarter. With a class's sessions in
memory that takes 150 ms, comes every few seconds, and everybody waits; yet there is little to be found.
"""

import asyncio
import ctypes
import gc
import threading
from collections.abc import Callable
from contextlib import suppress

ARENAS = (-8, 2)  # glibc's M_ARENA_MAX, and how many
STACK = 2 << 20  # bytes for each thread; the usual 8 MiB, for each folder that Streamlit watches, fill 1 GB
# Small collections a little later, so that what a run made has gone by then; a full one never by itself.
THRESHOLDS = (5_000, 20, 1_000_000)


def limit_threads() -> None:
    """Give threads small stacks, and keep glibc from giving each a heap: it would hardly give that back."""
    threading.stack_size(STACK)
    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(*ARENAS)


def freeze_heap() -> None:
    """What start-up made stays for good, so the collector need never look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


async def collect_periodically(seconds: float, release: Callable[[], None] = lambda: None) -> None:
    """Collect everything every so many seconds, for ever, and give back to the system what is free.

    Before that, `release` lets go of what nobody needs any more.
    """
    while True:
        await asyncio.sleep(seconds)
        release()
        gc.collect()
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
