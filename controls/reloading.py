"""A lesson that is changed while the app runs is read anew at the next click.

Streamlit watches pages and what lies beside its script; a page imports its lesson, which lies elsewhere.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from threading import Lock

import faults

_one_at_a_time = Lock()  # every session's runs come by here, each in a thread of its own
_read_since: dict[str, float] = {}  # for each lesson, a time before it was imported
_last = time.time()


def forget_changed(package: str = "lessons") -> None:
    """Forget every module of the package that has changed since it was imported; the next import reads it."""
    if faults.hidden():  # a class is served: nobody changes anything
        return
    with _one_at_a_time:
        _forget_changed(package)


def _forget_changed(package: str) -> None:
    global _last
    last, _last = _last, time.time()
    known = sys.modules.copy()  # others import meanwhile
    imported = {name: module for name, module in known.items() if name.startswith(f"{package}.")}
    lessons = {".".join(name.split(".")[:2]) for name in imported}
    for lesson in lessons:
        since = _read_since.setdefault(lesson, last)
        own = {name: module for name, module in imported.items() if f"{name}.".startswith(f"{lesson}.")}
        if max(map(_changed, own.values()), default=0) > since:
            del _read_since[lesson]
            for name in own:
                sys.modules.pop(name, None)
            vars(sys.modules[package]).pop(lesson.split(".")[1], None)


def _changed(module: object) -> float:
    """When a module was last saved; for a folder's, when anything in the folder was."""
    path = Path(getattr(module, "__file__", None) or "/nowhere")
    files = [each for each in path.parent.iterdir() if each.is_file()] if path.name == "__init__.py" else [path]
    return max((file.stat().st_mtime for file in files if file.exists()), default=0)
