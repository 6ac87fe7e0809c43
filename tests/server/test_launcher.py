"""The launcher's process: what it answers, whom it refuses, what it counts and writes down, how it stops."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from attention_core import load_gallery
from attention_lab.server.headers import headers
from attention_lab.server.server import version
from attention_lab.server.settings import Settings
from tests.browser.harness import AppServer
from tests.server.harness import PAGE, Host, Opened, ask, wait_until
from tests.visit import NAMES
from tests.websocket_client import PROTOCOLS, WebSocketClient
from tools.training.gallery import shipped_folder


def stream(host, **more):
    """Open a bare session."""
    address = f"ws://{urlsplit(host.url).netloc}/_stcore/stream"
    return connect(address, subprotocols=PROTOCOLS, max_size=None, **more)


def test_it_is_not_ready_until_every_page_is_warm():
    host = Host(warm_up=2)
    host.process = subprocess.Popen(host.command, env=host.environment, stdout=subprocess.DEVNULL)
    try:
        seen, end = [], time.monotonic() + 180
        while time.monotonic() < end and (not seen or not seen[-1][1]["ready"]):
            try:
                seen.append(host.health())
            except OSError:
                time.sleep(0.02)
            else:
                if not seen[-1][1]["ready"]:
                    assert ask(host, **PAGE)[0] == 503 or host.health()[1]["ready"]
    finally:
        host.process.terminate()
        host.process.wait(10)
    assert seen[0] == (503, {"ready": False, "state": "starting", "version": version()})
    assert seen[-1] == (200, {"ready": True, "state": "ready", "version": version()})


def test_a_reader_opens_every_page_and_drags(host, run):
    before = host.metrics()

    async def read():
        reruns = 0
        async with WebSocketClient(host.url) as reader:
            for name in ["", *NAMES]:
                assert (await reader.open(name)).errors == []
                reruns += 1
                if reader.can_drag:
                    version = reader.stage["version"]
                    assert (await reader.drag()).errors == []
                    assert reader.stage["version"] == version + 1
                    reruns += 1
            assert host.metrics()["sessions"] == 1
        return reruns

    reruns = run(read())
    after = host.metrics()
    assert after["rerun_seconds_count"] - before["rerun_seconds_count"] == reruns
    assert after["sessions_opened_total"] - before["sessions_opened_total"] == 1


@pytest.mark.parametrize(
    ("path", "method", "more", "status", "reason"),
    [
        ("/_stcore/upload_file/a/b", "PUT", {}, 405, "method"),
        ("/_stcore/agent/interact", "POST", {}, 405, "method"),
        ("/", "POST", {}, 405, "method"),
        ("/_stcore/agent/openapi.json", "GET", {}, 404, "address"),
        ("/_stcore/metrics", "GET", {}, 404, "address"),
        ("/_stcore/script-health-check", "GET", {}, 404, "address"),
        ("/similarity?" + "a" * Settings().address_length, "GET", PAGE, 414, "long address"),
        ("/_stcore/health", "GET", {"Origin": "https://elsewhere.example"}, 403, "origin"),
        ("/", "GET", {"Origin": "null"}, 403, "origin"),
    ],
)
def test_what_nobody_needs_is_refused_and_counted(host, path, method, more, status, reason):
    name = f'refused_total{{reason="{reason}"}}'
    before = host.metrics().get(name, 0)
    assert ask(host, path, method, **more)[0] == status
    assert host.metrics()[name] == before + 1


def test_an_address_of_ten_thousand_characters_opens_its_page(host):
    status, _, body = ask(host, "/similarity?words=" + "a" * 10_000, **PAGE)
    assert status == 200
    assert b'<div id="root">' in body


@pytest.mark.parametrize(
    ("path", "method", "more"),
    [
        ("/", "GET", PAGE),
        ("/health", "GET", {}),
        ("/_stcore/host-config", "GET", {}),
        ("/static/js/none.js", "GET", {}),
        ("/media/none.png", "GET", {}),
        ("/", "DELETE", {}),
        ("//elsewhere.example/..", "GET", {}),
        ("/similarity/", "GET", PAGE),
    ],
)
def test_every_answer_carries_the_security_headers_once(host, path, method, more):
    _, found, _ = ask(host, path, method, **more)
    names = [name for name, _ in found]
    for name, value in headers(Settings().embed).items():
        assert names.count(name) == 1
        assert dict(found)[name] == value
    assert "server" not in names


def test_the_metrics_are_not_on_the_readers_port(host):
    assert b"attention_lab_sessions" not in ask(host, "/metrics")[2]


def test_it_answers_to_its_own_names_only():
    with Host(hosts="127.0.0.1") as host:
        assert ask(host, Host="127.0.0.1:1")[0] == 200
        assert ask(host, Host="elsewhere.example")[0] == 421


def test_another_sites_page_gets_no_session_unless_it_is_named(run):
    async def opened(host, origin):
        async with stream(host, additional_headers={"Origin": origin}) as socket:
            return socket.response.status_code

    with Host(origins="https://learn.example.org") as host:
        assert run(opened(host, host.url)) == 101
        for origin in (
            "https://elsewhere.example",
            "null",
            "http://127.0.0.1:1",
            "https://learn.example.org.evil",
        ):
            with pytest.raises(InvalidStatus, match="403"):
                run(opened(host, origin))


def test_a_full_house_is_said_in_words(run):
    async def fill(host):
        async with stream(host), stream(host):
            answer = ask(host, **PAGE)
            with pytest.raises(InvalidStatus, match="503"):
                await stream(host)
            assert ask(host, "/_stcore/host-config")[0] == 200, "what is open goes on"
            assert host.health()[0] == 200
        return answer

    with Host(sessions=2) as host:
        status, found, body = run(fill(host))
        assert status == 503
        assert dict(found)["retry-after"] == "5"
        assert b"The server is full" in body
        wait_until(lambda: not host.metrics()["sessions"])
        assert {ask(host, **PAGE)[0] for _ in range(20)} == {200}, "a page alone takes no seat"
        assert not host.lines_from("uvicorn.error"), "who is asked to wait is no error"


BAD_FRAMES = {
    "no message of Streamlit's": (b"\xff" * 50, 1002),
    "too long": (b"\0" * (Settings().message_size + 1), 1009),
    "text": ("hello", 1002),
}


@pytest.mark.parametrize("what", BAD_FRAMES)
def test_a_bad_frame_ends_its_own_session_only(host, run, what):
    frame, code = BAD_FRAMES[what]

    async def send():
        async with WebSocketClient(host.url) as reader, stream(host) as bad:
            await reader.open("similarity")
            await bad.send(frame)
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(bad.recv(), 10)
            assert bad.close_code == code
            assert (await reader.drag()).errors == []

    run(send())


@pytest.mark.parametrize(
    "text", ["[" * 30_000, '{"pose": ' + "9" * 5000 + "}", "{", '{"pose": {"a":' * 20 + "1" + "}}" * 20]
)
def test_json_that_nobody_can_read_ends_its_own_session_only(host, run, text):
    async def send():
        async with WebSocketClient(host.url) as reader, WebSocketClient(host.url) as bad:
            await reader.open("similarity")
            await bad.open("similarity")
            message = bad.message({})
            message.rerun_script.widget_states.widgets[0].json_value = text
            with pytest.raises(ConnectionClosed):
                await bad.ask(message, 10)
            assert bad.socket.close_code == 1002
            assert (await reader.drag()).errors == []

    run(send())


def test_who_sends_too_much_waits_and_the_others_do_not(run):
    async def send(host):
        async with WebSocketClient(host.url) as reader, WebSocketClient(host.url, close_timeout=0) as bad:
            await reader.open("similarity")
            await bad.open("similarity")
            for _ in range(10):
                await bad.socket.send(bad.message().SerializeToString())
            assert (await reader.drag()).errors == []
            assert (await bad.ask(bad.message(), 30)).errors == []

    with Host(message_rate=5, message_burst=2) as host:
        run(send(host))
        assert host.metrics()["delayed_total"] > 0


def test_nothing_of_a_person_is_written_down(run):
    marks = ["marker-query", "marker-agent", "marker-cookie", "marker-origin", "marker-word", "127.0.0.1:"]

    async def leave_marks(host):
        asked = {"User-Agent": "marker-agent", "Cookie": "a=marker-cookie"}
        ask(host, "/similarity?word=marker-query", **PAGE, **asked)
        with pytest.raises(InvalidStatus):
            await stream(host, additional_headers={"Origin": "https://marker-origin.example"})
        async with WebSocketClient(host.url, cookie="a=marker-cookie") as reader:
            await reader.open("similarity", "word=marker-query&words=marker-word")
            await reader.socket.send(b"\xff")

    with Host() as host:
        run(leave_marks(host))
        host.process.send_signal(signal.SIGTERM)
        host.process.wait(20)
        said = host.output()
        events = [line["event"] for line in host.lines()]
    assert not [mark for mark in marks if mark in said]
    assert {"starting", "ready", "stopping"} <= set(events)


def test_it_stops_politely(run):
    async def wait_for_the_end(host):
        async with WebSocketClient(host.url) as reader:
            await reader.open("similarity")
            host.process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(reader.socket.wait_closed(), 15)
            return reader.socket.close_code

    with Host() as host:
        assert run(wait_for_the_end(host)) == 1012, "the browser is told to come again"
        assert host.process.wait(20) == 0


# Put before the launcher's own start: writes down every connection it tries to make.
WATCH = """
import sys, os
def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        with open(os.environ["WATCH_FILE"], "a") as file:
            print(event, arguments[1:] if event.startswith("socket.c") else arguments, file=file)
