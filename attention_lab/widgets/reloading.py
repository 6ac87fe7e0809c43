"""A lesson that is changed while the app runs is read anew at the next click.

Streamlit watches lessons, too, but reads a change only for a session that was open before it. A page that the
browser reloads has a new session, and would show the lesson as it was.
"""

import sys
import time
from pathlib import Path
from threading import Lock

from attention_lab.process import PROCESS


class Reloader:
    """What is known of the modules of some packages, at one depth, since they were imported."""

    def __init__(self, *packages: str) -> None:
        self._inside = tuple(f"{package}." for package in packages)
        self._one_at_a_time = Lock()  # every session's runs come by here, each in a thread of its own
        self._read_since: dict[str, float] = {}  # for each lesson, a time before it was imported
        self._last = time.time()

    def forget_changed(self) -> None:
        """Forget every module that has changed since it was imported; the next import reads it."""
        if PROCESS.faults_hidden:  # a class is served: nobody changes anything
            return
        with self._one_at_a_time:
            self._forget_changed()

    def _forget_changed(self) -> None:
        last, self._last = self._last, time.time()
        known = sys.modules.copy()  # others import meanwhile
        imported = {name: module for name, module in known.items() if name.startswith(self._inside)}
        depth = self._inside[0].count(".") + 1
        lessons = {".".join(name.split(".")[:depth]) for name in imported}
        for lesson in lessons:
            since = self._read_since.setdefault(lesson, last)
            own = {name: module for name, module in imported.items() if f"{name}.".startswith(f"{lesson}.")}
            if max(map(_changed, own.values()), default=0) > since:
                del self._read_since[lesson]
                for name in own:
                    sys.modules.pop(name, None)
                package, _, own_name = lesson.rpartition(".")
                vars(sys.modules[package]).pop(own_name, None)


LESSONS = Reloader("attention_lab.lessons", "attention_lab.teaching")


def _changed(module: object) -> float:
    """When a module was last saved; for a folder's, when anything in the folder was."""
    path = Path(getattr(module, "__file__", None) or "/nowhere")
    files = [each for each in path.parent.iterdir() if each.is_file()] if path.name == "__init__.py" else [path]
    return max((file.stat().st_mtime for file in files if file.exists()), default=0)
