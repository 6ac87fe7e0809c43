"""How the gateway shares out turns and seats, with a server behind it that takes as long as a test wants."""

import asyncio
from functools import partial
from types import SimpleNamespace
from uuid import uuid4

import pytest
from starlette.datastructures import Headers
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from uvicorn.server import ServerState

from attention_lab import streamlit_internals
from attention_lab.server.capacity import Addresses, SeatPool
from attention_lab.server.connections import CONNECTION, Bounds
from attention_lab.server.gateway import REQUESTS_AT_ONCE, Gateway
from attention_lab.server.metrics import Metrics
from attention_lab.server.room_socket import PATH as ROOM
from attention_lab.server.scheduler import ScriptTurns
from attention_lab.server.server import configure
from attention_lab.server.session_socket import OPENING
from attention_lab.server.settings import Settings
from attention_lab.server.static_files import first
from attention_lab.streamlit_internals import SOCKET, STREAM, SUBPROTOCOLS
from tests.server.harness import Clock, until, upload_path
from tests.server.test_session_socket import END
from tools.bench.hostile import DOCUMENT, Target, frame, rerun


@pytest.fixture
def gateway():
    """A function that puts a gateway, open, before a server."""

    def before(app, **chosen):
        settings = Settings(**chosen)
        slots = SeatPool(settings.sessions, settings.sessions_per_address)
        metrics = Metrics(lambda: slots.taken, settings.sessions)
        made = Gateway(app, settings, Addresses(()), slots, ScriptTurns(3), metrics, "1")
        made.ready = True
        return made

    return before


class Session:
    """What stands for a session of Streamlit's."""


class Connection:
    """What the gateway knows of a connection."""

    def __init__(self, *, answers=0, abort=None):
        self.answers, self.is_gone, self.lost = answers, False, asyncio.get_running_loop().create_future()
        self.transport = SimpleNamespace(abort=abort)

    def leave(self):
        self.is_gone = True
        self.lost.set_result(None)


def scope(path="/a", connection=None, **more):
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"a")],
        "client": ("127.0.0.1", 1),
        "state": {CONNECTION: connection} if connection else {},
    } | more


async def take(message):
    pass


def ask(gateway, path="/a", answers=0, send=take):
    return asyncio.create_task(gateway(scope(path, Connection(answers=answers)), None, send))


async def a_while():
    for _ in range(50):
        await asyncio.sleep(0)


class Server:
    """A server that holds its answers back until `resume` is set."""

    def __init__(self, *, held=True):
        self.resume, self.order, self.answered, self.sessions = asyncio.Event(), [], 0, 0
        if not held:
            self.resume.set()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            self.sessions += 1
            return
        self.order.append(scope["path"])
        await self.resume.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a"})
        self.answered += 1


async def test_few_requests_are_worked_on_at_once_and_all_are_answered(gateway):
    server = Server()
    asked = gateway(server)
    requests = [ask(asked) for _ in range(5 * REQUESTS_AT_ONCE)]
    await a_while()
    assert len(server.order) == REQUESTS_AT_ONCE
    await asyncio.wait_for(ask(asked, "/health"), 1)
    server.resume.set()
    await asyncio.gather(*requests)
    assert server.answered == 5 * REQUESTS_AT_ONCE


async def test_client_that_does_not_read_the_answer_keeps_nobody_waiting(gateway):
    async def never(message):
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    asked = gateway(Server(held=False))
    for _ in range(5 * REQUESTS_AT_ONCE):
        ask(asked, send=never)
    await a_while()
    await asyncio.wait_for(ask(asked), 1)


async def test_request_that_fails_gives_its_turn_back(gateway):
    async def server(scope, receive, send):
        raise OSError("gone")

    asked = gateway(server)
    for _ in range(2 * REQUESTS_AT_ONCE):
        with pytest.raises(OSError, match="gone"):
            await asyncio.wait_for(ask(asked), 1)


