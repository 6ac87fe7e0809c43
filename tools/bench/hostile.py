"""One client that means harm, beside a hundred readers: `python -m tools.bench.hostile` (`--quick` shows that it
works).

Every attack meets a server of its own, on this machine only, from an address of its own (127.0.0.2). With
`--inside` five attacks come from the address of thirty readers, as from a pupil of the class. The readers change
something every 5 s on average, and each second a newcomer opens a page and a session. Each attack is bounded:
so many bytes or connections, so many seconds. `--root` names another checkout whose server is attacked instead,
to compare. The figures:

- p95 of change → end of the answer: before, while it lasts, and from ten seconds after its end;
- how late this client itself was meanwhile: if it is as late as the answers, it measures itself;
- how long a newcomer took at most until its first page was there;
- the longest that /health took, the server's processor time meanwhile, readers cut off and newcomers refused;
- the server's memory before, at most, and after it has been collected.
"""

import argparse
import asyncio
import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from attention_lab.server.room_socket import PATH as ROOMS
from attention_lab.streamlit_internals import STATIC, STREAM, SUBPROTOCOLS, first_files
from lab import ROOT
from tests.server.harness import Host
from tests.visit import NAMES
from tests.websocket_client import WebSocketClient
from tools.bench.load import processor
from tools.bench.page import percentile

READERS, INSIDE_READERS, EVERY = 100, 30, 5.0
MEGABYTES = 4  # that an attack may send
LIMIT_DURING, LIMIT_AFTER, LIMIT_MEMORY = 0.5, 0.25, 1.2
LIMIT_ENTRY = 3.0  # s until a new reader's first page is there
ELSEWHERE, INSIDE = "127.0.0.2", "127.0.0.1"
AGAIN = 2.0  # s after which the page that says why one has to wait tries again
COLLECTED = 75  # s until the server has looked for memory that nobody needs


# ---- the attacks: each gets the server's address and how long it may last ----


@dataclass
class Target:
    """Where the server is, whom the attack comes from, and when it ends."""

    url: str
    source: str
    seconds: float

    def __post_init__(self):
        self.end = time.monotonic() + self.seconds
        parts = urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    @property
    def lasts(self) -> bool:
        return time.monotonic() < self.end

    def plain(self) -> socket.socket:
        """A connection that has said nothing yet."""
        return socket.create_connection((self.host, self.port), timeout=5, source_address=(self.source, 0))

    async def session(self, **more):
        """A session's socket, or None where no socket is to be had."""
        return await self._socket(STREAM, subprotocols=list(SUBPROTOCOLS[:1]), **more)

    async def member(self, room: str, do: str):
        """The socket of one who asks to open or join a room, or None where no socket is to be had."""
        if ws := await self._socket(f"{ROOMS}?room={room}"):
            with suppress(ConnectionClosed):
                await ws.send(json.dumps({"do": do, "seat": secrets.token_hex(16)}))
        return ws

    async def _socket(self, path: str, **more):
        with suppress(OSError, InvalidHandshake, TimeoutError):
            return await connect(
                f"ws://{self.host}:{self.port}{path}",
                compression=None,
                ping_interval=None,
                close_timeout=0.2,
                max_size=None,
                local_addr=(self.source, 0),
                **more,
            )
        return None


def rerun(page: str = "", query: str = "") -> bytes:
    message = BackMsg()
    message.rerun_script.page_name, message.rerun_script.query_string = page, query
    return message.SerializeToString()


def frame(opcode: int, data: bytes = b"", *, last: bool = True) -> bytes:
    """A frame as a browser writes it, masked with zeros."""
    size = len(data)
    head = bytes([opcode | (0x80 if last else 0)])
    head += bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + size.to_bytes(2, "big")
    return head + bytes(4) + data


async def pour(ws, data: bytes, target: Target) -> None:
    """Send raw bytes through a session's connection, as fast as it takes them."""
    for start in range(0, len(data), 65_536):
        if ws.transport.is_closing() or not target.lasts:
            return
        ws.transport.write(data[start : start + 65_536])
        while ws.transport.get_write_buffer_size() > 1 << 18 and target.lasts and not ws.transport.is_closing():
            await asyncio.sleep(0.005)
        await asyncio.sleep(0)


