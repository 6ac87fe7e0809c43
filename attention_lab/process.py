"""What holds for the whole process, whoever visits: one object, set by the server that runs the process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

FIRST_PICTURE = "ATTENTION_LAB_FIRST_PICTURE"  # in the environment, "0": pages without their first picture


@dataclass
class Process:
    """The settings of a process; as they are at first, of the app on one's own machine."""

    faults_hidden: bool = False  # readers hear only that something is wrong, and nobody changes the code
    scripts_served: bool = False  # whether scripts can be loaded as files of their own (`server.static_files`)
    # whether a page's HTML has its figure, before Streamlit's code has run (`widgets.first_picture`)
    first_picture: bool = field(default_factory=lambda: os.environ.get(FIRST_PICTURE, "1") != "0")
    rooms_offered: bool = True  # whether this server holds rooms
    turns: Any = None  # how scripts wait for each other's long work; as `calculation.long_work.OneAtATime`

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
