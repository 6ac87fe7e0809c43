"""Clients that mean harm, against a server of their own: nobody else notices, and nothing stays behind.

What it costs is measured by `python -m tools.bench.hostile`; here stands what must be so on any machine.
"""

import asyncio
import contextlib
import os
import socket

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from attention_lab.server.room_socket import CODE
from attention_lab.server.static_files import first
from attention_lab.streamlit_internals import STREAM
from tests.server.harness import PAGE, Host, ask, wait_until
from tests.websocket_client import WebSocketClient
from tools.bench.hostile import HANDSHAKE, Target, frame, pour, rerun

ELSEWHERE = "127.0.0.2"
MEMORY = 32 << 20  # bytes that one client may cost


@pytest.fixture(scope="module")
def small():
    """A server with room for few, and not even those for one address."""
    with Host(sessions=6, sessions_per_address=3, connections=200, connections_per_address=60) as running:
        yield running
        assert running.faults() == ""


def target(host, seconds=60):
    return Target(host.url, ELSEWHERE, seconds)


def refused(host, reason):
    return host.metrics().get(f'refused_total{{reason="{reason}"}}', 0)


async def closed_with(ws):
    """The code a socket was closed with, by a server that says it."""
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(30):
            while True:
                await ws.recv()
    return ws.close_code


def test_who_floods_is_let_go_and_its_seat_is_free(small, run):
    async def flood():
        ws = await target(small).session()
        await pour(ws, frame(2, rerun("similarity")) * 30_000, target(small))
        ws.transport.abort()  # `close` would wait to send the rest, and its socket outlive the test

    run(flood())
    wait_until(lambda: refused(small, "too many frames") + refused(small, "too many messages") > 0)
    wait_until(lambda: small.metrics()["sessions"] == 0)


@pytest.mark.parametrize(
    "flood",
    [
        frame(9, b"a") * 20_000,
        frame(10, b"a") * 20_000,
        frame(2, last=False) + frame(0, last=False) * 20_000,
    ],
    ids=["pings", "pongs", "pieces"],
)
def test_frames_of_any_kind_are_counted(small, run, flood):
    async def day():
        ws = await target(small).session()
        await pour(ws, flood, target(small))
        return await closed_with(ws)

    assert run(day()) in (1008, 1006), "told why, unless it was still writing"
    wait_until(lambda: small.metrics()["sessions"] == 0)


@pytest.mark.parametrize("said", ['{"do": "freeze", "on": true}', "[" * 9000], ids=["much", "nonsense"])
def test_who_floods_a_room_is_let_go_as_well(small, run, said):
    async def day():
        ws = await target(small).member("red-fox", "open")
        await pour(ws, frame(1, said.encode()) * 3000, target(small))
        return await closed_with(ws)

    assert run(day()) in (CODE, 1008, 1006), "told why, unless it was still writing"
    wait_until(lambda: small.metrics()["room_members"] == 0)


def test_pings_without_reading_cost_little(small, run):
    async def day():
        before = small.memory()
        ws = await target(small).session()
        ws.transport.pause_reading()
        await pour(ws, frame(9, b"a" * 125) * 100_000, target(small, 20))
        ws.transport.abort()
        assert small.memory() - before < MEMORY

    run(day())
    wait_until(lambda: small.metrics()["sessions"] == 0)


def test_one_address_has_its_share_and_the_others_theirs(small, run):
    async def day():
        held = [await target(small).session() for _ in range(3)]
        assert all(held)
        assert await target(small).session() is None
        assert ask(small, **PAGE)[0] == 200, "another address"
        status, page = ask_from(small, ELSEWHERE)
        assert status == 503
        assert b"All seats of your network are taken" in page
        async with WebSocketClient(small.url) as reader:
            assert (await reader.open("similarity")).errors == []
        for ws in held:
            ws.transport.abort()

    run(day())
    wait_until(lambda: small.metrics()["sessions"] == 0)
    assert ask_from(small, ELSEWHERE)[0] == 200


def ask_from(host, source):
    with target(host).plain() as own:
        own.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
        said = b""
        while more := own.recv(1 << 16):
            said += more
    return int(said.split()[1]), said


def test_one_address_has_its_share_of_connections(small, run):
    held = []
    with contextlib.suppress(OSError):
        for _ in range(100):
            held.append(target(small).plain())
    wait_until(lambda: refused(small, "connections: share") > 0)
    assert ask(small, **PAGE)[0] == 200
    for own in held:
        own.close()


