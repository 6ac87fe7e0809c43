"""Readers without a browser, and the server that they read from: what several benches share."""

from __future__ import annotations

import asyncio
import http.client
import math
import os
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException

from attention_lab.streamlit_internals import first_files
from lab import ROOT
from tests.server.harness import Host
from tools.websocket_client import WebSocketClient

EVERY = 5.0  # s between two changes of one reader, on average
PATIENCE = 60.0  # s that a reader waits for an answer
CUT_OFF = "cut off"
LOST = (OSError, WebSocketException, http.client.HTTPException)  # refused, closed or silent (a TimeoutError)


class Server(Host):
    """The server of a checkout, with its own default settings."""

    usual = MappingProxyType({})  # an older server may not know the settings that tests use

    def __init__(self, root: Path = ROOT, descriptors: int | None = None, **settings):
        super().__init__(**settings)
        limit = f"ulimit -n {descriptors} && " if descriptors else ""
        self.command = ["bash", "-c", f'{limit}cd "$0" && exec "$@"', str(root.resolve()), *self.command]
        self.environment["PYTHONPATH"] = str(root.resolve())


def processor(server) -> float:
    """Seconds of processor time that a server's process has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def between(times: list[tuple[float, float]], begin: float, end: float = math.inf) -> list[float]:
    """The durations of what began between two moments."""
    return [seconds for when, seconds in times if begin <= when < end]


@dataclass
class Lesson:
    """The changes that readers made: when each began and how many seconds its answer took; and all errors."""

    times: list[tuple[float, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Class:
    """Readers that come and stay. Each change goes to another of `pages` with the probability `walk`."""

    def __init__(self, server, pages: list[str], walk: float = 0.0):
        self.server, self.pages, self.walk = server, pages, walk
        self.readers: list[WebSocketClient] = []

    async def grow(self, number: int) -> None:
        """Let readers come until there are so many, eight at a time."""
        limit = asyncio.Semaphore(8)

        async def come(k: int) -> WebSocketClient:
            async with limit:
                reader = WebSocketClient(self.server.url, seed=k)
                await reader.connect()
                await reader.open(self.pages[k % len(self.pages)], patience=120)
                return reader

        self.readers += await asyncio.gather(*map(come, range(len(self.readers), number)))

    async def work(self, lesson: Lesson, over: asyncio.Event) -> None:
        """Let every reader change something every 5 s on average, at times of its own, until it is over."""
        await asyncio.gather(*(self._work(reader, lesson, over) for reader in self.readers))

    async def _work(self, reader: WebSocketClient, lesson: Lesson, over: asyncio.Event) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), reader.random.expovariate(1 / EVERY))
                return
            began = time.monotonic()
            try:
                if reader.random.random() < self.walk or not reader.can_drag:
                    answer = await reader.open(reader.random.choice(self.pages), patience=PATIENCE)
                else:
                    answer = await reader.drag(PATIENCE)
                lesson.errors += answer.errors
            except LOST:
                lesson.errors.append(CUT_OFF)
                await self._come_back(reader, over)
            lesson.times.append((began, time.monotonic() - began))

    async def _come_back(self, reader: WebSocketClient, over: asyncio.Event) -> None:
        while not over.is_set():
            with suppress(*LOST):
                await reader.connect()
                await reader.open(reader.page, reader.query, PATIENCE)
                return
            await asyncio.sleep(0.5)

    async def leave(self) -> None:
        await asyncio.gather(*(reader.close() for reader in self.readers), return_exceptions=True)


async def visit(url: str, page: str, path: str = "/") -> list[str]:
    """Make a first visit: the document at `path`, its files, and a session that opens `page`.

    Returns the errors on the page. Raises one of LOST if the server lets nobody in.
    """
    await asyncio.to_thread(_fetch, url, path)
    async with WebSocketClient(url) as reader:
        return (await reader.open(page, patience=PATIENCE)).errors


def _fetch(url: str, document: str) -> None:
    """Request a document and its files over one connection."""
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)) as connection:
        for path in [document, *first_files()]:
            accept = "text/html" if path == document else "*/*"
            connection.request("GET", path, headers={"Accept": accept, "Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise ConnectionError(f"{path}: {answer.status}")