async def test_client_that_sends_no_file_keeps_nobody_waiting(gateway, monkeypatch):
    async def server(scope, receive, send):
        if scope["method"] == "PUT":
            await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    asked, headers = gateway(server), [(b"host", b"a"), (b"content-length", b"9")]
    monkeypatch.setattr(streamlit_internals, "open_session", lambda name: Session())
    never = asyncio.Event().wait
    paths = [upload_path(str(uuid4())) for _ in range(5 * REQUESTS_AT_ONCE)]
    requests = [scope(path, method="PUT", headers=headers) for path in paths]
    uploads = [asyncio.create_task(asked(request, never, take)) for request in requests]
    await a_while()
    await asyncio.wait_for(ask(asked), 1)
    assert not [each for each in uploads if each.done()]


# ---- the seats of an address ----


def handshake(path=STREAM, connection=None):
    """A session's request."""
    more = {"type": "websocket", "subprotocols": [], "extensions": {"websocket.http.response": {}}}
    return scope(path, connection or Connection()) | more


MADE_WAY = "made way"


class Tab:
    """One tab's session: what its browser says, and what it is told."""

    def __init__(self, gateway, *taken_up, headers=()):
        self.said, self.told, self.made_way = asyncio.Queue(), [], False
        asked = handshake(connection=Connection(abort=self.abort)) | {"subprotocols": [*SUBPROTOCOLS, *taken_up]}
        asked["headers"] = [*asked["headers"], *headers]
        self.task = asyncio.create_task(gateway(asked, self.said.get, self.take))

    def abort(self):
        self.made_way = True
        self.said.put_nowait({"type": "websocket.disconnect", "code": 1006})

    async def take(self, message):
        self.told.append(message)

    async def change(self):
        data = BackMsg(rerun_script=ClientState()).SerializeToString()
        self.said.put_nowait({"type": "websocket.receive", "bytes": data})
        await a_while()

    @property
    def closed(self):
        """How it was closed: MADE_WAY, or the status it was refused with."""
        return MADE_WAY if self.made_way else next((m["status"] for m in self.told if "status" in m), None)


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