def test_a_session_behind_a_trusted_proxy_counts_for_its_own_address(run):
    async def day(host):
        async def come(address):
            reader = WebSocketClient(host.url)
            reader.headers["X-Forwarded-For"] = address
            await reader.connect()
            return reader

        held = [await come("192.0.2.1"), await come("192.0.2.2")]
        with pytest.raises(InvalidStatus, match="503"):
            await come("198.51.100.9, 192.0.2.1")
        for reader in held:
            await reader.close()

    with Host(sessions_per_address=1, proxies="127.0.0.0/8") as host:
        run(day(host))


def test_who_begins_nothing_is_let_go():
    with Host(idle_seconds=1) as host:
        silent, slow, again = (target(host).plain() for _ in range(3))
        slow.sendall(b"GET / HTTP/1.1\r\nHost:")
        again.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /")
        for own in (silent, slow, again):
            own.settimeout(20)
            with contextlib.suppress(ConnectionError):
                while own.recv(1000):
                    pass
            own.close()


def test_only_files_that_there_are_are_kept_each_once(small):
    path = next(path for path in first() if path.endswith(".js"))
    asked = {"Accept-Encoding": "gzip"}
    assert dict(ask(small, path, **asked)[1])["content-encoding"] == "gzip"
    before = small.memory()
    for k in range(3, 40):
        found = dict(ask(small, path.replace("/js/", "/" * k + "js/"), **asked)[1])
        assert "content-encoding" not in found
    assert small.memory() - before < MEMORY


def test_nobody_reads_files_by_halves(small):
    path = next(path for path in first() if path.endswith(".js"))
    assert ask(small, path, Range="bytes=0-0,2-2,4-4")[0] == 200


@pytest.mark.parametrize("origin", ["http://[", "null", "http://a:b:c"])
def test_an_origin_that_is_none_is_refused(small, origin):
    assert ask(small, Origin=origin, **PAGE)[0] == 403


def test_masses_of_requests_wait_and_are_answered():
    with Host(request_rate=2, request_burst=5) as host:  # seldom: a machine that stands still earns none back
        with target(host).plain() as own:
            own.sendall(b"GET /_stcore/health HTTP/1.1\r\nHost: a\r\n\r\n" * 10)
            said = b""
            while said.count(b"HTTP/1.1 200") < 10:
                said += own.recv(1 << 16)
        assert host.metrics()["requests_delayed_total"] == 5


def test_an_address_owes_nothing_for_handshakes_that_were_dropped():
    with Host(request_rate=20, request_burst=60) as host:  # charged, 300 of them would take 150 seconds
        ask_for_a_socket = HANDSHAKE.format(path=STREAM, host=f"127.0.0.1:{host.port}").encode()
        for _ in range(300):
            with contextlib.suppress(OSError), target(host).plain() as own:
                own.sendall(ask_for_a_socket)
        assert ask_from(host, ELSEWHERE)[0] == 200
        wait_until(lambda: host.metrics()["sessions"] == 0)
        assert host.faults() == ""


def descriptors(host):
    return len(os.listdir(f"/proc/{host.process.pid}/fd"))


def test_a_session_holds_one_descriptor_and_none_once_it_has_gone(run):
    async def day(host):
        readers = [WebSocketClient(host.url, seed=k) for k in range(20)]
        before = descriptors(host)
        for reader in readers:
            await reader.connect()
            await reader.open("similarity")
        assert descriptors(host) - before <= len(readers) + 2
        for reader in readers:
            await reader.close()
        wait_until(lambda: descriptors(host) <= before + 2)

    with Host() as host:
        run(day(host))


def test_with_few_descriptors_it_holds_fewer_says_so_and_never_runs_out(run):
    async def day(host):
        held = []
        with contextlib.suppress(OSError):
            for _ in range(300):
                held.append(socket.create_connection(("127.0.0.1", host.port)))
        for own in held:
            own.close()
        await asyncio.sleep(0.5)
        async with WebSocketClient(host.url) as reader:
            assert (await reader.open("similarity")).errors == []

    host = Host()
    host.command = ["bash", "-c", 'ulimit -n 500 && exec "$@"', "-", *host.command]
    with host:
        run(day(host))
        assert host.metrics()["sessions_most"] == 72
        assert "too few open files" in " ".join(line["event"] for line in host.lines())
        assert host.faults() == ""
