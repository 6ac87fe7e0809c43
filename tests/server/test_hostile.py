"""Malicious clients: nobody else notices them, and nothing stays behind.

What they cost is measured by `python -m tools.bench.hostile`; here stands what must hold on any machine.
"""

import asyncio
import contextlib
import os
import socket

import pytest
from websockets.exceptions import ConnectionClosed

from attention_lab.server.static_files import first
from attention_lab.server.uploads import AT_ONCE
from tests.server.harness import PAGE, Host, as_form, ask, until, upload_headers, upload_path, wait_until
from tools.bench.hostile import Target, frame, pour, rerun
from tools.websocket_client import WebSocketClient

ELSEWHERE = "127.0.0.2"


@pytest.fixture(scope="module")
def small():
    """A server with room for few, and not even those for one address."""
    limits = {"sessions": 6, "sessions_per_address": 3, "connections": 200, "connections_per_address": 60}
    with Host(**limits, idle_seconds=5) as running:
        yield running
        assert running.faults() == ""


@pytest.fixture(scope="module")
def few():
    """A server that may open few files."""
    host = Host()
    host.command = ["bash", "-c", 'ulimit -n 500 && exec "$@"', "-", *host.command]
    with host:
        yield host
        assert host.faults() == ""


def target(host, source=ELSEWHERE):
    return Target(host.url, source, 60)


def refused(host, reason):
    return host.metrics().get(f'refused_total{{reason="{reason}"}}', 0)


def descriptors(host):
    return len(os.listdir(f"/proc/{host.process.pid}/fd"))


async def flood(ws, data, to):
    """Send raw bytes until the server ends the connection; return its code, 1006 while this is still sending."""
    await pour(ws, data, to)
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(60):
            while True:
                await ws.recv()
    return ws.close_code


async def test_session_that_sends_too_many_frames_of_any_kind_is_ended(small):
    async def flood_session(number, data):
        to = target(small, f"127.0.0.{number}")
        return await flood(await to.session(), data, to)

    floods = [
        frame(9, b"a") * 20_000,
        frame(10, b"a") * 20_000,
        frame(2, last=False) + frame(0, last=False) * 20_000,
    ]
    codes = await asyncio.gather(*(flood_session(number, data) for number, data in enumerate(floods, 2)))
    assert set(codes) == {1006}
    assert refused(small, "too many frames") == len(floods)
    await until(lambda: small.metrics()["sessions"] == 0)


async def test_session_that_sends_masses_and_leaves_gives_up_its_seat(small):
    ws = await target(small).session()
    await pour(ws, frame(2, rerun("similarity")) * 1000 + frame(8, b"\x03\xe8"), target(small))
    ws.transport.abort()
    await until(lambda: small.metrics()["sessions"] == 0)


def ask_from(host, source):
    with target(host, source).plain() as own:
        own.settimeout(60)
        own.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
        answer = b""
        while more := own.recv(1 << 16):
            answer += more
    return int(answer.split()[1]), answer


async def test_address_has_its_share_of_sessions_and_the_others_theirs(small):
    held = [await target(small).session() for _ in range(3)]
    assert all(held)
    assert await target(small).session() is None
    assert ask(small, **PAGE)[0] == 200, "another address"
    status, page = ask_from(small, ELSEWHERE)
    assert status == 503
    assert b"All seats for your network are taken" in page
    async with WebSocketClient(small.url) as reader:
        assert (await reader.open("similarity")).errors == []
    for ws in held:
        ws.transport.abort()
    await until(lambda: small.metrics()["sessions"] == 0)
    assert ask_from(small, ELSEWHERE)[0] == 200


def test_address_has_its_share_of_connections(small):
    held = []
    with contextlib.suppress(OSError):
        for _ in range(100):
            held.append(target(small).plain())
    wait_until(lambda: refused(small, "connections: share") > 0)
    assert ask(small, **PAGE)[0] == 200
    for own in held:
        own.close()


async def test_uploads_that_stop_leave_room_for_another_address_and_end_with_their_clients(small):
    """Nothing is read of the third one: its address has its share."""
    marks, form, held = upload_headers(small), as_form(b"a" * 100_000), []
    for k in range(AT_ONCE[1] + 1):
        pupil = target(small).client(k)
        await pupil.connect()
        await pupil.open("similarity")
        lines = [f"PUT {upload_path(pupil.session)} HTTP/1.1", "Host: a", f"Content-Length: {len(form)}"]
        lines += [f"{name}: {value}" for name, value in marks.items()]
        held.append((pupil, target(small).plain("\r\n".join([*lines, "", ""]).encode() + form[:50_000])))
    async with WebSocketClient(small.url) as reader:
        await reader.open("similarity")
        assert ask(small, upload_path(reader.session), "PUT", form, **marks)[0] == 204
    for pupil, sender in held:
        sender.close()
        await pupil.close()
    await until(lambda: refused(small, "gone") == len(held))
    await until(lambda: small.metrics()["sessions"] == small.metrics()["uploaded_bytes"] == 0)


def test_ranges_of_files_are_not_answered(small):
    path = next(path for path in first() if path.endswith(".js"))
    assert ask(small, path, Range="bytes=0-0,2-2,4-4")[0] == 200


def test_dropped_handshakes_hold_no_descriptor_and_no_seat(few):
    before = descriptors(few)
    for _ in range(300):
        with contextlib.suppress(OSError), target(few).plain() as own:
            own.sendall(target(few).handshake)
    wait_until(lambda: descriptors(few) <= before)
    statuses = []

    def is_answered():
        with contextlib.suppress(ConnectionResetError):  # while dropped handshakes still wait to be accepted
            statuses.append(ask_from(few, ELSEWHERE)[0])
        return statuses

    wait_until(is_answered)
    assert statuses == [200]
    wait_until(lambda: few.metrics()["sessions"] == 0)


async def test_server_with_few_descriptors_holds_fewer_sessions_and_says_so(few):
    held = []
    with contextlib.suppress(OSError):
        for _ in range(300):
            held.append(socket.create_connection(("127.0.0.1", few.port)))
    for own in held:
        own.close()
    await until(few.healthy)
    async with WebSocketClient(few.url) as reader:
        assert (await reader.open("similarity")).errors == []
    assert few.metrics()["sessions_most"] == 72
    assert "too few open files" in " ".join(line["event"] for line in few.lines())


async def test_session_holds_one_descriptor_and_none_once_it_has_gone(host):
    await until(lambda: host.metrics()["sessions"] == 0)
    before = descriptors(host)
    readers = [WebSocketClient(host.url, seed=k) for k in range(10)]
    for reader in readers:
        await reader.connect()
        await reader.open("similarity")
    assert descriptors(host) - before <= len(readers) + 2
    for reader in readers:
        await reader.close()
    await until(lambda: descriptors(host) <= before + 2)
