"""One hostile client beside a hundred readers: `python -m tools.bench.hostile` (`--quick` shows that it works).

Every attack meets a server of its own, on this machine only, from an address of its own (127.0.0.2). With
`--inside` six attacks come from the address of thirty readers, like a pupil of the class. The readers change
something every 5 s on average, and each second a newcomer opens a page and a session. Each attack is limited in
bytes or connections, and in seconds. `--root` names another checkout whose server is attacked instead.
README.md explains the columns of the table.
"""

import argparse
import asyncio
import json
import math
import os
import secrets
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, cycle, islice
from pathlib import Path
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from attention_lab.server.room_socket import PATH as ROOMS
from attention_lab.streamlit_internals import STATIC, STREAM, SUBPROTOCOLS, first_files
from lab import ROOT
from tests.visit import NAMES
from tools.bench.page import percentile
from tools.bench.readers import CUT_OFF, LOST, Class, Lesson, Server, between, processor, visit
from tools.websocket_client import WebSocketClient

READERS, INSIDE_READERS = 100, 30
PAGES = ["similarity", "softmax", "values", "queries_keys"]  # of the readers
SIZE = 4 << 20  # bytes that an attack may send
LIMIT_DURING, LIMIT_AFTER, LIMIT_MEMORY = 0.5, 0.25, 1.2
LIMIT_ENTRY = 3.0  # s until a new reader's first page is there
LIMIT_DEPARTED = 1.0  # s longer than before the attack, where all that it leaves behind is handshakes
ELSEWHERE, INSIDE = "127.0.0.2", "127.0.0.1"
ENTRY_PATIENCE = 10.0  # s after which a newcomer counts as refused
RETRY = 2.0  # s after which the page that asks a newcomer to wait tries again
COLLECTED = 75  # s until the server has looked for memory that nobody needs


@dataclass
class Target:
    """Where the server is, which address the attack comes from, and when it ends."""

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

    async def wait(self, ws=None, seconds: float = math.inf) -> None:
        """Wait for so long, but not beyond the end of the attack or of the connection."""
        end = time.monotonic() + seconds
        while self.lasts and time.monotonic() < end and not (ws and ws.transport.is_closing()):
            await asyncio.sleep(0.1)

    @property
    def handshake(self) -> bytes:
        """The request that opens a session's socket."""
        return HANDSHAKE.format(path=STREAM, host=f"{self.host}:{self.port}").encode()

    def plain(self, request: bytes = b"", buffer: int = 0) -> socket.socket:
        """A connection that has sent `request`; a small `buffer` takes little of an answer that nobody reads."""
        own = socket.socket()
        try:
            if buffer:
                own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            own.settimeout(5)
            own.bind((self.source, 0))
            own.connect((self.host, self.port))
            own.sendall(request)
        except OSError:
            own.close()
            raise
        return own

    async def silent(self, request: bytes = b"", buffer: int = 0) -> socket.socket:
        return self.plain(request, buffer)

    async def stream(self):
        return await asyncio.open_connection(self.host, self.port, local_addr=(self.source, 0))

    def client(self, seed: int = 0) -> WebSocketClient:
        return WebSocketClient(self.url, seed=seed, local_addr=(self.source, 0))

    async def session(self, **more):
        """A session's socket, or None if the server refuses it."""
        return await self._socket(STREAM, subprotocols=list(SUBPROTOCOLS[:1]), **more)

    async def member(self, room: str, do: str):
        """The socket of a client that asks to open or join a room, or None if the server refuses it."""
        if ws := await self._socket(f"{ROOMS}?room={room}"):
            with suppress(ConnectionClosed):
                await ws.send(json.dumps({"do": do, "seat": secrets.token_hex(16)}))
        return ws

    async def _socket(self, path: str, **more):
        options = {"compression": None, "ping_interval": None, "close_timeout": 0.2, "max_size": None}
        with suppress(*LOST):
            url = f"ws://{self.host}:{self.port}{path}"
            return await connect(url, local_addr=(self.source, 0), **options, **more)
        return None


