"""The server's process: Streamlit's app behind the gateway, under uvicorn with settings measured for a class.

`streamlit run` leaves Nagle's algorithm on (answers can wait 40 ms for company); a socket that says it speaks
TCP, as this one does, has it off.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import streamlit as st
import uvicorn
from starlette.types import ASGIApp
from streamlit import config

from attention_lab import own_model, streamlit_internals
from attention_lab.classroom.rooms import Limits, Rooms
from attention_lab.faults import AuthoringError
from attention_lab.process import PROCESS
from attention_lab.root import PACKAGE, ROOT, version

from . import connections, descriptors, heap, log, static_files, uploads, warmup
from .capacity import Addresses, SeatPool
from .gateway import Gateway
from .index_page import MIDDLEWARE
from .metrics import Metrics, publish
from .room_socket import RoomSockets
from .scheduler import ScriptTurns
from .settings import Settings

SCRIPT = PACKAGE / "main.py"  # as in app.py
# Nobody develops here; and where rich is installed Streamlit would write tracebacks past the log.
STREAMLIT = {"server.headless": True, "server.fileWatcherType": "none", "logger.enableRich": False}


def network_address(listening: str) -> str:
    """Return the address at which other computers reach this one; empty if it serves itself only."""
    if listening != "0.0.0.0":
        return ""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: the system only chooses from where it would
        return probe.getsockname()[0]
    return ""


def build(settings: Settings) -> Gateway:
    """The app behind its gateway; once it is started it warms up, and then the gateway opens."""
    sessions = SeatPool(settings.sessions, settings.sessions_per_address)
    metrics = Metrics(
        lambda: sessions.taken,
        settings.sessions,
        lambda: rooms.members if rooms else 0,
        streamlit_internals.uploaded_bytes,
    )
    limits = Limits(
        settings.rooms,
        settings.room_members,
        settings.room_hours,
        settings.room_members_per_address,
        settings.room_leader_codes,
    )
    rooms = RoomSockets(Rooms(limits), partial(metrics.count, "refused")) if settings.rooms else None

    def failed(error: Exception) -> None:
        metrics.count("errors", type(error).__name__)
        # Its sentence is about the code, and of no reader.
        why = {"why": str(error)} if isinstance(error, AuthoringError) else {}
        log.note("a page's script failed", logging.ERROR, error, **why)

    async def open_gateway() -> None:
        pages = warmup.warm_up(app, ROOT / "pages", settings.start_seconds, settings.warm_up)
        await asyncio.gather(pages, *([static_files.warm_up()] if settings.warm_up else []))
        heap.freeze_heap()
        log.begin(metrics.count_line)  # once more: Streamlit gives each of its loggers a voice of its own
        gateway.ready = True
        open_at = {"open": f"http://{own}:{settings.port}/"} if (own := network_address(settings.address)) else {}
        log.note("ready", version=gateway.version, sessions_most=settings.sessions, **open_at)
        await heap.collect_periodically(settings.collect_seconds, streamlit_internals.forget_closed_sessions)

    def end_if_failed(warming: asyncio.Task) -> None:
        if not warming.cancelled() and (error := warming.exception()):
            gateway.failure = str(error) or type(error).__name__
            log.note(f"the pages could not be opened: {gateway.failure}", logging.CRITICAL, error)
            signal.raise_signal(signal.SIGTERM)

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        log.begin(metrics.count_line)
        with PROCESS.serving(
            faults_hidden=True,
            rooms_offered=bool(rooms),
            first_picture=bool(settings.first_picture),
            turns=scripts,
        ):
            warming = asyncio.create_task(open_gateway())
            warming.add_done_callback(end_if_failed)
            yield
        gateway.ready = False
        warming.cancel()
        log.note("stopping", sessions=sessions.taken, reruns=metrics.reruns)

    config._main_script_path = str(ROOT / "app.py")  # beside it stands .streamlit/config.toml
    app = st.App(SCRIPT, lifespan=lifespan, middleware=MIDDLEWARE, on_script_error=failed)
    for name, value in (STREAMLIT | {"server.maxUploadSize": settings.upload_megabytes}).items():
        config.set_option(name, value)
    uploads.keep_off_the_disk(settings)
    streamlit_internals.share_script_loop()
    streamlit_internals.compose_theme_once()
    streamlit_internals.look_up_no_address()
    scripts = ScriptTurns(settings.concurrent_runs, metrics.rerun)
    streamlit_internals.keep_what_python_sets()
    streamlit_internals.take_turns(scripts.run)
    gateway = Gateway(app, settings, Addresses(settings.proxies), sessions, scripts, metrics, version(), rooms)
    return gateway


def configure(app: ASGIApp, settings: Settings, bounds: connections.Bounds) -> uvicorn.Config:
    """How uvicorn serves it, with connections that keep to `bounds`."""
    return uvicorn.Config(
        app,
        **bounds.protocols(),
        loop="asyncio",
        backlog=connections.ACCEPTED_AT_ONCE,
        ws_per_message_deflate=False,
        ws_max_size=settings.message_size,
        ws_ping_interval=settings.idle_seconds,
        ws_ping_timeout=settings.idle_seconds,
        timeout_graceful_shutdown=settings.stop_seconds,
        timeout_keep_alive=settings.idle_seconds,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
    )


def listen(settings: Settings) -> socket.socket:
    """The socket that readers come to."""
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    listening = connections.ListeningSocket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with suppress(AttributeError, OSError):  # not every system knows it
        # A browser that is frozen answers no ping and takes no byte; its connection would stay for ever.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * settings.idle_seconds)
    try:
        listening.bind((settings.address, settings.port))
    except OSError as why:
        listening.close()
        sys.exit(f"{settings.address}:{settings.port} cannot be listened on: {why.strerror}.")
    return listening


def tell_model(folder: str) -> str:
    """Read the model that readers may ask, and write down which it is or why there is none; gives its name."""
    os.environ[own_model.VARIABLE] = folder
    own = own_model.read()
    if own.fault:
        log.note("the model cannot be used, so it goes on without", logging.WARNING, why=own.fault)
    if own.model is None:
        return ""
    log.note("model", name=own.model.name, architecture=own.model.architecture, sha256=own.model.sha256)
    return own.model.name


def serve(asked: Settings) -> None:
    """Serve until the process is told to stop (SIGTERM, Ctrl-C); open sessions are told to go elsewhere."""
    heap.limit_threads()
    # So long a script waits for an event loop without a pause, each time that it has waited for anything else.
    sys.setswitchinterval(0.001)
    settings = descriptors.fit(asked)
    gateway = build(settings)
    log.begin(gateway.metrics.count_line)
    if settings != asked:
        fewer = {"sessions_most": settings.sessions, "connections_most": settings.connections}
        log.note("too few open files are allowed for what was asked, so it holds fewer", logging.WARNING, **fewer)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1 if gateway.failure else 0))
    gateway.model = tell_model(settings.model)
    with listen(settings) as listening:
        port = settings.metrics
        published = publish(gateway.metrics, settings.metrics_address, port) if port else None
        address, port = listening.getsockname()[:2]
        log.note("starting", version=gateway.version, address=address, port=port)
        bounds = connections.Bounds(settings, gateway.addresses, gateway.metrics)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(configure(gateway, settings, bounds)).run(sockets=[listening])
        if published:
            published.shutdown()