async def test_client_that_leaves_while_it_waits_is_dropped_from_the_queue(gateway):
    """With real connections: handshakes, one with a frame behind it, and requests for pages."""
    server = Server()
    asked = gateway(server)
    bounds = Bounds(asked.settings, asked.addresses, asked.metrics)
    config = configure(asked, asked.settings, bounds)
    config.load()
    make = partial(config.http_protocol_class, config=config, server_state=ServerState(), app_state={})
    listening = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    to = Target(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", "127.0.0.1", 60)

    def waiting():
        return sum(map(len, asked.requests._waiting.values()))

    at_work = [to.plain(DOCUMENT) for _ in range(REQUESTS_AT_ONCE)]
    await until(lambda: len(server.order) == REQUESTS_AT_ONCE)
    early, *leaving = [to.plain(request) for request in [to.handshake] * 20 + [DOCUMENT] * 10]
    await until(lambda: waiting() == 30)
    early.send(frame(2, rerun()))
    await until(lambda: waiting() == 29)
    for client in leaving:
        client.close()
    await until(lambda: asked.metrics.counted("refused", "gone") == 30)
    assert waiting() == 0
    newcomer = to.plain(to.handshake)
    await until(waiting)
    server.resume.set()
    await until(lambda: server.sessions == 1)
    assert len(server.order) == REQUESTS_AT_ONCE, "no page is made for nobody"
    for client in (early, newcomer, *at_work):
        client.close()
    listening.close()
    await until(lambda: not bounds.seats.taken)


async def test_scripts_find_their_session_by_the_name_of_its_socket(gateway):
    names = []

    async def server(scope, receive, send):
        names.extend(value.decode() for name, value in scope["headers"] if name == SOCKET.encode())
        await streamlit(scope, receive, send)

    asked = gateway(server)
    tab = Tab(asked, headers=[(SOCKET.encode(), b"forged")])
    await tab.change()
    assert names == list(asked.scripts._sessions)
    tab.abort()
    await tab.task
    assert not asked.scripts._sessions, "nothing is left of a session that has ended"


async def test_handshake_dropped_at_once_is_noticed_before_a_session_is_opened(gateway):
    asked, connection = gateway(streamlit), Connection()
    session = asyncio.create_task(asked(handshake(connection=connection), asyncio.Queue().get, take))
    await asyncio.sleep(0)
    connection.is_gone = True
    await a_while()
    assert not session.done(), "uvicorn logs an error where it ends before the connection"
    connection.leave()
    await asyncio.wait_for(session, 1)
    assert asked.metrics.counted("sessions_opened") == 0


async def test_there_are_no_rooms_unless_they_are_set(gateway):
    told = []

    async def hear(message):
        told.append(message)

    await gateway(streamlit)(handshake(ROOM), None, hear)
    assert told[0]["status"] == 404


async def test_connection_with_fewest_answers_is_worked_on_first(gateway):
    server = Server()
    asked = gateway(server)
    requests = [ask(asked, "/flood", answers=1000) for _ in range(2 * REQUESTS_AT_ONCE)]
    await a_while()
    requests.append(ask(asked, "/reader", answers=3))
    await a_while()
    server.resume.set()
    await asyncio.gather(*requests)
    assert server.order[REQUESTS_AT_ONCE] == "/reader"


async def test_file_comes_before_a_flood_of_pages_whatever_their_addresses(gateway):
    for path in ("/", "/page{k}", "/no{k}.js"):
        server = Server()
        asked = gateway(server)
        requests = [ask(asked, path.format(k=k)) for k in range(5 * REQUESTS_AT_ONCE)]
        await a_while()
        before = len(server.order)
        requests.append(ask(asked, first()[0], answers=10))
        await a_while()
        server.resume.set()
        await asyncio.gather(*requests)
        assert server.order.index(first()[0]) <= before + 1, path


async def test_new_reader_gets_the_seat_of_a_tab_that_was_only_opened(gateway, clock):
    asked = gateway(streamlit, sessions_per_address=3)
    tabs = await take_all(asked, clock)
    clock.now += OPENING
    await tabs[0].change()
    new = Tab(asked)
    await a_while()
    assert [tab.closed for tab in (*tabs, new)] == [None, MADE_WAY, None, None], "the oldest without a change"
    assert asked.metrics.counted("made_way") == 1


async def test_tabs_opened_together_make_way_before_a_reader_who_was_there_first(gateway, clock):
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
    assert [tab.closed for tab in burst].count(MADE_WAY) == 3
    assert reader.closed is None


async def test_tab_with_a_change_keeps_its_seat_for_longer(gateway, clock):
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
    assert [tab.closed for tab in tabs] == [MADE_WAY, None]


async def test_page_of_a_full_address_is_handed_out_if_a_tab_is_idle(gateway, clock):
    asked = gateway(streamlit, sessions_per_address=1)
    await take_all(asked, clock)
    clock.now += OPENING
    page = Headers({"accept": "text/html"})
    asked_for = scope("/similarity") | {"headers": page.raw}
    assert asked._refusal(asked_for, "127.0.0.1") is None
    clock.now -= OPENING
    assert asked._refusal(asked_for, "127.0.0.1").status_code == 503


async def test_tab_whose_script_still_runs_is_not_idle(gateway, clock):
    asked = gateway(streamlit, sessions_per_address=1)
    (tab,) = await take_all(asked, clock)
    (session,) = asked.scripts._sessions.values()
    session.ask(asked.scripts.runs, lambda: None)
    clock.now += 1000
    new = Tab(asked)
    await a_while()
    assert (tab.closed, new.closed) == (None, 503)


async def test_idle_tabs_of_an_address_make_way_at_a_limited_rate(gateway, clock, monkeypatch):
    """Two who want the same seat cannot take it from one another without end."""
    monkeypatch.setattr("attention_lab.server.gateway.MADE_WAY", (0.001, 2))
    asked = gateway(streamlit, sessions_per_address=1)
    await take_all(asked, clock)
    tabs = []
    for _ in range(4):
        clock.now += OPENING + 1
        tabs.append(Tab(asked))
        await tabs[-1].change()
    assert [tab.closed for tab in tabs] == [MADE_WAY, None, 503, 503], "the first had the seat of another"


async def test_tab_that_comes_back_takes_no_idle_seat(gateway, clock):
    asked = gateway(streamlit, sessions_per_address=1)
    first = Tab(asked, "its name")
    await first.change()
    clock.now += OPENING + 1
    second = Tab(asked)
    await second.change()
    clock.now += OPENING + 1
    back = Tab(asked, "its name")
    await a_while()
    assert [tab.closed for tab in (first, second, back)] == [MADE_WAY, None, 503]
    second.abort()
    await second.task
    back = Tab(asked, "its name")
    await a_while()
    assert back.closed is None