sys.addaudithook(watch)
"""


@pytest.mark.parametrize("way", [Host, AppServer, Opened])
def test_the_server_asks_no_other_host(tmp_path, run, way):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    found = tmp_path / "reached.txt"
    found.touch()
    host = way()
    host.environment = (host.environment or os.environ) | {"PYTHONPATH": str(tmp_path), "WATCH_FILE": str(found)}

    async def read():
        async with WebSocketClient(host.url) as reader:
            for name in ["", *NAMES]:
                await reader.open(name)
        with pytest.raises(InvalidStatus):  # Streamlit by itself would ask the world for its own address
            await stream(host, additional_headers={"Origin": "https://elsewhere.example"})
        ask(host, "/_stcore/host-config", Origin="https://elsewhere.example")

    with host:
        run(read())
    reached = found.read_text().splitlines()
    assert [line for line in reached if not re.search(r"'(127\.0\.0\.1|::1|localhost)'|\(None", line)] == []


def test_the_watch_sees_a_request(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    found = tmp_path / "reached.txt"
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    environment = {"PYTHONPATH": str(tmp_path), "WATCH_FILE": str(found)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert "192.0.2.1" in found.read_text()


def test_a_bad_setting_ends_with_a_sentence():
    ended = subprocess.run(
        [sys.executable, "-m", "attention_lab.server", "--sessions", "none"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "--sessions: 'none' is not a whole number" in ended.stderr


# What the launcher has begun by the time it finds its port taken.
COUNT = """
import contextlib, os, runpy, socket, sys
taken = socket.create_server(("127.0.0.1", 0))
sys.argv = ["attention_lab.server", "--address", "127.0.0.1", "--port", str(taken.getsockname()[1])]
with contextlib.suppress(SystemExit):
    runpy.run_module("attention_lab.server", run_name="__main__")
