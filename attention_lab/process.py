"""What holds for the whole process, whoever visits: one object, set by the server that runs the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Process:
    """The settings of a process; as they are at first, of the app on one's own machine."""

    faults_hidden: bool = False  # readers hear only that something is wrong, and nobody changes the code
    scripts_served: bool = False  # whether scripts can be loaded as files of their own (`server.scripts`)
    rooms_offered: bool = True  # whether this server holds rooms
    turns: Any = None  # how scripts wait for each other's long work; `calculation.long_work.Turns`

    @contextmanager
    def serving(self, **settings: Any) -> Iterator[None]:
        """Change settings while a server runs."""
        before = {name: getattr(self, name) for name in settings}
        vars(self).update(settings)
        try:
            yield
        finally:
            vars(self).update(before)


PROCESS = Process()
