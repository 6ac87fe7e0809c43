"""How the gateway works through requests, with a server behind it that takes as long as a test wants."""

import asyncio

import pytest

from hosting.capacity import Addresses, Room
from hosting.gateway import REQUESTS_AT_ONCE, Gateway
from hosting.metrics import Metrics
from hosting.run_limiter import RunLimiter
from hosting.settings import Settings


@pytest.fixture
def gateway():
    """A function that puts a gateway, open, before a server."""

    def before(app):
        settings = Settings()
        room = Room(settings.sessions, settings.sessions_per_address)
        metrics = Metrics(lambda: room.taken, settings.sessions)
        made = Gateway(app, settings, Addresses(()), room, RunLimiter(3, 1), metrics, "1")
        made.ready = True
        return made

    return before


def scope(path="/a"):
    headers = [(b"host", b"a")]
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
    }


async def take(message):
    pass


async def a_while():
    for _ in range(50):
        await asyncio.sleep(0)


def test_few_requests_are_worked_on_at_once_and_all_are_answered(gateway, run):
    async def day():
        go_on, under_way, answered = asyncio.Event(), 0, 0

        async def server(scope, receive, send):
            nonlocal under_way, answered
            under_way += 1
            await go_on.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            answered += 1

        asked = gateway(server)
        everybody = [asyncio.create_task(asked(scope(), None, take)) for _ in range(5 * REQUESTS_AT_ONCE)]
        await a_while()
        assert under_way == REQUESTS_AT_ONCE
        await asyncio.wait_for(asked(scope("/health"), None, take), 1)
        go_on.set()
        await asyncio.gather(*everybody)
        assert answered == 5 * REQUESTS_AT_ONCE

    run(day())


def test_who_does_not_read_the_answer_keeps_nobody_waiting(gateway, run):
    async def day():
        async def server(scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"a" * 100})

        async def never(message):
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        asked = gateway(server)
        slow = [asyncio.create_task(asked(scope(), None, never)) for _ in range(5 * REQUESTS_AT_ONCE)]
        await a_while()
        await asyncio.wait_for(asked(scope(), None, take), 1)
        for each in slow:
            each.cancel()

    run(day())


def test_a_request_that_fails_gives_its_turn_back(gateway, run):
    async def day():
        async def server(scope, receive, send):
            raise OSError("gone")

        asked = gateway(server)
        for _ in range(2 * REQUESTS_AT_ONCE):
            with pytest.raises(OSError, match="gone"):
                await asyncio.wait_for(asked(scope(), None, take), 1)

    run(day())