# ---- what attacks send ----

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
MISSING = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
DOCUMENT = b"GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n"


def rerun(page: str = "", query: str = "", **more) -> bytes:
    message = BackMsg(rerun_script={"page_name": page, "query_string": query, **more})
    return message.SerializeToString()


def frame(opcode: int, data: bytes = b"", *, last: bool = True) -> bytes:
    """A frame as a browser writes it, masked with zeros."""
    size = len(data)
    head = bytes([opcode | (0x80 if last else 0)])
    head += bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + size.to_bytes(2, "big")
    return head + bytes(4) + data


def needless() -> bytes:
    request = {"request_id": "a", "file_names": [""] * 32_000}
    return BackMsg(file_urls_request=request).SerializeToString()


def nested() -> bytes:
    widget = {"id": "a", "json_value": "[" + "[]," * 21_000 + "[]]"}
    return rerun(widget_states={"widgets": [widget]})


def random_room() -> str:
    return "-".join(secrets.choice(["red", "blue", "tall"]) for _ in range(2))


def get_file(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n".encode()


def scripts() -> list[str]:
    """The addresses of the scripts that a page asks for, the largest first."""
    paths = [path for path in first_files() if path.endswith(".js")]
    return sorted(paths, key=lambda path: -(STATIC / path.lstrip("/")).stat().st_size)


# ---- what attacks have in common ----


async def crowd(number: int, one) -> None:
    """Run `one(k)` for so many k at once. Report every error but lost connections: it weakens the attack."""
    results = await asyncio.gather(*map(one, range(number)), return_exceptions=True)
    if odd := {repr(each) for each in results if isinstance(each, Exception) and not isinstance(each, LOST)}:
        print(*odd, sep="\n", file=sys.stderr)


async def pour(ws, data: bytes, target: Target) -> None:
    """Send raw bytes through a session's connection, as fast as it takes them."""
    for start in range(0, len(data), 65_536):
        if ws.transport.is_closing() or not target.lasts:
            return
        ws.transport.write(data[start : start + 65_536])
        while ws.transport.get_write_buffer_size() > 1 << 18 and target.lasts and not ws.transport.is_closing():
            await asyncio.sleep(0.005)
        await asyncio.sleep(0)


async def drain(ws) -> None:
    with suppress(ConnectionClosed):
        while True:
            await ws.recv()


async def send_frames(target: Target, number: int, data: bytes, stay: float = 0.0, **more) -> None:
    """Let sessions send raw frames, stay for so many seconds, and go."""

    async def one(_):
        if ws := await target.session(**more):
            await pour(ws, data, target)
            await target.wait(ws, stay)
            ws.transport.close()

    await crowd(number, one)


async def send_at_rate(target: Target, number: int, rate: float, messages: list[bytes], read=True) -> None:
    """Let sessions send so many messages a second each, and read what comes or leave it all unread."""

    async def one(k):
        ws = await target.session(**({} if read else {"sock": target.plain(buffer=4096), "max_queue": 1}))
        if ws is None:
            return
        reading = asyncio.create_task(drain(ws)) if read else None
        for message in islice(cycle(messages), k % len(messages), None):
            if not target.lasts:
                break
            await ws.send(message)
            await asyncio.sleep(1 / rate)
        return reading  # so that nobody collects it before

    await crowd(number, one)


async def send_requests(target: Target, number: int, request) -> None:
    """Let connections send `request(k)` each, and read what comes."""

    async def one(k):
        reader, writer = await target.stream()
        writer.write(request(k))
        async with asyncio.timeout_at(target.end):
            while await reader.read(1 << 16):
                pass

    await crowd(number, one)


async def hold(target: Target, number: int, enter, pause: float = 0.0) -> None:
    """Open connections, one every `pause` seconds, and hold them until the end."""

    async def one(k):
        await asyncio.sleep(k * pause)
        connection = await enter(k)
        await target.wait()
        return connection  # so that it is not closed before

    await crowd(number, one)


async def come_and_go(target: Target, enter) -> None:
    """Open sockets, wait for one answer and leave, twenty at a time."""

    async def one(k):
        while target.lasts:
            if ws := await enter(k):
                with suppress(ConnectionClosed, TimeoutError):
                    await asyncio.wait_for(ws.recv(), 1)
                ws.transport.abort()
            await asyncio.sleep(0)

    await crowd(20, one)


async def change(target: Target, pages: list[str], rate: float = 0.0) -> None:
    """Let 115 sessions change something, at a rate or else as soon as the last change is answered."""

    async def send_on(client):
        reading = asyncio.create_task(drain(client.socket))
        for number in count(client.stage["version"] + 1):
            if not target.lasts:
                return reading.cancel()
            message = client.message([[number, {"move": client.moved()}]])
            await client.socket.send(message.SerializeToString())
            await asyncio.sleep(1 / rate)

    async def one(k):
        client, page = target.client(k), pages[k % len(pages)]
        while target.lasts:
            with suppress(*LOST):
                await client.connect()
                await client.open(page, patience=target.seconds)
                while target.lasts:
                    if rate:
                        await send_on(client)
                    else:
                        await (client.drag(target.seconds) if client.can_drag else client.open(page))
            await asyncio.sleep(0.1)

    await crowd(115, one)


# ---- attacks of a kind of their own ----


async def pings(target: Target) -> None:
    if ws := await target.session():
        ws.transport.pause_reading()
        while target.lasts and not ws.transport.is_closing():
            await pour(ws, frame(9, b"a" * 125) * 8000, target)


async def comings(target: Target) -> None:
    async def enter(k):
        if ws := await target.session():
            with suppress(ConnectionClosed):
                await ws.send(rerun(NAMES[k % len(NAMES)]))
        return ws

    await come_and_go(target, enter)


async def room_flood(target: Target) -> None:
    async def one(k):
        if ws := await target.member(f"{'abcdefghij'[k % 10]}{'xy'[k // 10]}-room", "open"):
            data = frame(1, json.dumps({"do": "here", "goals": [0] * 4000 if k % 2 else []}).encode())
            await pour(ws, data * (SIZE // 20 // len(data)), target)
            await target.wait(ws)

    await crowd(20, one)


async def room_seats(target: Target) -> None:
    await target.member("blue-fox", "open")
    await hold(target, 330, lambda k: target.member("blue-fox", "join"))


async def handshakes(target: Target) -> None:
    began, number = time.monotonic(), 0
    while target.lasts:
        with suppress(OSError):
            target.plain(target.handshake).close()
        number += 1
        await asyncio.sleep(max(0.0, began + number / 225 - time.monotonic()))


async def departures(target: Target) -> None:
    async def one(_):
        while target.lasts:
            with suppress(OSError):
                _, writer = await target.stream()
                writer.write(target.handshake)
                await asyncio.sleep(0.02)
                writer.transport.abort()

    await crowd(40, one)


async def flood(target: Target) -> None:
    async def one(_):
        while target.lasts:
            with suppress(OSError):
                reader, writer = await target.stream()
                while target.lasts:
                    writer.write(DOCUMENT)
                    if not await asyncio.wait_for(reader.read(1 << 16), target.seconds):
                        break
                writer.transport.abort()
            await asyncio.sleep(0.05)

    await crowd(100, one)


async def trainings(target: Target) -> None:
    seeds = count(1000)

    async def one(_):
        client = target.client()
        await client.connect()
        while target.lasts:
            await client.open("train_a_head", f"seed={next(seeds)}", target.seconds)
            await client.open("similarity", patience=target.seconds)  # a page reads its URL when it is opened

    await crowd(20, one)


async def seats(target: Target) -> None:
    async def one(_):
        while target.lasts:
            with suppress(*LOST):
                client = target.client()
                await client.connect()
                await client.open("similarity", patience=target.seconds)
                async with asyncio.timeout_at(target.end):
                    await drain(client.socket)
            await asyncio.sleep(0.5)

    await crowd(120, one)


OPEN_PAGES = [rerun(page) for page in NAMES]
TINY = frame(2, rerun("similarity"))
# README.md says what each of them does, and what stands against it.
ATTACKS = {
    "leave": lambda t: send_frames(t, 20, TINY * (SIZE // 20 // len(TINY)) + frame(8, b"\x03\xe8"), stay=0.2),
    "needless": lambda t: send_frames(t, 1, frame(2, needless()) * 60, stay=math.inf, max_queue=None),
    "skip_turns": lambda t: send_at_rate(t, 10, 18, OPEN_PAGES),
    "slowly": lambda t: send_at_rate(t, 10, 4, OPEN_PAGES),
    "many": lambda t: send_at_rate(t, 150, 1, OPEN_PAGES),
    "unread": lambda t: send_at_rate(t, 40, 5, OPEN_PAGES, read=False),
    "sockets": lambda t: hold(t, 910, lambda k: t.session() if k >= 310 else t.silent(DOCUMENT), 0.005),
    "variants": lambda t: send_requests(
        t, 120, lambda k: get_file(scripts()[0].replace("/js/", "/" * (2 + k) + "js/", 1))
    ),
    "pings": pings,
    "fragments": lambda t: send_frames(t, 1, frame(2, last=False) + frame(0, last=False) * (SIZE // 6)),
    "forged": lambda t: send_at_rate(t, 30, 1 / 0.06, [rerun(fragment_id="none")]),
    "large": lambda t: send_frames(t, 16, frame(2, nested()) * 4, stay=3),
    "requests": lambda t: send_requests(t, 50, lambda _: MISSING * (SIZE // 50 // len(MISSING))),
    "downloads": lambda t: hold(t, 800, lambda _: t.silent(get_file(scripts()[0]), 4096)),
    "silence": lambda t: hold(t, 1600, lambda _: t.silent()),
    "comings": comings,
    "room_flood": room_flood,
    "room_seats": room_seats,
    "room_names": lambda t: come_and_go(t, lambda _: t.member(random_room(), "join")),
    "hasty": lambda t: change(t, ["similarity"], 20),
}
INSIDE_ATTACKS = {
    "busy": lambda t: change(t, NAMES),
    "handshakes": handshakes,
    "departures": departures,
    "flood": flood,
    "trainings": trainings,
    "seats": seats,
}
ALL = ATTACKS | INSIDE_ATTACKS


# ---- the class beside the attack ----


async def newcomers(url: str, entries: list[tuple[float, float]], over: asyncio.Event) -> None:
    """Let a new reader open a page each second; if refused, it retries as the waiting page does, for 10 s."""
    for page in cycle(NAMES):
        if over.is_set():
            return
        began = time.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(ENTRY_PATIENCE):
                while not await enter(url, page):
                    await asyncio.sleep(RETRY)
        entries.append((began, time.monotonic() - began))
        await asyncio.sleep(1)


async def enter(url: str, page: str) -> bool:
    with suppress(*LOST):
        await visit(url, page)
        return True
    return False


async def watch(server: Server, health: list, lags: list, memory: list[int], over: asyncio.Event) -> None:
    """Note twice a second how long /health takes, the memory, and how late this program itself is."""
    while not over.is_set():
        began = time.monotonic()
        with suppress(*LOST):
            await asyncio.to_thread(server.healthy)
        health.append((began, time.monotonic() - began))
        memory.append(server.memory())
        began = time.monotonic()
        await asyncio.sleep(0.5)
        lags.append((began, time.monotonic() - began - 0.5))


async def run_attack(server: Server, number: int, name: str, source: str, seconds: float, quick: bool) -> list:
    """Run an attack beside a class; return the cells of its row."""
    lesson, over = Lesson(), asyncio.Event()
    entries, health, lags, memory = [], [], [], []
    class_ = Class(server, PAGES)
    await class_.grow(number)
    tasks = [
        asyncio.create_task(class_.work(lesson, over)),
        asyncio.create_task(newcomers(server.url, entries, over)),
        asyncio.create_task(watch(server, health, lags, memory, over)),
    ]
    await asyncio.sleep(5 if quick else 15)
    before, used, begin = server.memory(), processor(server), time.monotonic()
    command = [sys.executable, "-m", "tools.bench.hostile", "--attack", name, "--url", server.url]
    command += ["--source", source, "--seconds", str(seconds)]
    attack = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    try:
        await asyncio.wait_for(attack.wait(), seconds + 20)
    except TimeoutError:
        attack.kill()
        await attack.wait()
    end, used = time.monotonic(), processor(server) - used
    await asyncio.sleep(10 + (8 if quick else COLLECTED))
    over.set()
    await asyncio.gather(*tasks)
    spans = [(0, begin), (begin, end), (end + 10, math.inf)]
    p95 = [percentile(between(lesson.times, *span), 0.95) for span in spans]
    memory = [before, max(memory), memory[-1]]
    refused = sum(taken >= ENTRY_PATIENCE for _, taken in entries)
    calm = max(between(entries, 0, begin), default=math.nan)
    longest = max(between(entries, begin, end + 10), default=math.nan)
    most = calm + LIMIT_DEPARTED if name in ("handshakes", "departures") else LIMIT_ENTRY
    good = p95[1] < LIMIT_DURING and p95[2] < LIMIT_AFTER and not lesson.errors and not refused
    good = good and not longest >= most and memory[2] < LIMIT_MEMORY * memory[0]
    await class_.leave()
    return [
        name,
        " → ".join(f"{1000 * each:.0f}" for each in p95),
        f"{1000 * percentile(between(lags, begin, end), 0.95):.0f}",
        f"{max(between(health, begin)):.2f}",
        f"{used:.1f} of {end - begin:.0f}",
        lesson.errors.count(CUT_OFF),
        f"{refused} of {len(entries)}",
        f"{calm:.1f} → {longest:.1f}",
        " → ".join(str(each >> 20) for each in memory),
        "yes" if good else "no",
    ]


COLUMNS = [
    *("attack", "p95 before → during → after, ms", "this client late, p95, ms", "/health at most, s"),
    *("processor, s", "readers cut off", "newcomers refused", "newcomers in after at most, before → then, s"),
    *("memory before → most → after, MB", "within the targets"),
]


def print_row(cells: list) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.hostile", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short; looks at the memory before it is collected")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout whose server is attacked")
    parser.add_argument("--readers", type=int, help=f"beside it (default {READERS}, inside {INSIDE_READERS})")
    parser.add_argument("--inside", action="store_true", help="six attacks from the readers' own address")
    parser.add_argument("--only", help="these attacks, separated by commas")
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
    source = INSIDE if given.inside else ELSEWHERE
    print(f"{given.root.resolve().name}, {readers} readers, load {os.getloadavg()[0]:.1f}\n")
    print_row(COLUMNS)
    print_row(["---"] * len(COLUMNS))
    for name in names:
        with Server(given.root, given.descriptors) as server:
            try:
                print_row(asyncio.run(run_attack(server, readers, name, source, seconds, given.quick)))
            except (*LOST, RuntimeError, subprocess.SubprocessError) as error:
                print_row([name, f"the class did not work: {error!r}", *[""] * (len(COLUMNS) - 3), "no"])


if __name__ == "__main__":
    main()
