"""The server's parts by themselves: settings, places, pace, measures, log, headers."""

import asyncio
import gc
import json
import logging
import re
import socket
import threading

import pytest
import uvicorn
from prometheus_client.parser import text_string_to_metric_families

from hosting import heap, journal, settings
from hosting.gate import host_of
from hosting.headers import policy
from hosting.measures import BOUNDS, Measures
from hosting.places import FullError, Places
from hosting.server import configure, listen
from hosting.settings import Settings, read
from hosting.stream import Pace, nested
from hosting.stream import read as read_message
from hosting.turns import Turns
from lab import ROOT


class Clock:
    """A clock that stands still until it is told."""

    now = 100.0

    def __call__(self):
        return self.now


def test_an_option_wins_over_the_environment_and_that_over_the_default():
    given = read(["--sessions", "20"], {"ATTENTION_LAB_SESSIONS": "30", "ATTENTION_LAB_RATE": "7"})
    assert (given.sessions, given.rate, given.port) == (20, 7, Settings().port)


def test_lists_are_written_with_commas():
    assert read(["--hosts", "lab.example.org, localhost,"], {}).hosts == ("lab.example.org", "localhost")


@pytest.mark.parametrize(
    ("arguments", "environment", "named"),
    [
        (["--sessions", "many"], {}, "--sessions"),
        (["--sessions", "0"], {}, "--sessions"),
        ([], {"ATTENTION_LAB_PORT": "-1"}, "ATTENTION_LAB_PORT"),
        (["--seats", "3"], {}, "--seats"),
    ],
)
def test_a_wrong_setting_is_named(capsys, arguments, environment, named):
    with pytest.raises(SystemExit):
        read(arguments, environment)
    assert named in capsys.readouterr().err


def test_the_table_of_settings_stands_in_deploy_readme():
    assert settings.table() in (ROOT / "deploy" / "README.md").read_text("utf-8")


def test_places_are_promised_taken_and_given_back():
    clock = Clock()
    places = Places(2, hold=10, clock=clock)
    assert places.promise()
    assert places.promise()
    assert not places.promise(), "both are promised"
    with places.take(), places.take():
        assert places.promised == 0
        with pytest.raises(FullError), places.take():
            pass
        assert not places.promise()
    assert places.promise()
    clock.now += 10
    assert places.promised == 0, "whoever has not come by now has gone"


def test_a_place_is_given_back_when_a_session_ends_badly():
    places = Places(1, hold=0)
    with pytest.raises(ZeroDivisionError), places.take():
        raise ZeroDivisionError
    assert places.taken == 0


def test_messages_beyond_the_burst_wait_for_their_turn():
    clock = Clock()
    pace = Pace(rate=10, burst=5, clock=clock)
    assert [pace.wait() for _ in range(7)] == pytest.approx([0, 0, 0, 0, 0, 0.1, 0.2])
    clock.now += 60
    assert [pace.wait() for _ in range(6)] == pytest.approx([0, 0, 0, 0, 0, 0.1]), "a pause never saves up more"


def test_turns_are_taken_first_come_first_served():
    """Two at a time; whoever ends lets the next one in, and ending twice lets in no more."""

    async def day():
        turns, seen = Turns(2, longest=60), []

        async def come(who):
            turn = await turns.take()
            seen.append(who)
            return turn

        comers = [asyncio.create_task(come(who)) for who in "abcd"]
        await asyncio.sleep(0.01)
        assert seen == ["a", "b"]
        first = comers[0].result()
        first.give_back()
        first.give_back()
        await asyncio.sleep(0.01)
        assert seen == ["a", "b", "c"]
        comers[1].result().give_back()
        await asyncio.sleep(0.01)
        assert seen == ["a", "b", "c", "d"]

    asyncio.run(day())


def test_a_turn_that_is_never_given_back_ends_by_itself():
    async def day():
        turns = Turns(1, longest=0.01)
        await turns.take()
        async with asyncio.timeout(5):
            await turns.take()

    asyncio.run(day())


def test_whoever_leaves_while_waiting_takes_no_turn():
    async def day():
        turns = Turns(1, longest=60)
        turn = await turns.take()
        leaving = asyncio.create_task(turns.take())
        await asyncio.sleep(0.01)
        leaving.cancel()
        turn.give_back()
        async with asyncio.timeout(5):
            await turns.take()

    asyncio.run(day())


