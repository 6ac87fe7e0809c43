"""How the gateway works through requests, with a server behind it that takes as long as a test wants."""

import asyncio

import pytest
from starlette.datastructures import Headers
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState

from attention_lab.server.capacity import Addresses, SlotPool
from attention_lab.server.connections import CONNECTION
from attention_lab.server.gateway import AWAY, REQUESTS_AT_ONCE, Gateway
from attention_lab.server.metrics import Metrics
from attention_lab.server.run_limiter import RunLimiter
from attention_lab.server.session_socket import COME_AGAIN, OPENING
from attention_lab.server.settings import Settings
from attention_lab.server.static_files import first
from attention_lab.streamlit_internals import SOCKET, STREAM, SUBPROTOCOLS
from tests.server.harness import Clock
from tests.server.test_session_socket import END


@pytest.fixture
def gateway():
    """A function that puts a gateway, open, before a server."""

    def before(app, **chosen):
        settings = Settings(**chosen)
        room = SlotPool(settings.sessions, settings.sessions_per_address)
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


# ---- an address beyond its pace, and its seats ----


class Connection:
    """What the gateway knows of a connection."""

    def __init__(self, *, answers=0, is_gone=False):
        self.answers, self.is_gone = answers, is_gone


def handshake(connection=None):
    """A session's request, and the two ends of its socket."""
    asked = scope(STREAM) | {
        "type": "websocket",
        "subprotocols": [],
        "extensions": {"websocket.http.response": {}},
    }
    return asked | {"state": {CONNECTION: connection or Connection()}}


class Tab:
    """One tab's session: what its browser says, and what it is told."""

    def __init__(self, gateway, *taken_up, headers=()):
        self.said, self.told = asyncio.Queue(), []
        asked = handshake() | {"subprotocols": [*SUBPROTOCOLS, *taken_up]}
        asked["headers"] = [*asked["headers"], *headers]
        self.task = asyncio.create_task(gateway(asked, self.said.get, self.take))

    async def take(self, message):
        self.told.append(message)

    async def change(self):
        data = BackMsg(rerun_script=ClientState()).SerializeToString()
        self.said.put_nowait({"type": "websocket.receive", "bytes": data})
        await a_while()

    @property
    def closed(self):
        """Why it was closed, or the status it was refused with."""
        return next((m.get("code", m.get("status")) for m in self.told if "code" in m or "status" in m), None)


async def streamlit(scope, receive, send):
    """A server whose scripts end at once."""
    while (await receive())["type"] != "websocket.disconnect":
        await send({"type": "websocket.send", "bytes": END})


@pytest.fixture
def clock(monkeypatch):
    """A clock that sessions go by."""
    clock = Clock()
    monkeypatch.setattr("attention_lab.server.session_socket.time.monotonic", clock)
    return clock


async def take_all(gateway, clock, apart=1.0):
    """Tabs of one address that take all its seats, one after another."""
    tabs = []
    for _ in range(gateway.sessions.share):
        tabs.append(Tab(gateway))
        await tabs[-1].change()
        clock.now += apart
    return tabs


def test_dropped_handshakes_open_no_session_and_delay_nobody(gateway, run):
    async def day():
        opened = 0

        async def server(scope, receive, send):
            nonlocal opened
            opened += scope["type"] == "websocket"
            if scope["type"] == "http":
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b""})

        asked = gateway(server)
        dropped = (asked(handshake(Connection(is_gone=True)), asyncio.Queue().get, take) for _ in range(3370))
        await asyncio.gather(*dropped)
        assert opened == 0
        await asyncio.wait_for(asked(scope(), None, take), 1)
        assert asked.metrics.counted("requests_delayed") == 0
        assert asked.metrics.counted("refused", "gone") == 3370

    run(day())


