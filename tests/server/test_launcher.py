"""The launcher's process: what it answers, whom it refuses, what it counts and logs, how it starts and stops."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from types import SimpleNamespace
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from attention_core import load_gallery
from attention_lab.root import version
from attention_lab.server.headers import headers
from attention_lab.server.settings import Settings
from tests.browser.harness import AppServer
from tests.server.harness import PAGE, Host, ask, until, upload_headers, upload_path, watch_connections
from tools.training.gallery import shipped_folder
from tools.websocket_client import PROTOCOLS, WebSocketClient

SETTINGS = {
    "hosts": "127.0.0.1",
    "origins": "https://learn.example.org",
    "sessions": 2,
    "message_rate": 5,
    "message_burst": 2,
    "upload_megabytes": 0,
    "rooms": 1,
    "room_members": 1,
    "room_leader_codes": "slate,chalk",
}


@pytest.fixture(scope="module")
def chosen():
    """A server with settings of its own, among them a real model."""
    with Host(model=shipped_folder(), **SETTINGS) as running:
        yield running
        assert running.faults() == ""


def stream(host, **more):
    """Open a bare session."""
    address = f"ws://{urlsplit(host.url).netloc}/_stcore/stream"
    return connect(address, subprotocols=PROTOCOLS, max_size=None, **more)


async def test_session_and_its_runs_are_counted(host):
    await until(lambda: not host.metrics()["sessions"])
    before = host.metrics()
    async with WebSocketClient(host.url) as reader:
        assert (await reader.open("similarity")).errors == []
        assert (await reader.drag()).errors == []
        assert reader.stage["version"] == 1
        # a run is counted when its thread ends, a moment after its last message has arrived
        await until(lambda: host.metrics()["rerun_seconds_count"] - before["rerun_seconds_count"] >= 2)
        after = host.metrics()
    assert after["sessions"] == 1
    assert after["rerun_seconds_count"] - before["rerun_seconds_count"] == 2
    assert after["sessions_opened_total"] - before["sessions_opened_total"] == 1


def test_requests_nobody_needs_are_refused_and_counted(host):
    requests = [
        ("/_stcore/upload_file/a/b", "PUT", {}, 405, "method"),
        (upload_path(str(uuid4())), "GET", {}, 405, "method"),
        (upload_path(str(uuid4())) + "/more", "PUT", {}, 405, "method"),
        ("/_stcore/agent/interact", "POST", {}, 405, "method"),
        ("/", "POST", {}, 405, "method"),
        ("/_stcore/agent/openapi.json", "GET", {}, 404, "address"),
        ("/_stcore/metrics", "GET", {}, 404, "address"),
        ("/_stcore/script-health-check", "GET", {}, 404, "address"),
        ("/similarity?" + "a" * Settings().address_length, "GET", PAGE, 414, "long address"),
        ("/_stcore/health", "GET", {"Origin": "https://elsewhere.example"}, 403, "origin"),
        ("/_stcore/host-config", "GET", {"Origin": "https://elsewhere.example"}, 403, "origin"),
        *(("/", "GET", {"Origin": origin}, 403, "origin") for origin in ("null", "http://[", "http://a:b:c")),
    ]
    for path, method, more, status, reason in requests:
        name = f'refused_total{{reason="{reason}"}}'
        before = host.metrics().get(name, 0)
        assert ask(host, path, method, **more)[0] == status, path
        assert host.metrics()[name] == before + 1, path


def test_every_answer_carries_the_security_headers_once(host):
    requests = [
        ("/", "GET", PAGE),
        ("/health", "GET", {}),
        ("/_stcore/host-config", "GET", {}),
        ("/static/js/none.js", "GET", {}),
        ("/media/none.png", "GET", {}),
        ("/", "DELETE", {}),
        ("//elsewhere.example/..", "GET", {}),
        ("/similarity/", "GET", PAGE),
    ]
    for path, method, more in requests:
        _, found, _ = ask(host, path, method, **more)
        names = [name for name, _ in found]
        for name, value in headers(Settings().embed).items():
            assert names.count(name) == 1, path
            assert dict(found)[name] == value, path
        assert "server" not in names


def test_server_answers_to_its_own_names_only(chosen):
    assert ask(chosen, Host="127.0.0.1:1")[0] == 200
    assert ask(chosen, Host="elsewhere.example")[0] == 421


async def test_page_of_another_site_gets_no_session(chosen):
    async with stream(chosen, additional_headers={"Origin": chosen.url}) as session:
        assert session.response.status_code == 101
    elsewhere = ["https://elsewhere.example", "null", "http://127.0.0.1:1", "https://learn.example.org.evil"]
    for origin in elsewhere:
        with pytest.raises(InvalidStatus, match="403"):
            await stream(chosen, additional_headers={"Origin": origin})


async def test_nothing_is_uploaded_where_the_setting_is_zero(chosen):
    before = chosen.metrics().get('refused_total{reason="needless message"}', 0)
    async with WebSocketClient(chosen.url) as reader:
        await reader.open("similarity")
        status, found, _ = ask(chosen, upload_path(reader.session), "PUT", b"a", **upload_headers(chosen))
        assert (status, dict(found)["allow"]) == (405, "GET, HEAD")
        request = BackMsg(file_urls_request={"request_id": "a", "file_names": ["b"]})
        await reader.socket.send(request.SerializeToString())
        name = 'refused_total{reason="needless message"}'
        await until(lambda: chosen.metrics().get(name, 0) == before + 1)
    await until(lambda: not chosen.metrics()["sessions"])


async def test_full_server_says_so_in_words(chosen):
    await until(lambda: not chosen.metrics()["sessions"])
    async with stream(chosen), stream(chosen):
        status, found, body = ask(chosen, **PAGE)
        with pytest.raises(InvalidStatus, match="503"):
            await stream(chosen)
        assert ask(chosen, "/_stcore/host-config")[0] == 200, "what is open goes on"
        assert chosen.health()[0] == 200
    assert status == 503
    assert dict(found)["retry-after"] == "5"
    assert b"The server is full" in body
    await until(lambda: not chosen.metrics()["sessions"])
    assert {ask(chosen, **PAGE)[0] for _ in range(20)} == {200}, "a page alone takes no seat"
    assert not chosen.lines_from("uvicorn.error"), "who is asked to wait is no error"


def test_health_and_log_name_the_real_model(chosen):
    assert chosen.health()[1]["model"] == "model"
    line = next(line for line in chosen.lines() if line["event"] == "model")
    assert (line["architecture"], line["sha256"]) == ("bert", load_gallery().record["sha256"])


@asynccontextmanager
async def member(host, room, message, **headers):
    url = f"{host.url.replace('http', 'ws')}/room?room={room}"
    async with connect(url, additional_headers={"Origin": host.url} | headers) as member:
        await member.send(json.dumps(message))
        yield member


async def test_rooms_open_within_the_settings(chosen):
    async def turned_away(room, **message):
        async with member(chosen, room, {"seat": "2" * 32} | message) as late:
            with pytest.raises(ConnectionClosed) as closed:
                await late.recv()
            return closed.value.rcvd.reason

    async with member(chosen, "blue-fox", {"do": "open", "seat": "0" * 32, "code": "chalk"}) as teacher:
        assert json.loads(await teacher.recv())["leads"]
        assert chosen.metrics()["room_members"] == 1
        async with member(chosen, "blue-fox", {"do": "join", "seat": "1" * 32}) as student:
            assert not json.loads(await student.recv())["leads"]
            reasons = await asyncio.gather(
                turned_away("blue-fox", do="join"),
                turned_away("red-fox", do="open", code="chalk"),
                turned_away("red-fox", do="open"),
            )
            assert reasons == ["full", "rooms", "code"]
            await teacher.send(json.dumps({"do": "freeze", "on": True}))
            async with asyncio.timeout(60):
                while json.loads(await student.recv()).get("frozen") is not True:
                    pass
    with pytest.raises(InvalidStatus, match="403"):
        async with member(chosen, "blue-fox", {}, Origin="https://elsewhere.example"):
            pass
    assert "chalk" not in chosen.output()
    assert "blue-fox" not in chosen.output(), "no room is named in the log"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A server for every network, observed from its start to its end; its model folder holds none."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "pytorch_model.bin").write_bytes(b"pickled")
    host = Host(address="0.0.0.0", model=folder, warm_up=1)
    seen = SimpleNamespace(host=host, health=[], pages=[])

    def healthy():
        with suppress(OSError):
            seen.health.append(host.health())
            if seen.health[-1][0] == 503:
                seen.pages.append((ask(host, **PAGE)[0], host.health()[0]))
        return bool(seen.health) and seen.health[-1][0] == 200

    async def visit():
        marks = {"User-Agent": "marker-agent", "Cookie": "a=marker-cookie"}
        ask(host, "/similarity?word=marker-query", **PAGE, **marks)
        with pytest.raises(InvalidStatus):
            await stream(host, additional_headers={"Origin": "https://marker-origin.example"})
        async with WebSocketClient(host.url, cookie="a=marker-cookie") as reader:
            await reader.open("similarity", "word=marker-query&words=marker-word")
            async with stream(host) as bad:
                await bad.send(b"\xff")
                await asyncio.wait_for(bad.wait_closed(), 60)
            host.process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(reader.socket.wait_closed(), 60)
            seen.close_code = reader.socket.close_code

    host.healthy = healthy
    try:
        host.start(timeout=180)
        asyncio.run(visit())
        seen.exit_code = host.process.wait(60)
    finally:
        host.stop()
    seen.events = {line["event"]: line for line in host.lines()}
    return seen


def test_server_is_not_ready_until_every_page_is_warm(stopped):
    assert stopped.health[0] == (503, {"ready": False, "state": "starting", "version": version()})
    assert stopped.health[-1] == (200, {"ready": True, "state": "ready", "version": version()})
    assert all(page == 503 or health == 200 for page, health in stopped.pages)


def test_server_for_every_network_logs_the_address_that_others_open(host, stopped):
    address = urlsplit(stopped.events["ready"]["open"])
    assert address.port == stopped.host.port
    assert ip_address(address.hostname).version == 4
    assert not [line for line in host.lines() if "open" in line], "this one is for its own machine"


def test_folder_without_a_model_is_named_in_the_log_and_the_server_goes_on(stopped):
    (line,) = [line for event, line in stopped.events.items() if event.startswith("the model cannot be used")]
    assert "pytorch_model.bin" in line["why"]


def test_nothing_personal_is_logged(stopped):
    assert {"starting", "ready", "stopping"} <= set(stopped.events)
    output = stopped.host.output()
    assert "marker-" not in output
    assert "127.0.0.1:" not in output


def test_server_stops_politely(stopped):
    assert stopped.close_code == 1012, "the browser is told to come again"
    assert stopped.exit_code == 0


def test_watch_sees_a_connection(tmp_path):
    server = AppServer()
    reached = watch_connections(server, tmp_path)
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    subprocess.run([sys.executable, "-c", code], env=server.environment, check=True)
    assert "192.0.2.1" in str(reached())


# What the launcher has begun by the time it finds its port taken.
COUNT = """
import contextlib, os, runpy, socket, sys
taken = socket.create_server(("127.0.0.1", 0))
sys.argv = ["attention_lab.server", "--address", "127.0.0.1", "--port", str(taken.getsockname()[1])]
sys.argv += ["--upload-megabytes", "7"]
with contextlib.suppress(SystemExit):
    runpy.run_module("attention_lab.server", run_name="__main__")
threads = [open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task")]
import streamlit
print(streamlit.get_option("server.maxUploadSize"))
# The allocator of pyarrow keeps a thread of its own, which sleeps; NumPy's threads are called as the process is.
print("numpy" in sys.modules, len([name for name in threads if not name.startswith("jemalloc")]))
"""


@pytest.fixture(scope="module")
def begun():
    """What `COUNT` prints."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    ran = subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True)
    assert not ran.returncode, ran.stderr
    return ran.stdout.splitlines()


def test_numpy_takes_no_processor_from_other_readers(begun):
    assert begun[-1] == "True 1"


def test_pages_are_told_how_large_a_file_may_be(begun):
    assert begun[-2] == "7"