threads = [open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task")]
# The allocator of pyarrow keeps a thread of its own, which sleeps; NumPy's threads are called as the process is.
print("numpy" in sys.modules, len([name for name in threads if not name.startswith("jemalloc")]))
"""


def test_numpy_takes_no_processor_from_other_readers():
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    ran = subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "True 1", ran.stderr


def test_a_slow_beginning_holds_nobody_up(host, run):
    """A connection that never finishes its request, and one that never says anything, cost a socket each."""
    slow = [socket.create_connection(("127.0.0.1", host.port)) for _ in range(50)]
    for each in slow[::2]:
        each.sendall(b"GET / HTTP/1.1\r\nHost:")
    try:

        async def read():
            async with WebSocketClient(host.url) as reader:
                assert (await reader.open("similarity")).errors == []

        run(read())
    finally:
        for each in slow:
            each.close()


def test_health_and_log_say_which_real_model_readers_may_ask():
    with Host(model=shipped_folder()) as host:
        assert host.health()[1]["model"] == "model"
        line = next(line for line in host.lines() if line["event"] == "model")
        assert (line["architecture"], line["sha256"]) == ("bert", load_gallery().record["sha256"])


def test_a_folder_that_is_no_model_is_said_in_the_log_and_the_server_goes_on(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickled")
    with Host(model=tmp_path) as host:
        status, health = host.health()
        assert (status, "model" in health) == (200, False)
        line = next(line for line in host.lines() if line["event"].startswith("the model cannot be used"))
        assert "pytorch_model.bin" in line["why"]


def test_a_server_of_every_network_logs_the_address_that_others_open():
    with Host(address="0.0.0.0") as host:
        (ready,) = [line for line in host.lines() if line["event"] == "ready"]
    address = urlsplit(ready["open"])
    assert address.port == host.port
    assert ip_address(address.hostname).version == 4
    with Host() as alone:
        (ready,) = [line for line in alone.lines() if line["event"] == "ready"]
    assert "open" not in ready