async def leave(target: Target) -> None:
    """20 sockets send 4 MB of tiny reruns, say goodbye and go."""
    one = frame(2, rerun("similarity"))
    share = one * ((MEGABYTES << 20) // 20 // len(one)) + frame(8, b"\x03\xe8")

    async def one_of_them():
        if ws := await target.session():
            await pour(ws, share, target)
            await asyncio.sleep(0.2)
            ws.transport.close()

    await asyncio.gather(*(one_of_them() for _ in range(20)))


async def needless(target: Target) -> None:
    """60 messages that ask for the addresses of 32,000 files each."""
    message = BackMsg()
    message.file_urls_request.request_id = "a"
    message.file_urls_request.file_names.extend([""] * 32_000)
    if ws := await target.session(max_queue=None):
        await pour(ws, frame(2, message.SerializeToString()) * 60, target)
        while target.lasts and not ws.transport.is_closing():
            await asyncio.sleep(0.1)
        ws.transport.abort()


async def at_the_permitted_rate(target: Target, sessions: int, rate: float, **more) -> None:
    async def one_of_them(k):
        if not (ws := await target.session(**more)):
            return
        pages = cycle(NAMES[k % len(NAMES) :] + NAMES[: k % len(NAMES)])
        with suppress(ConnectionClosed):
            while target.lasts:
                await ws.send(rerun(next(pages)))
                for _ in range(200):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(ws.recv(), 0.001)
                await asyncio.sleep(1 / rate)
        ws.transport.abort()

    await asyncio.gather(*(one_of_them(k) for k in range(sessions)))


async def skip_turns(target: Target) -> None:
    """Ten sessions open pages at the rate that is permitted."""
    await at_the_permitted_rate(target, 10, 18)


async def slowly(target: Target) -> None:
    """Ten sessions open four pages a second."""
    await at_the_permitted_rate(target, 10, 4)


async def many(target: Target) -> None:
    """As many sessions as are let in, up to 150, open a page a second."""
    await at_the_permitted_rate(target, 150, 1)


async def unread(target: Target) -> None:
    """Forty sessions ask for pages and never read."""
    small = []
    for _ in range(40):
        own = socket.socket()
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        own.bind((target.source, 0))
        own.setblocking(False)
        with suppress(BlockingIOError):
            own.connect((target.host, target.port))
        small.append(own)
    await asyncio.sleep(0.5)

    async def one_of_them(own):
        with suppress(OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
            ws = await connect(
                f"ws://{target.host}:{target.port}{STREAM}",
                sock=own,
                subprotocols=list(SUBPROTOCOLS[:1]),
                compression=None,
                ping_interval=None,
                max_queue=1,
            )
            for page in cycle(NAMES):
                if not target.lasts:
                    break
                await ws.send(rerun(page))
                await asyncio.sleep(0.2)
            ws.transport.abort()

    await asyncio.gather(*map(one_of_them, small))


async def sockets(target: Target) -> None:
    """600 sockets in 10 s, and 310 page requests in the first second."""
    page = b"GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n"
    held = []
    for _ in range(310):
        with suppress(OSError):
            held.append(target.plain())
            held[-1].sendall(page)
    for _ in range(600):
        held.append(await target.session())
        await asyncio.sleep(0.005)
        if not target.lasts:
            break
    while target.lasts:
        await asyncio.sleep(0.1)
    for each in filter(None, held):
        each.close() if isinstance(each, socket.socket) else each.transport.abort()


async def variants(target: Target) -> None:
    """120 requests for the same file under other names, and as many answers to compress."""
    path = next(path for path in first_files() if path.endswith(".js"))

    def ask(k):
        name = path.replace("/js/", "/" * (2 + k) + "js/", 1)
        with suppress(OSError), target.plain() as own:
            own.sendall(f"GET {name} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n".encode())
            while own.recv(1 << 20) and target.lasts:
                pass

    await asyncio.gather(*(asyncio.to_thread(ask, k) for k in range(120)))


async def pings(target: Target) -> None:
    """One socket that sends pings and never reads."""
    if ws := await target.session():
        ws.transport.pause_reading()
        while target.lasts and not ws.transport.is_closing():
            await pour(ws, frame(9, b"a" * 125) * 8000, target)
        ws.transport.abort()


async def fragments(target: Target) -> None:
    """4 MB of empty pieces of one message."""
    if ws := await target.session():
        await pour(ws, frame(2, last=False) + frame(0, last=False) * ((MEGABYTES << 20) // 6), target)
        ws.transport.abort()


async def forged(target: Target) -> None:
    """Thirty sessions ask for fragments that there are not."""
    message = BackMsg()
    message.rerun_script.fragment_id = "none"

    async def one_of_them():
        if ws := await target.session():
            with suppress(ConnectionClosed):
                while target.lasts:
                    await ws.send(message.SerializeToString())
                    await asyncio.sleep(0.06)
            ws.transport.abort()

    await asyncio.gather(*(one_of_them() for _ in range(30)))


async def large(target: Target) -> None:
    """64 messages of 64 KB, full of brackets, on 16 sockets."""
    message = BackMsg()
    widget = message.rerun_script.widget_states.widgets.add()
    widget.id, widget.json_value = "a", "[" + "[]," * 21_000 + "[]]"

    async def one_of_them():
        if ws := await target.session():
            await pour(ws, frame(2, message.SerializeToString()) * 4, target)
            await asyncio.sleep(3)
            ws.transport.abort()

    await asyncio.gather(*(one_of_them() for _ in range(16)))


async def requests(target: Target) -> None:
    """4 MB of requests in a row on fifty connections."""
    one = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    share = one * ((MEGABYTES << 20) // 50 // len(one))

    async def one_of_them():
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(
                target.host, target.port, local_addr=(target.source, 0)
            )
            writer.write(share)
            while target.lasts and await asyncio.wait_for(reader.read(1 << 16), target.seconds):
                pass
            writer.transport.abort()

    await asyncio.gather(*(one_of_them() for _ in range(50)), return_exceptions=True)


def size_of(path: str) -> int:
    return (STATIC / path.lstrip("/")).stat().st_size


async def downloads(target: Target) -> None:
    """800 connections ask for the largest file and never read it."""

    path = max((path for path in first_files() if path.endswith(".js")), key=size_of)
    ask = f"GET {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    held = []
    for _ in range(800):
        with suppress(OSError):
            own = socket.socket()
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            own.settimeout(1)
            own.bind((target.source, 0))
            own.connect((target.host, target.port))
            own.sendall(ask)
            held.append(own)
    while target.lasts:
        await asyncio.sleep(0.1)
    for own in held:
        own.close()


async def silence(target: Target) -> None:
    """1,600 connections that say nothing."""
    held = []
    for _ in range(1600):
        with suppress(OSError):
            held.append(target.plain())
    while target.lasts:
        await asyncio.sleep(0.1)
    for own in held:
        own.close()


async def comings(target: Target) -> None:
    """Sessions that open a page and go, one after another on twenty sockets."""

    async def one_of_them(k):
        while target.lasts:
            if ws := await target.session():
                with suppress(ConnectionClosed, TimeoutError):
                    await ws.send(rerun(NAMES[k % len(NAMES)]))
                    await asyncio.wait_for(ws.recv(), 1)
                ws.transport.abort()
            await asyncio.sleep(0)

    await asyncio.gather(*(one_of_them(k) for k in range(20)))


async def room_flood(target: Target) -> None:
    """20 sockets open a room each and say 4 MB: half of them as much at once as is taken, half the least."""

    async def one_of_them(k):
        if ws := await target.member(f"{'abcdefghij'[k % 10]}{'xy'[k // 10]}-room", "open"):
            what = json.dumps({"do": "here", "goals": [0] * 4000 if k % 2 else []}).encode()
            await pour(ws, frame(1, what) * ((MEGABYTES << 20) // 20 // len(what)), target)
            while target.lasts and not ws.transport.is_closing():
                await asyncio.sleep(0.1)
            ws.transport.abort()

    await asyncio.gather(*map(one_of_them, range(20)))


async def room_seats(target: Target) -> None:
    """330 sockets take seats in one room and hold them."""
    first = await target.member("blue-fox", "open")
    held = [first, *await asyncio.gather(*(target.member("blue-fox", "join") for _ in range(330)))]
    while target.lasts:
        await asyncio.sleep(0.1)
    for ws in filter(None, held):
        ws.transport.abort()


async def room_names(target: Target) -> None:
    """Twenty sockets at a time try what rooms may be called."""

    async def one_of_them(k):
        while target.lasts:
            if ws := await target.member(
                "-".join(secrets.choice(["red", "blue", "tall"]) for _ in range(2)), "join"
            ):
                with suppress(ConnectionClosed, TimeoutError):
                    await asyncio.wait_for(ws.recv(), 1)
                ws.transport.abort()
            await asyncio.sleep(0)

    await asyncio.gather(*map(one_of_them, range(20)))


async def busy(target: Target) -> None:
    """115 sessions send the next change as soon as the last is answered."""

    async def one_of_them(k):
        page = NAMES[k % len(NAMES)]
        client = WebSocketClient(target.url, seed=k, local_addr=(target.source, 0))
        while target.lasts:
            with suppress(OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
                await client.connect()
                await client.open(page, patience=target.seconds)
                while target.lasts:
                    await (client.drag(target.seconds) if client.can_drag else client.open(page))
            await asyncio.sleep(0.1)
        client.socket.transport.abort()

    await asyncio.gather(*map(one_of_them, range(115)), return_exceptions=True)


async def hasty(target: Target) -> None:
    """115 sessions send 20 changes a second each, without waiting for an answer."""

    async def one_of_them(k):
        client = WebSocketClient(target.url, seed=k, local_addr=(target.source, 0))
        await client.connect()
        await client.open("similarity", patience=target.seconds)
        hearing = asyncio.create_task(drain(client.socket))
        with suppress(ConnectionClosed):
            while target.lasts:
                await client.socket.send(client.message(client.moved()).SerializeToString())
                await asyncio.sleep(1 / 20)
        hearing.cancel()
        client.socket.transport.abort()

    await asyncio.gather(*map(one_of_them, range(115)), return_exceptions=True)


async def drain(ws) -> None:
    with suppress(ConnectionClosed):
        while True:
            await ws.recv()


HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


async def handshakes(target: Target) -> None:
    """225 handshakes a second, each dropped as soon as it is sent."""
    ask = HANDSHAKE.format(path=STREAM, host=f"{target.host}:{target.port}").encode()
    began, number = time.monotonic(), 0
    while target.lasts:
        with suppress(OSError):
            own = target.plain()
            own.sendall(ask)
            own.close()
        number += 1
        await asyncio.sleep(max(0.0, began + number / 225 - time.monotonic()))


async def flood(target: Target) -> None:
    """A hundred connections ask for the page, and again as soon as it is there."""
    ask = f"GET / HTTP/1.1\r\nHost: {target.host}:{target.port}\r\nAccept: text/html\r\n\r\n".encode()

    async def one_of_them():
        while target.lasts:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    target.host, target.port, local_addr=(target.source, 0)
                )
                while target.lasts:
                    writer.write(ask)
                    if not await asyncio.wait_for(reader.read(1 << 16), target.seconds):
                        break
                writer.transport.abort()
            await asyncio.sleep(0.05)

    await asyncio.gather(*(one_of_them() for _ in range(100)), return_exceptions=True)


async def trainings(target: Target) -> None:
    """Twenty sessions train a head, each from a seed of its own, and again as soon as it is done."""
    seeds = count(1000)

    async def one_of_them():
        client = WebSocketClient(target.url, local_addr=(target.source, 0))
        await client.connect()
        with suppress(ConnectionClosed, TimeoutError):
            while target.lasts:
                await client.open("train_a_head", f"seed={next(seeds)}", target.seconds)
                await client.open("similarity", patience=target.seconds)  # it reads its address when it is opened
        client.socket.transport.abort()

    await asyncio.gather(*(one_of_them() for _ in range(20)), return_exceptions=True)


async def seats(target: Target) -> None:
    """120 sessions open a page each and do nothing more; one that is sent away comes back."""

    async def one_of_them():
        while target.lasts:
            client = WebSocketClient(target.url, local_addr=(target.source, 0))
            with suppress(OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
                await client.connect()
                await client.open("similarity", patience=target.seconds)
                async with asyncio.timeout(target.end - time.monotonic()):
                    await drain(client.socket)
            await asyncio.sleep(0.5)

    await asyncio.gather(*(one_of_them() for _ in range(120)), return_exceptions=True)


def by_name(*attacks: Callable) -> dict[str, Callable]:
    return {attack.__name__: attack for attack in attacks}


ATTACKS = by_name(
    *(leave, needless, skip_turns, slowly, many, unread, sockets, variants, pings),
    *(fragments, forged, large, requests, downloads, silence, comings, room_flood, room_seats, room_names, hasty),
)
INSIDE_ATTACKS = by_name(busy, handshakes, flood, trainings, seats)
ALL = ATTACKS | INSIDE_ATTACKS


# ---- the readers beside it ----


@dataclass
class Lesson:
    """What the readers and newcomers met, and when."""

    times: list[tuple[float, float]] = field(default_factory=list)
    cut: int = 0
    refused: int = 0
    newcomers: int = 0
    entries: list[tuple[float, float]] = field(default_factory=list)
    lags: list[tuple[float, float]] = field(default_factory=list)  # of this client's own event loop
    health: list[tuple[float, float]] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    def p95(self, begin: float, end: float) -> float:
        found = between(self.times, begin, end)
        return percentile(found, 0.95) if found else float("nan")


def between(times: list[tuple[float, float]], begin: float, end: float) -> list[float]:
    return [seconds for when, seconds in times if begin <= when < end]


class Server(Host):
    """The server of a checkout, perhaps with few descriptors."""

    usual = MappingProxyType({})  # an older server may not know what tests are used to

    def __init__(self, root: Path, descriptors: int | None = None):
        super().__init__()
        limit = f"ulimit -n {descriptors}; " if descriptors else ""
        self.command = ["bash", "-c", f'{limit}cd "$0" && exec "$@"', str(root), *self.command]


async def learn(reader: WebSocketClient, lesson: Lesson, over: asyncio.Event) -> None:
    """Change something every 5 s on average; who is cut off comes back."""
    while not over.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), reader.random.expovariate(1 / EVERY))
            return
        asked = time.monotonic()
        try:
            await reader.drag(60)
        except (ConnectionClosed, TimeoutError):
            lesson.cut += 1
            while not over.is_set():
                with suppress(OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
                    await reader.connect()
                    await reader.open(reader.page, reader.query, 60)
                    break
                await asyncio.sleep(0.5)
        lesson.times.append((asked, time.monotonic() - asked))


async def newcomers(url: str, lesson: Lesson, over: asyncio.Event) -> None:
    """Each second one more opens a page, with the files it asks for, and stays for a moment.

    Who is sent away tries again as the waiting page does, for ten seconds in all.
    """
    for page in cycle(NAMES):
        if over.is_set():
            return
        lesson.newcomers += 1
        asked = time.monotonic()
        try:
            async with asyncio.timeout(10):
                while not await enter(url, page):
                    await asyncio.sleep(AGAIN)
        except TimeoutError:
            lesson.refused += 1
        lesson.entries.append((asked, time.monotonic() - asked))
        await asyncio.sleep(1)


async def enter(url: str, page: str) -> bool:
    """Open a page as a new reader; return whether one got in."""
    with suppress(OSError, InvalidHandshake, ConnectionClosed):
        if await asyncio.to_thread(page_status, url) == 200:
            async with WebSocketClient(url) as reader:
                await reader.open(page)
            return True
    return False


def page_status(url: str) -> int:
    """Ask for the page and its files, over one connection; return the first status that is not 200, or 200."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    with closing(connection):
        for path in ["/", *first_files()]:
            accept = "text/html" if path == "/" else "*/*"
            connection.request("GET", path, headers={"Accept": accept, "Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                return answer.status
    return 200


async def measure_lag(lesson: Lesson, over: asyncio.Event) -> None:
    """Note how late this client itself is: a client at its own end would make the server look slow."""
    while not over.is_set():
        asked = time.monotonic()
        await asyncio.sleep(0.05)
        lesson.lags.append((asked, time.monotonic() - asked - 0.05))


async def watch(server: Server, lesson: Lesson, over: asyncio.Event) -> None:
    """Ask for /health, and look at the memory, twice a second."""
    while not over.is_set():
        asked = time.monotonic()
        with suppress(OSError):
            await asyncio.to_thread(server.healthy)
        lesson.health.append((asked, time.monotonic() - asked))
        lesson.memory.append(server.memory())
        await asyncio.sleep(0.5)


async def run_attack(
    server: Server, number: int, name: str, source: str, seconds: float, quiet: float, rest: float
) -> str:
    """Run an attack beside a class; return the row of the table."""
    lesson, over = Lesson(), asyncio.Event()
    readers = [WebSocketClient(server.url, seed=k) for k in range(number)]
    for k, reader in enumerate(readers):
        await reader.connect()
        await reader.open(["similarity", "softmax", "values", "queries_keys"][k % 4], patience=60)
    tasks = [asyncio.create_task(learn(reader, lesson, over)) for reader in readers]
    tasks += [asyncio.create_task(newcomers(server.url, lesson, over))]
    tasks += [asyncio.create_task(watch(server, lesson, over))]
    tasks += [asyncio.create_task(measure_lag(lesson, over))]
    await asyncio.sleep(quiet)
    before, used, begin = server.memory(), processor(server), time.monotonic()
    command = [sys.executable, "-m", "tools.bench.hostile", "--attack", name, "--url", server.url]
    attack = await asyncio.create_subprocess_exec(
        *command, "--source", source, "--seconds", str(seconds), cwd=ROOT
    )
    with suppress(TimeoutError):
        await asyncio.wait_for(attack.wait(), seconds + 20)
    if attack.returncode is None:
        attack.kill()
        await attack.wait()
    gone, used = time.monotonic(), processor(server) - used
    await asyncio.sleep(10 + rest)
    after = time.monotonic()
    over.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    p95 = [lesson.p95(begin - quiet, begin), lesson.p95(begin, gone), lesson.p95(gone + 10, after)]
    entries = between(lesson.entries, begin, gone)
    health = max(taken for when, taken in lesson.health if when >= begin)
    memory = [before, max(lesson.memory), lesson.memory[-1]]
    good = p95[1] < LIMIT_DURING and p95[2] < LIMIT_AFTER and not lesson.cut and not lesson.refused
    good = good and max(entries, default=0.0) < LIMIT_ENTRY and memory[2] < LIMIT_MEMORY * memory[0]
    for reader in readers:
        reader.socket.transport.abort()
    cells = [
        name,
        " → ".join(f"{1000 * each:.0f}" for each in p95),
        f"{1000 * percentile(between(lesson.lags, begin, gone), 0.95):.0f}",
        f"{health:.2f}",
        f"{used:.1f} of {gone - begin:.0f}",
        str(lesson.cut),
        f"{lesson.refused} of {lesson.newcomers}",
        f"{max(entries, default=float('nan')):.1f}",
        " → ".join(str(each >> 20) for each in memory),
        "yes" if good else "no",
    ]
    return f"| {' | '.join(cells)} |"


HEAD = """\
| attack | p95 before → during → after, ms | this client late, p95, ms | /health at most, s | processor, s \
| readers cut off | newcomers refused | newcomers in after at most, s | memory before → most → after, MB | borne |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.hostile", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short, and memory looked at too early")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout whose server is attacked")
    parser.add_argument("--readers", type=int, help=f"beside it (default {READERS}, inside {INSIDE_READERS})")
    parser.add_argument("--inside", action="store_true", help="five attacks from the readers' own address")
    parser.add_argument("--only", help="these attacks, by commas")
    parser.add_argument("--descriptors", type=int, help="run the server under `ulimit -n` this")
    parser.add_argument("--seconds", type=float, help="how long an attack may last (default 20, quick 8)")
    parser.add_argument("--attack", choices=ALL, help="be the attacker: with --url and --source")
    parser.add_argument("--url")
    parser.add_argument("--source", default=ELSEWHERE)
    given = parser.parse_args()
    seconds = given.seconds or (8 if given.quick else 20)
    if given.attack:
        asyncio.run(ALL[given.attack](Target(given.url, given.source, seconds)))
        return
    readers = given.readers or (INSIDE_READERS if given.inside else READERS)
    names = given.only.split(",") if given.only else INSIDE_ATTACKS if given.inside else ATTACKS
    print(f"{given.root.name}, {readers} readers, load {os.getloadavg()[0]:.1f}\n\n{HEAD}", flush=True)
    source = INSIDE if given.inside else ELSEWHERE
    quiet, rest = (5, 8) if given.quick else (15, COLLECTED)
    for name in names:
        with Server(given.root.resolve(), given.descriptors) as server:
            try:
                print(asyncio.run(run_attack(server, readers, name, source, seconds, quiet, rest)), flush=True)
            except (OSError, RuntimeError, subprocess.SubprocessError, ConnectionClosed, TimeoutError) as error:
                print(
                    f"| {name} | the class could not be held: {type(error).__name__} | | | | | | | | no |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
