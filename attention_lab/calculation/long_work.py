"""Work that takes long, such as training: one piece of it at a time, and behind everybody's ordinary changes.

    with long_work.release_turn():  # nobody waits for this script while it waits
        with long_work.exclusive():
            run = train(...)

By itself the app only keeps to one piece at a time. A server for a class has turns of its own (`Process.turns`).
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from attention_lab.process import PROCESS


class OneAtATime:
    """One piece of long work at a time, in the order they come."""

    def __init__(self) -> None:
        self._one = threading.Lock()

    def release_turn(self) -> AbstractContextManager[None]:
        """Nobody takes turns, so there is nothing to give back."""
        return nullcontext()

    def exclusive(self) -> AbstractContextManager[bool]:
        """Wait until no other is at work."""
        return self._one


ONE_AT_A_TIME = OneAtATime()
_inside = threading.local()


class TooLongError(Exception):
    """Work that would take long, where nobody waits for it."""


@contextmanager
def refused() -> Iterator[None]:
    """While inside, the calling thread is given no long work: it raises `TooLongError` instead."""
    before, _inside.refused = getattr(_inside, "refused", False), True
    try:
        yield
    finally:
        _inside.refused = before


def release_turn() -> AbstractContextManager[None]:
    """Let others run while the calling script waits. Inside another `release_turn` it changes nothing."""
    if getattr(_inside, "refused", False):
        raise TooLongError
    return _once("release_turn")


@contextmanager
def exclusive() -> Iterator[None]:
    """Release the turn and wait until no other long work runs. Inside another `exclusive` it changes nothing."""
    with release_turn(), _once("exclusive"):
        yield


def is_exclusive() -> bool:
    """Whether the calling script is inside `exclusive`."""
    return getattr(_inside, "exclusive", False)


@contextmanager
def _once(name: str) -> Iterator[None]:
    if getattr(_inside, name, False):
        yield
        return
    with getattr(PROCESS.turns or ONE_AT_A_TIME, name)():
        setattr(_inside, name, True)
        try:
            yield
        finally:
            setattr(_inside, name, False)
