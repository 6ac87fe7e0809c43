"""Files that readers open: what arrives at the real server, and how uploads take turns before one that waits."""

import asyncio
import gc
from uuid import uuid4

import pytest
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attention_lab import streamlit_internals
from attention_lab.server.metrics import Metrics
from attention_lab.server.settings import Settings
from attention_lab.server.uploads import (
    AT_ONCE,
    FRAME,
    MEGABYTE,
    PATIENCE,
    Uploads,
    keep_off_the_disk,
    largest_body,
)
from tests.server.harness import as_form, ask, until, upload_headers, upload_path
from tools.websocket_client import WebSocketClient

SMALL = b"a" * 100


@pytest.fixture
def marks(host):
    """The headers of an upload."""
    return upload_headers(host)


async def asked_path(reader):
    """Return the address that the server names for a file, as the browser asks for it."""
    request = BackMsg(file_urls_request={"request_id": "a", "file_names": ["marker.npz"]})
    await reader.socket.send(request.SerializeToString())
    async with asyncio.timeout(60):
        while not (urls := ForwardMsg.FromString(await reader.socket.recv()).file_urls_response.file_urls):
            pass
    return urls[0].upload_url


def put(host, path, content, marks):
    return ask(host, path, "PUT", as_form(content), **marks)[0]


def in_memory(host):
    return host.metrics()["uploaded_bytes"]


async def test_file_arrives_and_is_gone_with_the_next_one_and_with_its_reader(host, marks):
    before = host.metrics()["uploads_total"]
    async with WebSocketClient(host.url) as reader:
        await reader.open("similarity")
        first = await asked_path(reader)
        assert streamlit_internals.upload_names(first)[0] == reader.session
        assert put(host, first, b"a" * 3 * MEGABYTE, marks) == 204
        assert in_memory(host) == 3 * MEGABYTE
        second = await asked_path(reader)
        assert put(host, second, SMALL, marks) == 204
        assert in_memory(host) == len(SMALL), "one file of a session"
        assert ask(host, second, "DELETE", **marks)[0] == 204
        assert in_memory(host) == 0
        assert put(host, await asked_path(reader), SMALL, marks) == 204
        assert host.metrics()["uploads_total"] == before + 3
    await until(lambda: in_memory(host) == 0)
    assert "marker" not in host.output(), "the log names no file"


async def test_largest_file_arrives_and_a_larger_one_does_not(host, marks):
    most = Settings().upload_megabytes * MEGABYTE
    async with WebSocketClient(host.url) as reader:
        await reader.open("similarity")
        assert put(host, upload_path(reader.session), b"a" * most, marks) == 204
        assert put(host, upload_path(reader.session), b"a" * (most + FRAME), marks) == 413
        assert in_memory(host) == most, "what was there before is kept"
    await until(lambda: in_memory(host) == 0)


async def test_upload_that_nobody_needs_is_refused_before_it_is_read(host, marks):
    """Nothing but the headers is sent."""
    short = {"Content-Length": "100"}
    async with WebSocketClient(host.url) as reader:
        await reader.open("similarity")
        own = upload_path(reader.session)
        requests = [
            ("no length", 411, own, {"Content-Length": "0"}),
            ("no length", 411, own, {"Transfer-Encoding": "chunked"}),
            ("no length", 411, own, short | {"Transfer-Encoding": "chunked"}),
            ("large file", 413, own, {"Content-Length": str(largest_body(Settings()) + 1)}),
            ("closed session", 400, upload_path(str(uuid4())), short),
            ("origin", 403, own, short | {"Origin": "https://elsewhere.example"}),
            ("file", 403, own, short | {"X-Xsrftoken": "forged"}),
        ]
        for reason, status, path, more in requests:
            name = f'refused_total{{reason="{reason}"}}'
            before = host.metrics().get(name, 0)
            answer = ask(host, path, "PUT", **marks | more)
            assert answer[0] == status, reason
            assert host.metrics()[name] == before + 1, reason
        assert ask(host, own, "PUT", b"--b\r\nno: form\rof\nfiles", **marks)[0] == 400
        assert not host.lines_from("python_multipart.multipart"), "it would log a character of it"
        assert ask(host, own, "DELETE", **marks | {"X-Xsrftoken": "forged"})[0] == 403
        status, found, text = ask(host, own, "POST", **marks)
        assert (status, dict(found)["allow"]) == (405, "PUT, DELETE")
        assert b"PUT, DELETE" in text
    assert in_memory(host) == 0


