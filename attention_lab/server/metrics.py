"""What the server counts, in the text form that Prometheus reads. Numbers only: nobody can be told from them."""

import logging
import sys
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import log

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
COUNTED = {
    "pages": ("pages handed out", None),
    "sessions_opened": ("sessions opened", None),
    "made_way": ("idle sessions of a full address that were closed for a new one", None),
    "uploads": ("files that readers have opened", None),
    "messages": ("messages from browsers", None),
    "delayed": ("messages that waited because their session sent too many", None),
    "refused": ("requests and sessions refused, by reason", "reason"),
    "errors": ("errors in a page's script, by kind", "kind"),
    "log_lines": ("lines for the log, by level, those left out for being too many included", "level"),
}


class Metrics:
    """Counters, the open sessions, and how long reruns took."""

    def __init__(
        self,
        sessions: Callable[[], int],
        most: int,
        members: Callable[[], int] = lambda: 0,
        uploaded: Callable[[], int] = lambda: 0,
    ) -> None:
        """Begin at zero. `sessions` says how many are open now, `members` how many people are in a room.

        `uploaded` says how many bytes of readers' files are in memory.
        """
        self._sessions, self._most, self._members, self._uploaded = sessions, most, members, uploaded
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0
        self._lock = threading.Lock()  # scripts run, and fail, in threads of their own

    def count(self, name: str, label: str = "") -> None:
        """One more of what `COUNTED` names."""
        with self._lock:
            self._counts[name][label] += 1

    def count_line(self, level: str) -> None:
        """One more line for the log."""
        self.count("log_lines", level)

    def counted(self, name: str, label: str = "") -> int:
        """How many there were."""
        with self._lock:
            return self._counts[name][label]

    def rerun(self, seconds: float) -> None:
        """One more rerun: from the arrival of a change to the end of its answer."""
        with self._lock:
            self._buckets[bisect_left(BOUNDS, seconds)] += 1
            self._seconds += seconds

    @property
    def reruns(self) -> int:
        """How many reruns there were."""
        with self._lock:
            return sum(self._buckets)

    def text(self) -> str:
        """All of it, as Prometheus reads it."""
        with self._lock:
            return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("sessions", "gauge", "open sessions")
        yield f"attention_lab_sessions {self._sessions()}"
        yield from _head("sessions_most", "gauge", "sessions this process holds")
        yield f"attention_lab_sessions_most {self._most}"
        yield from _head("room_members", "gauge", "members of the rooms in which classes come together")
        yield f"attention_lab_room_members {self._members()}"
        yield from _head("uploaded_bytes", "gauge", "readers' files in memory that no page has read yet")
        yield f"attention_lab_uploaded_bytes {self._uploaded()}"
        for name, (meaning, label) in COUNTED.items():
            yield from _head(f"{name}_total", "counter", meaning)
            for value, number in (self._counts[name] or ({} if label else {"": 0})).items():
                labels = f'{{{label}="{value}"}}' if label else ""
                yield f"attention_lab_{name}_total{labels} {number}"
        yield from _head("rerun_seconds", "histogram", "a change's arrival to the end of its answer")
        below = 0
        for bound, number in zip((*BOUNDS, "+Inf"), self._buckets, strict=True):
            below += number
            yield f'attention_lab_rerun_seconds_bucket{{le="{bound}"}} {below}'
        yield f"attention_lab_rerun_seconds_sum {self._seconds:.6f}"
        yield f"attention_lab_rerun_seconds_count {below}"


def _head(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP attention_lab_{name} {meaning}"
    yield f"# TYPE attention_lab_{name} {kind}"


def publish(metrics: Metrics, address: str, port: int) -> ThreadingHTTPServer:
    """Show the metrics at ``/metrics`` on a port of their own, which no proxy in front leads to."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path.partition("?")[0] == "/metrics"
            body = metrics.text().encode() if found else b"Only /metrics is here.\n"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Whoever asks is not written down."""

    class Publisher(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Log what would be printed as a stack trace, which is no line of the log."""
            log.note("the metrics could not be shown", logging.ERROR, sys.exception())

    server = Publisher((address, port), Answer)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server
