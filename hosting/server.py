"""The server's process: Streamlit's app behind the gate, under uvicorn with settings measured for many readers.

`streamlit run` leaves Nagle's algorithm on (answers can wait 40 ms for company); a socket that says it speaks
TCP, as this one does, has it off.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.types import ASGIApp
from streamlit import config

from . import heap, journal, warmup
from .files import Files
from .gate import Gate, state
from .measures import Measures, publish
from .places import Places
from .settings import Settings
from .turns import Turns

ROOT = Path(__file__).parent.parent
# Nobody develops here; and where rich is installed Streamlit would write tracebacks past the log.
STREAMLIT = {"server.headless": True, "server.fileWatcherType": "none", "logger.enableRich": False}


def version() -> str:
    """The app's version."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def build(settings: Settings) -> Gate:
    """The app behind its gate; once it is started it warms up, and then the gate opens."""
    places = Places(settings.sessions, settings.hold)
    measures = Measures(lambda: places.taken, settings.sessions)

    def failed(error: Exception) -> None:
        measures.count("errors", type(error).__name__)
        journal.note("a page's script failed", logging.ERROR, error)

    async def open_gate() -> None:
        await asyncio.gather(files.warm_up(), warmup.warm_up(app, ROOT / "pages"))
        heap.settle()
        journal.begin()  # once more: Streamlit gives each of its loggers a voice of its own
        gate.ready = True
        journal.note("ready", version=gate.version, sessions_most=settings.sessions)
        await heap.tend(settings.collect)

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        journal.begin()
        warming = asyncio.create_task(open_gate())
        warming.add_done_callback(_end_if_failed)
        yield
        gate.ready = False
        warming.cancel()
        journal.note("stopping", **state(gate))

    app = st.App(ROOT / "app.py", lifespan=lifespan, on_script_error=failed)
    for name, value in STREAMLIT.items():
        config.set_option(name, value)
    files = Files(app)
    gate = Gate(files, settings, places, Turns(settings.turns, settings.turn), measures, version())
    return gate


def _end_if_failed(warming: asyncio.Task) -> None:
    if not warming.cancelled() and (error := warming.exception()):
        journal.note("the pages could not be warmed up", logging.CRITICAL, error)
        signal.raise_signal(signal.SIGTERM)


def configure(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves it."""
    return uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=settings.frame,
        ws_ping_interval=settings.patience,
        ws_ping_timeout=settings.patience,
        limit_concurrency=settings.connections,
        timeout_graceful_shutdown=settings.grace,
        timeout_keep_alive=settings.patience,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
    )


def listen(settings: Settings) -> socket.socket:
    """The socket that readers come to."""
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with suppress(AttributeError, OSError):  # not every system knows it
        # A browser that is frozen answers no ping and takes no byte; its connection would stay for ever.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * settings.patience)
    try:
        listening.bind((settings.address, settings.port))
    except OSError as why:
        listening.close()
        sys.exit(f"{settings.address}:{settings.port} cannot be listened on: {why.strerror}.")
    return listening


def serve(settings: Settings) -> None:
    """Serve until the process is told to stop (SIGTERM, Ctrl-C); open sessions are told to go elsewhere."""
    heap.few()
    gate = build(settings)
    journal.begin()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with listen(settings) as listening:
        published = (
            publish(gate.measures, settings.metrics_address, settings.metrics) if settings.metrics else None
        )
        address, port = listening.getsockname()[:2]
        journal.note("starting", version=gate.version, address=address, port=port)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(configure(gate, settings)).run(sockets=[listening])
        if published:
            published.shutdown()