def test_memory_in_cycles_is_found_now_and_then():
    """Never by itself while readers wait; always by the one who tends it."""
    before = gc.get_threshold()
    found = []

    class Ring:
        def __init__(self):
            self.itself = self

        def __del__(self):
            found.append(self)

    async def day():
        tending = asyncio.create_task(heap.tend(0.01))
        async with asyncio.timeout(5):
            while not found:
                await asyncio.sleep(0.01)
        tending.cancel()

    try:
        heap.settle()
        Ring()
        assert gc.get_threshold()[2] > 100_000
        assert not found
        asyncio.run(day())
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_nesting_is_counted():
    assert nested('{"a": [[1], [2, {}]]}') == 4
    assert nested("[" * 100_000) == 100_000
    assert nested("") == 0


def test_a_message_that_nobody_can_read_is_none():
    assert read_message(b"\xff\xff", 16) is None
    assert read_message(b"", 16) is not None


def test_prometheus_reads_the_measures():
    measures = Measures(lambda: 3, 300)
    for seconds in (0.005, 0.01, 0.2, 7):
        measures.rerun(seconds)
    measures.count("refused", "full")
    measures.count("refused", "full")
    families = {family.name: family for family in text_string_to_metric_families(measures.text())}
    values = {
        (sample.name.removeprefix("attention_lab_"), *sample.labels.values()): sample.value
        for family in families.values()
        for sample in family.samples
    }
    assert values["sessions",] == 3
    assert values["refused_total", "full"] == 2
    assert values["rerun_seconds_bucket", "0.01"] == 2
    assert values["rerun_seconds_bucket", "0.25"] == 3
    assert values["rerun_seconds_bucket", "+Inf"] == values["rerun_seconds_count",] == 4
    assert values["rerun_seconds_sum",] == pytest.approx(7.215)
    assert families["attention_lab_rerun_seconds"].type == "histogram"
    assert len([key for key in values if key[0] == "rerun_seconds_bucket"]) == len(BOUNDS) + 1


def line(logger, message, *arguments, error=None, **extra):
    record = logging.LogRecord(logger, logging.ERROR, "", 0, message, arguments, error)
    record.__dict__.update(extra)
    return json.loads(journal.Line().format(record))


def test_a_foreign_line_is_written_without_what_is_filled_in():
    said = line("streamlit.web", "Rejecting origin=%s", "https://someone.example")
    assert said["event"] == "Rejecting origin=%s"
    assert "someone" not in json.dumps(said)


def test_of_an_error_stand_its_kind_and_place_and_not_its_text():
    try:
        raise ValueError("what someone wrote")
    except ValueError as error:
        said = line("any", "failed", error=(ValueError, error, error.__traceback__))
    assert said["error"] == "ValueError"
    assert re.fullmatch(r"tests/hosting/test_parts\.py:\d+ test_of_an_error.*", said["at"][-1])
    assert "someone" not in json.dumps(said)


@pytest.mark.parametrize(
    ("header", "name"),
    [("localhost:80", "localhost"), ("[::1]:80", "::1"), ("Lab.Example", "lab.example"), ("", ""), ("[", "")],
)
def test_the_name_in_a_host_header(header, name):
    assert host_of(header) == name


def test_the_policy_evaluates_no_text_as_code():
    assert "unsafe-eval" not in policy(("'self'",))
    assert "'unsafe-inline'" not in policy(("'self'",)).partition("script-src")[2].partition(";")[0]
    assert policy(("https://learn.example.org",)).endswith("frame-ancestors https://learn.example.org")


def test_answers_do_not_wait_for_company():
    """Nagle's algorithm is off on what the listening socket accepts; a frozen peer is let go in time."""
    chosen = Settings(port=0, patience=7)
    seen = []

    async def app(scope, receive, send):
        if scope["type"] == "http":
            for protocol in server.server_state.connections:
                accepted = protocol.transport.get_extra_info("socket")
                options = (socket.TCP_NODELAY, socket.TCP_USER_TIMEOUT)
                seen.append([accepted.getsockopt(socket.IPPROTO_TCP, option) for option in options])
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    server = uvicorn.Server(configure(app, chosen))
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


def test_a_taken_port_is_said(capsys):
    with listen(Settings(port=0)) as taken:
        taken.listen()
        with pytest.raises(SystemExit, match="cannot be listened on"):
            listen(Settings(port=taken.getsockname()[1]))
