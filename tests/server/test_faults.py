"""What happens to servers, and to the readers of the others: nobody loses anything, nothing is left behind."""

import asyncio
import socket
import time

import pytest
from websockets.exceptions import ConnectionClosed

from attention_lab.server.settings import Settings
from tests.server.fuzz import attack
from tests.server.harness import Host, replicas
from tests.websocket_client import WebSocketClient

PAGES = ["similarity", "softmax", "values", "queries_keys"]
BACK = 60  # s until a reader of a replica that died is on another one
LEFT_BEHIND = 24 << 20  # bytes: the sessions that wait for their browser, and what the allocator keeps


async def drag_on(reader, until, cut):
    """Drag now and then as a hand does, until told to stop; note in `cut` who was cut off and is back."""
    while not until.is_set():
        try:
            answer = await reader.drag()
        except ConnectionClosed:
            async with asyncio.timeout(BACK):
                await come_back(reader)
            cut.add(reader)
        else:
            assert answer.errors == []
        await asyncio.sleep(0.2)


async def come_back(reader):
    """Do what the browser does when its socket has closed: connect, and say the address again."""
    while True:
        try:
            await reader.connect()
            assert (await reader.open(reader.page, reader.query)).errors == []
            break
        except (OSError, ConnectionClosed):
            await asyncio.sleep(0.1)
    assert reader.made, "it had made something"
    for name, value in reader.made.items():
        assert reader.stage["pose"][name] == value, "what it had made was in the address"


async def arrive(url, number, first=0):
    numbers = range(first, first + number)
    readers = [WebSocketClient(url, cookie=f"attention_lab={k:032x}", seed=k) for k in numbers]
    for k, reader in enumerate(readers, first):
        await reader.connect()
        await reader.open(PAGES[k % len(PAGES)])
        await reader.drag()
    return readers


async def leave(readers):
    for reader in readers:
        await reader.close()


def sessions(hosts):
    return [int(host.metrics()["sessions"]) for host in hosts]


@pytest.mark.parametrize("number", [2, 4])
def test_a_replica_dies_under_load_and_its_readers_go_on_at_another(tmp_path, run, number):
    async def class_(nginx):
        readers = await arrive(nginx.url, 20)
        while not all(held := sessions(nginx.hosts)) and len(readers) < 60:  # by their ports, one may have few
            readers += await arrive(nginx.url, 5, first=len(readers))
        assert sum(held) == len(readers)
        assert min(held) > 0, "the readers are spread over all replicas"
        until, cut = asyncio.Event(), set()
        hands = [asyncio.create_task(drag_on(reader, until, cut)) for reader in readers]
        await asyncio.sleep(1)
        nginx.hosts[0].process.kill()
        nginx.hosts[0].process.wait()
        async with asyncio.timeout(BACK):
            while len(cut) < held[0] or sum(sessions(nginx.hosts[1:])) < len(readers):
                await asyncio.sleep(0.1)
        until.set()
        await asyncio.gather(*hands)
        assert len(cut) == held[0], "only the dead one's readers were cut off"
        assert sum(sessions(nginx.hosts[1:])) == len(readers)
        await leave(readers)

    with replicas(tmp_path, number) as nginx:
        run(class_(nginx))


def test_the_whole_server_restarts_and_all_come_back(tmp_path, run):
    async def class_(nginx):
        readers = await arrive(nginx.url, 8)
        for host in nginx.hosts:
            host.stop()
        for host in nginx.hosts:
            await asyncio.to_thread(host.start)
        for reader in readers:
            await come_back(reader)
            assert (await reader.drag()).errors == []
        await leave(readers)

    with replicas(tmp_path, 2) as nginx:
        run(class_(nginx))


async def until_only(host, number, patience=60):
    """Wait until the server holds so many sessions and no more."""
    async with asyncio.timeout(patience):
        while host.metrics()["sessions"] > number:
            await asyncio.sleep(0.1)


def test_a_frozen_browser_is_let_go_and_nobody_waits_for_it(run):
    """One that has nothing to take, and one that is in the middle of taking a lot."""

    async def freeze(host):
        async with WebSocketClient(host.url) as reader:
            await reader.open("similarity")
            idle = WebSocketClient(host.url, max_queue=1, close_timeout=0)
            await idle.connect()  # hears nothing from here on: not even that it is asked whether it is there
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
                await asyncio.sleep(0.03)
            assert host.metrics()["sessions"] == 3
            assert (await reader.drag()).errors == []
            await until_only(host, 1)
            assert (await reader.drag()).errors == []
            for frozen in (idle, full):
                frozen.socket.transport.abort()

    with Host(idle_seconds=5) as host:
        run(freeze(host))


def test_a_thousand_sockets_opened_and_dropped_leave_nothing(host, run):
    async def drop(number):
        async def one(k):
            reader = WebSocketClient(host.url)
            await reader.connect()
            if k % 4 == 0:
                await reader.socket.send(reader.message().SerializeToString())
            reader.socket.transport.abort()

        for start in range(0, number, 50):
            await asyncio.gather(*(one(k) for k in range(start, start + 50)))

    async def go():
        async with WebSocketClient(host.url) as reader:
            await reader.open("similarity")
            await drop(250)
            await until_only(host, 1)
            before = host.memory()
            await drop(1000)
            for _ in range(500):
                socket.create_connection(("127.0.0.1", host.port)).close()
            await until_only(host, 1)
            assert (await reader.drag()).errors == []
            assert host.memory() - before < LEFT_BEHIND

    run(go())


def test_no_address_and_no_message_breaks_anything(run):
    """A short form of `python -m tests.server.fuzz`."""

    async def go(host):
        async with WebSocketClient(host.url) as reader:
            await reader.open("similarity")
            await reader.drag()
            had = reader.stage["pose"]
            ends = await attack(host.url, 400, seed=1)
            assert set(ends) <= {"answered", "ended"}
            await reader.open("similarity", reader.query)
            assert reader.stage["pose"] == had

    with Host(message_rate=1000, message_burst=1000) as host:
        run(go(host))
        assert not [name for name in host.metrics() if name.startswith("errors_total{")]


def test_a_session_keeps_little_of_what_a_hostile_address_says(run):
    """Addresses as long as one may be, again and again, on one page of one session."""

    async def go(host):
        async with WebSocketClient(host.url) as reader:
            await reader.open("similarity")
            before = host.memory()
            for k in range(100):
                much = "&".join(f"x{k}_{n}=" + "a" * 900 for n in range(17))
                assert len(much) < Settings().address_length
                assert (await reader.open("similarity", much)).errors == []
            assert host.memory() - before < LEFT_BEHIND

    with Host(message_rate=1000, message_burst=1000) as host:
        run(go(host))


def test_more_than_one_house_full_flows_over_and_then_waits(tmp_path, run):
    async def class_(nginx):
        same = "attention_lab=" + "0" * 32
        async with (
            WebSocketClient(nginx.url, cookie=same) as first,
            WebSocketClient(nginx.url, cookie=same) as second,
        ):
            await first.open("similarity")
            await second.open("similarity")
            assert sessions(nginx.hosts) == [1, 1]
            started = time.monotonic()
            with pytest.raises(Exception, match="503"):
                await WebSocketClient(nginx.url, cookie=same).connect()
            assert time.monotonic() - started < 30

    with replicas(tmp_path, 2, sessions=1) as nginx:
        run(class_(nginx))