def test_the_app_is_told_the_name_under_which_a_scripts_run_is_found(gateway, run):
    async def day():
        names = []

        async def server(scope, receive, send):
            names.extend(value.decode() for name, value in scope["headers"] if name == SOCKET.encode())
            await streamlit(scope, receive, send)

        asked = gateway(server)
        asked.limiter = RunLimiter(3, longest=60)
        tab = Tab(asked, headers=[(SOCKET.encode(), b"forged")])
        await tab.change()
        assert names == list(asked.limiter.of_socket)

    run(day())


def test_a_handshake_dropped_at_once_is_noticed_before_a_session_is_opened(gateway, run):
    async def day():
        asked, connection = gateway(streamlit), Connection()
        session = asyncio.create_task(asked(handshake(connection), asyncio.Queue().get, take))
        await asyncio.sleep(0)
        connection.is_gone = True
        await asyncio.wait_for(session, 1)
        assert asked.metrics.counted("sessions_opened") == 0

    run(day())


def test_a_queue_that_is_too_long_refuses(gateway, run):
    async def day():
        asked, told = gateway(streamlit, request_rate=1, request_burst=1), []

        async def hear(message):
            told.append(message)

        waiting = [asyncio.create_task(asked(scope(), None, take)) for _ in range(6)]
        await a_while()
        await asyncio.wait_for(asked(scope(), None, hear), 1)
        assert told[0]["status"] == 503
        assert asked.metrics.counted("refused", "too many requests") == 1
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    run(day())


def test_requests_of_a_busy_connection_count_for_more(gateway, run):
    async def day():
        async def server(scope, receive, send):
            await send({"type": "http.response.body", "body": b""})

        asked = gateway(server, request_rate=10, request_burst=50)

        def ask(answers):
            connected = {"state": {CONNECTION: Connection(answers=answers)}}
            return asyncio.create_task(asked(scope() | connected, None, take))

        await ask(1000)
        second, reader = ask(1000), ask(20)
        await a_while()
        assert (second.done(), reader.done()) == (False, True)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)

    run(day())


def test_the_connection_with_the_fewest_answers_is_worked_on_first(gateway, run):
    async def day():
        go_on, order = asyncio.Event(), []

        async def server(scope, receive, send):
            order.append(scope["path"])
            await go_on.wait()
            await send({"type": "http.response.body", "body": b""})

        asked = gateway(server)

        def ask(path, answers):
            return asyncio.create_task(
                asked(scope(path) | {"state": {CONNECTION: Connection(answers=answers)}}, None, take)
            )

        tasks = [ask("/flood", 1000) for _ in range(2 * REQUESTS_AT_ONCE)]
        await a_while()
        tasks.append(ask("/reader", 3))
        await a_while()
        go_on.set()
        await asyncio.gather(*tasks)
        assert order[REQUESTS_AT_ONCE] == "/reader"

    run(day())


@pytest.mark.parametrize("beyond_pace", [False, True])
@pytest.mark.parametrize("path", ["/", "/page{k}", "/no{k}.js"])
def test_a_file_comes_before_a_flood_of_pages_whatever_their_addresses(gateway, run, path, beyond_pace):
    async def day():
        go_on, order = asyncio.Event(), []

        async def server(scope, receive, send):
            order.append(scope["path"])
            await go_on.wait()
            await send({"type": "http.response.body", "body": b""})

        asked = gateway(server, **({"request_rate": 500, "request_burst": 1} if beyond_pace else {}))

        def ask(path, answers):
            connected = {"state": {CONNECTION: Connection(answers=answers)}}
            return asyncio.create_task(asked(scope(path) | connected, None, take))

        flood = [ask(path.format(k=k), 0) for k in range(5 * REQUESTS_AT_ONCE)]
        await a_while()
        began = len(order)
        file = ask(first()[0], 10)
        await a_while()
        go_on.set()
        await asyncio.gather(*flood, file)
        assert order.index(first()[0]) <= began + 1

    run(day())


