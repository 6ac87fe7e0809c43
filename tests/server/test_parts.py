"""The server's parts by themselves: settings, metrics, log, headers, memory."""

import asyncio
import contextlib
import gc
import json
import logging
import re
import socket
import threading
import urllib.request
from http.client import RemoteDisconnected
from pathlib import Path

import pytest
import uvicorn
from prometheus_client.parser import text_string_to_metric_families

from attention_lab import streamlit_internals
from attention_lab.server import heap, log, settings, static_files
from attention_lab.server.capacity import Addresses
from attention_lab.server.connections import Bounds
from attention_lab.server.gateway import host_of
from attention_lab.server.headers import policy
from attention_lab.server.metrics import BOUNDS, Metrics, publish
from attention_lab.server.origin import network_location
from attention_lab.server.server import configure, listen
from attention_lab.server.settings import Settings, read
from lab import ROOT
from tests.server.harness import Clock


def test_option_wins_over_the_environment_and_that_over_the_default():
    given = read(["--sessions", "20"], {"ATTENTION_LAB_SESSIONS": "30", "ATTENTION_LAB_MESSAGE_RATE": "7"})
    assert (given.sessions, given.message_rate, given.port) == (20, 7, Settings().port)


def test_lists_are_written_with_commas():
    assert read(["--hosts", "lab.example.org, localhost,"], {}).hosts == ("lab.example.org", "localhost")


def test_wrong_setting_is_named(capsys):
    wrong = [
        (["--sessions", "many"], {}, "--sessions: 'many' is not a whole number"),
        (["--sessions", "0"], {}, "--sessions"),
        ([], {"ATTENTION_LAB_PORT": "-1"}, "ATTENTION_LAB_PORT"),
        (["--seats", "3"], {}, "--seats"),
    ]
    for arguments, environment, named in wrong:
        with pytest.raises(SystemExit):
            read(arguments, environment)
        assert named in capsys.readouterr().err


def test_table_of_settings_is_in_the_deploy_readme():
    assert settings.table() in (ROOT / "deploy" / "README.md").read_text("utf-8")


def test_reference_cycles_are_collected_periodically_only():
    before = gc.get_threshold()
    found, released = [], []

    class Ring:
        def __init__(self):
            self.itself = self

        def __del__(self):
            found.append(self)

    async def day():
        tending = asyncio.create_task(heap.collect_periodically(0.01, lambda: released.append("a")))
        async with asyncio.timeout(5):
            while not found:
                await asyncio.sleep(0.01)
        tending.cancel()

    try:
        heap.freeze_heap()
        Ring()
        assert gc.get_threshold()[2] > 100_000
        assert not found
        asyncio.run(day())
        assert released
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_prometheus_reads_the_metrics():
    metrics = Metrics(lambda: 3, 300, uploaded=lambda: 7)
    for seconds in (0.005, 0.01, 0.2, 7):
        metrics.rerun(seconds)
    metrics.count("refused", "full")
    metrics.count("refused", "full")
    families = {family.name: family for family in text_string_to_metric_families(metrics.text())}
    values = {
        (sample.name.removeprefix("attention_lab_"), *sample.labels.values()): sample.value
        for family in families.values()
        for sample in family.samples
    }
    assert values["sessions",] == 3
    assert values["uploaded_bytes",] == 7
    assert values["refused_total", "full"] == 2
    assert values["rerun_seconds_bucket", "0.01"] == 2
    assert values["rerun_seconds_bucket", "0.25"] == 3
    assert values["rerun_seconds_bucket", "+Inf"] == values["rerun_seconds_count",] == 4
    assert values["rerun_seconds_sum",] == pytest.approx(7.215)
    assert families["attention_lab_rerun_seconds"].type == "histogram"
    assert len([key for key in values if key[0] == "rerun_seconds_bucket"]) == len(BOUNDS) + 1


