"""The server's log: one JSON object a line, without anything that a person wrote or is known by.

Of a foreign logger's line stands the template and never what would be filled in; of an exception its kind and
the places in the code, never its text. Of one kind of line stands one a second: who makes the server say
something a thousand times makes it say it once, and how often.
"""

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

OWN = "attention_lab"
ROOT = Path(__file__).parents[2]
_log = logging.getLogger(OWN)


def code_places(error: BaseException) -> list[str]:
    """Where in the code an exception passed, the innermost last."""

    def shown(name: str) -> str:
        path = Path(name)
        return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(*path.parts[-2:]))

    return [f"{shown(f.filename)}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)][-8:]


class Line(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without the record's arguments unless they are our own."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": str(record.msg),
        }
        if record.name == OWN:
            line |= getattr(record, "facts", {})
        if left_out := getattr(record, "left_out", 0):
            line["left_out"] = left_out
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line |= {"error": type(error).__name__, "at": code_places(error)}
        return json.dumps(line)


class OncePerSecond(logging.Filter):
    """Lets one line of a kind through each second, with how many it has left out; `count` hears of every one."""

    KINDS = 1000  # that are remembered

    def __init__(
        self, count: Callable[[str], None] = lambda level: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._count, self._clock = count, clock
        self._last: dict[tuple[str, str], tuple[float, int]] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        self._count(record.levelname.lower())
        kind, now = (record.name, str(record.msg)), self._clock()
        with self._lock:
            last, left_out = self._last.get(kind, (-1.0, 0))
            if 0 <= now - last < 1:
                self._last[kind] = last, left_out + 1
                return False
            if len(self._last) >= self.KINDS:
                self._last.clear()
            self._last[kind] = now, 0
        record.left_out = left_out
        return True


def note(event: str, level: int = logging.INFO, error: BaseException | None = None, **facts: Any) -> None:
    """Write down an event with its facts."""
    _log.log(level, event, extra={"facts": facts}, exc_info=error)


def begin(count: Callable[[str], None] = lambda level: None) -> None:
    """From now on every logger of the process writes such lines; `count` hears of each by its level."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Line())
    handler.addFilter(OncePerSecond(count))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.captureWarnings(True)
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # uvicorn says who opened which address; it is asked for warnings only.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # It warns of each broken upload, in other words each time, with a character of it.
    logging.getLogger("python_multipart").setLevel(logging.ERROR)