def test_a_new_reader_gets_the_seat_of_a_tab_that_was_only_opened(gateway, run, clock):
    async def day():
        asked = gateway(streamlit, sessions_per_address=3)
        tabs = await take_all(asked, clock)
        clock.now += OPENING
        await tabs[0].change()
        new = Tab(asked)
        await a_while()
        assert [tab.closed for tab in (*tabs, new)] == [None, COME_AGAIN, None, None], (
            "the oldest without a change"
        )
        assert asked.metrics.counted("made_way") == 1

    run(day())


def test_tabs_that_were_opened_together_make_way_before_a_reader_who_was_there_first(gateway, run, clock):
    async def day():
        asked = gateway(streamlit, sessions_per_address=5)
        reader = Tab(asked)
        await reader.change()
        clock.now += 5
        burst = await take_all(asked, clock, apart=0.1)
        assert burst.pop().closed == 503
        clock.now += 60
        for _ in burst[1:]:
            Tab(asked)
            await a_while()
            clock.now += 2
        assert [tab.closed for tab in burst].count(COME_AGAIN) == 3
        assert reader.closed is None

    run(day())


def test_a_tab_in_which_something_was_changed_keeps_its_seat_for_longer(gateway, run, clock):
    async def day():
        asked = gateway(streamlit, sessions_per_address=2, idle_session_seconds=60)
        tabs = await take_all(asked, clock)
        clock.now += OPENING
        for tab in tabs:
            await tab.change()
            clock.now += 1
        clock.now += 58
        refused = Tab(asked)
        await a_while()
        assert [tab.closed for tab in (*tabs, refused)] == [None, None, 503]
        clock.now += 2
        Tab(asked)
        await a_while()
        assert [tab.closed for tab in tabs] == [COME_AGAIN, None]

    run(day())


def test_the_page_of_a_full_address_is_handed_out_where_a_tab_is_idle(gateway, run, clock):
    async def day():
        asked = gateway(streamlit, sessions_per_address=1)
        await take_all(asked, clock)
        clock.now += OPENING
        page = Headers({"accept": "text/html"})
        asked_for = scope("/similarity") | {"headers": page.raw}
        assert asked._refusal(asked_for, "127.0.0.1") is None
        clock.now -= OPENING
        assert asked._refusal(asked_for, "127.0.0.1").status_code == 503

    run(day())


def test_a_tab_whose_script_still_runs_is_not_idle(gateway, run, clock):
    async def day():
        async def busy(scope, receive, send):
            while (await receive())["type"] != "websocket.disconnect":
                pass

        asked = gateway(busy, sessions_per_address=1)
        (tab,) = await take_all(asked, clock)
        clock.now += 1000
        new = Tab(asked)
        await a_while()
        assert (tab.closed, new.closed) == (None, 503)

    run(day())


def test_idle_tabs_of_an_address_make_way_at_a_pace(gateway, run, clock, monkeypatch):
    """Two who want the same seat cannot take it from one another without end."""
    monkeypatch.setattr("attention_lab.server.gateway.MADE_WAY", (0.001, 2))

    async def day():
        asked = gateway(streamlit, sessions_per_address=1)
        await take_all(asked, clock)
        tabs = []
        for _ in range(4):
            clock.now += OPENING + 1
            tabs.append(Tab(asked))
            await tabs[-1].change()
        assert [tab.closed for tab in tabs] == [COME_AGAIN, None, 503, 503], "the first had the seat of another"

    run(day())


def test_a_tab_that_has_made_way_takes_no_idle_seat_when_it_comes_back(gateway, run, clock):
    async def day():
        asked = gateway(streamlit, sessions_per_address=1)
        first = Tab(asked, "its name")
        await first.change()
        clock.now += OPENING + 1
        second = Tab(asked)
        await second.change()
        clock.now += OPENING + 1
        back = Tab(asked, "its name")
        await a_while()
        assert [tab.closed for tab in (first, second, back)] == [COME_AGAIN, None, 503]
        clock.now += AWAY
        back = Tab(asked, "its name")
        await a_while()
        assert [tab.closed for tab in (second, back)] == [COME_AGAIN, None]

    run(day())
