"""Fuzzing, dropped sockets and frozen browsers leave nothing behind, and no reader notices them."""

import asyncio
import contextlib
import socket

import pytest

from attention_lab.server.settings import Settings
from tests.server.harness import Host, until
from tools.fuzz import attack
from tools.websocket_client import WebSocketClient

NOISE = 2 << 20  # bytes that a process which keeps nothing still grows by
MOST_ROUNDS = 8  # in the first ones, pools of memory that are used again may still grow


@pytest.fixture(scope="module")
def patient():
    """A server that accepts as many messages as come, and often gives back memory that it no longer needs."""
    with Host(message_rate=1000, message_burst=1000, collect_seconds=1) as running:
        yield running
        assert not [name for name in running.metrics() if name.startswith("errors_total{")]


async def assert_memory_levels_off(host, work):
    """Repeat the work until doing it twice needs no more memory: what leaks grows in every round."""
    await work()
    for _ in range(MOST_ROUNDS):
        before = host.memory()
        await work()
        await work()
        with contextlib.suppress(TimeoutError):
            await until(lambda before=before: host.memory() <= before + NOISE, seconds=5)
            return
    raise AssertionError(f"after {MOST_ROUNDS} rounds memory still grows by more than {NOISE} bytes in each")


async def test_dropped_sockets_leave_nothing(patient):
    async def drop(number):
        client = WebSocketClient(patient.url)
        await client.connect()
        if number % 4 == 0:
            await client.socket.send(client.message().SerializeToString())
        client.socket.transport.abort()

    async def drop_many():
        for _ in range(2):
            await asyncio.gather(*map(drop, range(50)))
        for _ in range(100):
            socket.create_connection(("127.0.0.1", patient.port)).close()
        await until(lambda: patient.metrics()["sessions"] == 1)

    async with WebSocketClient(patient.url) as reader:
        await reader.open("similarity")
        await assert_memory_levels_off(patient, drop_many)
        assert (await reader.drag()).errors == []


async def test_session_keeps_little_of_a_hostile_address(patient):
    """Addresses as long as one may be, on two pages by turns: a page reads its own when it is opened."""
    async with WebSocketClient(patient.url) as reader:

        async def open_many():
            for k in range(20):
                query = "&".join(f"x{k}_{n}=" + "a" * 900 for n in range(17))
                assert len(query) < Settings().address_length
                assert (await reader.open(("similarity", "softmax")[k % 2], query)).errors == []

        await assert_memory_levels_off(patient, open_many)


async def test_no_address_and_no_message_breaks_anything(patient):
    """A short form of `python -m tools.fuzz`."""
    async with WebSocketClient(patient.url) as reader:
        await reader.open("similarity")
        await reader.drag()
        pose = reader.stage["pose"]
        assert set(await attack(patient.url, 120, seed=1, patience=60)) <= {"answered", "ended"}
        await reader.open("similarity", reader.query)
        assert reader.stage["pose"] == pose


async def test_silent_connections_and_frozen_browsers_are_let_go():
    """Of the browsers one has nothing to take, and one is in the middle of taking a lot."""
    with Host(idle_seconds=3) as host:
        silent = [socket.create_connection(("127.0.0.1", host.port), timeout=60) for _ in range(3)]
        silent[1].sendall(b"GET / HTTP/1.1\r\nHost:")
        silent[2].sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /")
        async with WebSocketClient(host.url) as reader:
            await reader.open("similarity")
            idle = WebSocketClient(host.url, max_queue=1, close_timeout=0)
            await idle.connect()  # reads nothing from here on: not even that it is asked whether it is there
            small = socket.socket()
            small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            small.connect(("127.0.0.1", host.port))
            full = WebSocketClient(host.url, sock=small, max_queue=1, close_timeout=0)
            await full.connect()
            for frozen in (idle, full):
                frozen.page = "position"
            await idle.socket.send(idle.message().SerializeToString())
            for _ in range(40):
                await full.socket.send(full.message().SerializeToString())
            assert (await reader.drag()).errors == []
            await until(lambda: host.metrics()["sessions"] == 1)
            assert (await reader.drag()).errors == []
            for frozen in (idle, full):
                frozen.socket.transport.abort()
        for connection in silent:
            with contextlib.suppress(ConnectionError):
                while connection.recv(1000):
                    pass
            connection.close()
