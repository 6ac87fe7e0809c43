"""The server's log: one JSON object a line, without anything that a person wrote or is known by.

Of a foreign logger's line stands the template and never what would be filled in; of an exception its kind and
the places in the code, never its text.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

OWN = "attention_lab"
ROOT = Path(__file__).parent.parent
_log = logging.getLogger(OWN)


def places(error: BaseException) -> list[str]:
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
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line |= {"error": type(error).__name__, "at": places(error)}
        return json.dumps(line)


def note(event: str, level: int = logging.INFO, error: BaseException | None = None, **facts: Any) -> None:
    """Write down an event with its facts."""
    _log.log(level, event, extra={"facts": facts}, exc_info=error)


def begin() -> None:
    """From now on every logger of the process writes such lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Line())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.captureWarnings(True)
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # uvicorn says who opened which address; it is asked for warnings only.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logging.getLogger(name).setLevel(logging.WARNING)