def test_metrics_that_fail_are_logged_and_printed_nowhere(caplog, capsys):
    with publish(Metrics(lambda: 1 // 0, 300), "127.0.0.1", 0) as published:
        with pytest.raises(RemoteDisconnected):
            urllib.request.urlopen(f"http://127.0.0.1:{published.server_port}/metrics", timeout=5)
        published.shutdown()
    assert [record.exc_info[0] for record in caplog.records] == [ZeroDivisionError]
    assert capsys.readouterr().err == ""


def line(logger, message, *arguments, error=None, **extra):
    record = logging.LogRecord(logger, logging.ERROR, "", 0, message, arguments, error)
    record.__dict__.update(extra)
    return json.loads(log.Line().format(record))


def test_foreign_line_is_logged_without_its_arguments():
    said = line("streamlit.web", "Rejecting origin=%s", "https://someone.example")
    assert said["event"] == "Rejecting origin=%s"
    assert "someone" not in json.dumps(said)


def test_error_is_logged_with_its_kind_and_place_and_without_its_text():
    try:
        raise ValueError("what someone wrote")
    except ValueError as error:
        said = line("any", "failed", error=(ValueError, error, error.__traceback__))
    assert said["error"] == "ValueError"
    assert re.fullmatch(r"tests/server/test_parts\.py:\d+ test_error_is_logged.*", said["at"][-1])
    assert "someone" not in json.dumps(said)


def test_host_header_and_origin_are_read_even_if_they_are_invalid():
    hosts = {"localhost:80": "localhost", "[::1]:80": "::1", "Lab.Example": "lab.example", "": "", "[": ""}
    assert {header: host_of(header) for header in hosts} == hosts
    for origin in ("http://[", "http://[::1", "//]["):
        assert network_location(origin) is None


def test_one_line_of_a_kind_is_logged_each_second_with_the_number_left_out():
    clock, counted = Clock(), []
    sparse = log.OncePerSecond(counted.append, clock)

    def passes(message):
        record = logging.LogRecord("any", logging.ERROR, "", 0, message, (), None)
        return record.left_out if sparse.filter(record) else None

    assert [passes("refused %s") for _ in range(4)] == [0, None, None, None]
    assert passes("something else") == 0
    clock.now += 1
    assert [passes("refused %s") for _ in range(2)] == [3, None]
    assert counted == ["error"] * 7


def test_policy_evaluates_no_text_as_code():
    assert "unsafe-eval" not in policy(("'self'",))
    assert "'unsafe-inline'" not in policy(("'self'",)).partition("script-src")[2].partition(";")[0]
    assert policy(("https://learn.example.org",)).endswith("frame-ancestors https://learn.example.org")


def test_folder_of_files_is_read_once_for_all_first_visits(monkeypatch):
    read, rglob = [], Path.rglob
    monkeypatch.setattr(Path, "rglob", lambda folder, pattern: read.append(folder) or rglob(folder, pattern))
    static_files.names.cache_clear()
    visits = [static_files.first() for _ in range(3)]
    assert read == [streamlit_internals.STATIC]
    assert visits[0] == visits[1] == visits[2] != []


def test_answers_are_sent_at_once_and_frozen_peers_dropped_in_time():
    """Nagle's algorithm is off on what the listening socket accepts; a frozen peer is let go in time."""
    chosen = Settings(port=0, idle_seconds=7)
    seen = []

    async def app(scope, receive, send):
        if scope["type"] == "http":
            for protocol in server.server_state.connections:
                accepted = protocol.transport.get_extra_info("socket")
                options = (socket.TCP_NODELAY, socket.TCP_USER_TIMEOUT)
                seen.append([accepted.getsockopt(socket.IPPROTO_TCP, option) for option in options])
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    server = uvicorn.Server(configure(app, chosen, Bounds(chosen, Addresses(), Metrics(int, 1))))
    with listen(chosen) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                thread.join(0.01)
            with socket.create_connection(listening.getsockname()) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert client.recv(100)
        finally:
            server.should_exit = True
            thread.join(10)
    assert seen == [[1, 7000]]


def test_a_flood_of_clients_that_leave_keeps_nobody_from_being_accepted():
    """All find room in the system's queue; those that have left it are no connections."""
    chosen = Settings(port=0)
    asked = configure(None, chosen, Bounds(chosen, Addresses(), Metrics(int, 1)))
    with listen(chosen) as listening, contextlib.ExitStack() as open_clients:
        listening.setblocking(False)
        listening.listen(asked.backlog)  # as asyncio does
        clients = [socket.create_connection(listening.getsockname(), timeout=5) for _ in range(200)]
        addresses = [client.getsockname() for client in clients]
        for place, client in enumerate(clients):
            client.sendall(b"GET / HTTP/1.1\r\n")
            open_clients.push(client) if place in (7, 99) else client.close()
        accepted = [listening.accept() for _ in range(2)]
        assert [address for _, address in accepted] == [addresses[7], addresses[99]]
        with pytest.raises(BlockingIOError):
            listening.accept()
        for connection, _ in accepted:
            connection.close()


def test_taken_port_is_named(capsys):
    with listen(Settings(port=0)) as taken:
        taken.listen()
        with pytest.raises(SystemExit, match="cannot be listened on"):
            listen(Settings(port=taken.getsockname()[1]))