async def test_session_that_has_ended_gets_no_file(host, marks):
    async with WebSocketClient(host.url) as reader:
        await reader.open("similarity")
    await until(lambda: not host.metrics()["sessions"])
    assert put(host, upload_path(reader.session), SMALL, marks) == 400
    assert in_memory(host) == 0


@pytest.mark.parametrize(("megabytes", "is_on_disk"), [(1, True), (3, False)])
async def test_file_is_read_without_a_temporary_one(monkeypatch, megabytes, is_on_disk):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    keep_off_the_disk(Settings(upload_megabytes=megabytes))

    async def receive():
        return {"type": "http.request", "body": as_form(b"a" * 2 * MEGABYTE), "more_body": False}

    headers = [(b"content-type", b"multipart/form-data; boundary=b")]
    async with Request({"type": "http", "headers": headers}, receive).form() as form:
        (uploaded,) = form.values()
        assert uploaded.file._rolled is is_on_disk


# ---- turns, deadlines and room, in simulated time ----


class Session:
    """What stands for a session."""


class Sender:
    """A client that sends a file: as much of it as `come` is told, and the rest never."""

    def __init__(self, uploads, session, address="here", length=MEGABYTE):
        self.pieces, self.status, self.headers, self.session = asyncio.Queue(), None, {}, session
        headers = [(b"content-length", str(length).encode())]
        scope = {"type": "http", "method": "PUT", "path": upload_path(session.name), "headers": headers}
        self.task = asyncio.create_task(uploads.serve(scope, self.pieces.get, self._hear, address))

    async def _hear(self, message):
        if "status" in message:
            self.status = message["status"]
            self.headers = dict(message["headers"])

    def come(self, *, last=True):
        self.pieces.put_nowait({"type": "http.request", "body": b"a", "more_body": not last})

    def leave(self):
        self.pieces.put_nowait({"type": "http.disconnect"})


class Streamlit:
    """A server that reads a file to its end and takes it, or answers with another `status`."""

    def __init__(self):
        self.reading, self.status = [], 204

    async def __call__(self, scope, receive, send):
        self.reading.append(scope["path"])
        try:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                more = message["more_body"]
        finally:
            self.reading.remove(scope["path"])
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def uploads(simulated_time, monkeypatch):
    """A function that stands before a new `Streamlit`; `uploads.open()` opens a session."""
    sessions = {}

    def open_session():
        session = Session()
        session.name = str(uuid4())
        sessions[session.name] = session
        return session

    def refuse(reason, status, headers=None, **names):
        metrics.count("refused", reason)
        return PlainTextResponse(reason, status, headers)

    def before(app, **settings):
        asked = Uploads(app, Settings(**settings), metrics, refuse)
        asked.open, asked.close = open_session, lambda session: sessions.pop(session.name)
        return asked

    metrics = Metrics(int, 1)
    monkeypatch.setattr(streamlit_internals, "open_session", sessions.get)
    monkeypatch.setattr(streamlit_internals, "keep_last_upload", lambda session, file: None)
    return before


async def rounds():
    for _ in range(50):
        await asyncio.sleep(0)


async def test_few_files_are_sent_at_a_time_and_one_address_leaves_room_for_others(uploads):
    app = Streamlit()
    asked = uploads(app)
    own = [Sender(asked, asked.open()) for _ in range(AT_ONCE[0])]
    await rounds()
    assert len(app.reading) == AT_ONCE[1] < AT_ONCE[0]
    others = [Sender(asked, asked.open(), f"there {k}") for k in range(AT_ONCE[0])]
    await rounds()
    assert len(app.reading) == AT_ONCE[0]
    for sender in (*own, *others):
        sender.come()
    await asyncio.gather(*(sender.task for sender in (*own, *others)))
    assert {sender.status for sender in (*own, *others)} == {204}
    assert asked.metrics.counted("uploads") == len(own) + len(others)


async def test_file_whose_turn_does_not_come_is_told_to_come_again(uploads):
    asked = uploads(Streamlit(), idle_seconds=int(10 * PATIENCE))
    first, second, third = [Sender(asked, asked.open()) for _ in range(AT_ONCE[1] + 1)]
    await third.task
    assert third.status == 503
    assert third.headers[b"retry-after"]
    for sender in (first, second):
        sender.come()
        await sender.task
        assert sender.status == 204
    again = Sender(asked, third.session)
    again.come()
    await again.task
    assert again.status == 204, "who was told to wait holds no place"


async def test_session_sends_one_file_at_a_time_and_one_may_wait(uploads):
    app = Streamlit()
    asked = uploads(app)
    session = asked.open()
    first, second = Sender(asked, session), Sender(asked, session)
    await rounds()
    assert len(app.reading) == 1
    third = Sender(asked, session)
    await rounds()
    assert third.status == 503, "at once"
    first.leave()
    second.come()
    await second.task
    assert (first.status, second.status) == (None, 204)
    assert asked.metrics.counted("refused", "gone") == 1


async def test_body_that_stops_is_cut_off(uploads):
    app = Streamlit()
    asked = uploads(app)
    sender = Sender(asked, asked.open())
    sender.come(last=False)
    await sender.task
    assert (sender.status, sender.headers[b"connection"]) == (408, b"close")
    assert app.reading == []
    assert asked.metrics.counted("refused", "slow file") == 1


async def test_body_that_trickles_is_cut_off(uploads):
    asked = uploads(Streamlit())
    sender = Sender(asked, asked.open())
    for _ in range(100):
        sender.come(last=False)
        await asyncio.sleep(Settings().idle_seconds / 2)
    assert sender.status == 408


async def test_file_that_has_arrived_may_take_long_to_read(uploads):
    async def app(scope, receive, send):
        await receive()
        await asyncio.sleep(1000)
        await PlainTextResponse("", 204)(scope, receive, send)

    asked = uploads(app)
    sender = Sender(asked, asked.open())
    sender.come()
    await sender.task
    assert sender.status == 204


async def send_file(asked, session, address, megabytes):
    sender = Sender(asked, session, address, megabytes * MEGABYTE)
    sender.come()
    await sender.task
    return sender.status


async def test_files_of_all_open_sessions_have_a_limit_and_those_of_an_address_half(uploads):
    asked = uploads(Streamlit(), upload_megabytes=4, upload_megabytes_in_all=8)
    sessions = [asked.open() for _ in range(4)]
    assert await send_file(asked, sessions[0], "here", 2) == 204
    assert await send_file(asked, sessions[0], "here", 2) == 204, "in place of the first"
    assert await send_file(asked, sessions[1], "here", 3) == 503
    assert await send_file(asked, sessions[1], "here", 2) == 204
    assert await send_file(asked, sessions[2], "there", 4) == 204
    assert await send_file(asked, sessions[3], "elsewhere", 1) == 503
    assert asked.metrics.counted("refused", "no room for file") == 2
    asked.close(sessions.pop())
    asked.close(sessions.pop())
    gc.collect()
    assert await send_file(asked, asked.open(), "elsewhere", 1) == 204, "a session that is gone holds nothing"


async def test_file_that_does_not_arrive_takes_no_room(uploads):
    app = Streamlit()
    asked = uploads(app, upload_megabytes=4, upload_megabytes_in_all=8)
    session = asked.open()
    app.status = 400
    assert await send_file(asked, session, "here", 3) == 400
    assert asked.metrics.counted("refused", "file") == 1
    leaving = Sender(asked, session, length=3 * MEGABYTE)
    leaving.leave()
    await leaving.task
    app.status = 204
    assert await send_file(asked, session, "here", 4) == 204
