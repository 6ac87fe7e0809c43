"""Two replicas behind nginx, with the very configuration of deploy/: who goes where, and what travels how."""

import asyncio
import gzip
import json
import re
from collections import Counter

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from attention_lab.server.headers import headers
from attention_lab.server.settings import Settings
from attention_lab.server.static_files import first
from tests.server.harness import PAGE, ask, replicas, wait_until
from tests.websocket_client import WebSocketClient


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with replicas(tmp_path_factory.mktemp("replicas"), 2, rooms=200) as running:
        yield running


def counted(nginx, name):
    return [host.metrics()[name] for host in nginx.hosts]


def test_a_first_visit_gets_a_place_and_keeps_it(nginx):
    _, found, _ = ask(nginx, **PAGE)
    cookie = dict(found)["set-cookie"]
    assert re.fullmatch(r"attention_lab=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Lax", cookie)
    before = counted(nginx, "pages_total")
    for _ in range(10):
        _, found, _ = ask(nginx, **PAGE, Cookie=cookie.partition(";")[0])
        assert "set-cookie" not in dict(found)
    assert sorted(b - a for a, b in zip(before, counted(nginx, "pages_total"), strict=True)) == [0, 10]


def test_a_class_from_one_address_is_spread_over_all_replicas(nginx):
    before = counted(nginx, "pages_total")
    for _ in range(60):
        assert ask(nginx, **PAGE)[0] == 200
    assert min(b - a for a, b in zip(before, counted(nginx, "pages_total"), strict=True)) >= 10


def test_sessions_go_where_their_pages_went(nginx, run):
    async def go():
        readers = [WebSocketClient(nginx.url, cookie=f"attention_lab={k:032x}", seed=k) for k in range(12)]
        for reader in readers:
            await reader.connect()
        answers = await asyncio.gather(*(reader.open("similarity") for reader in readers))
        assert all(reader.stage for reader in readers), answers
        answers += await asyncio.gather(*(reader.drag() for reader in readers))
        assert not [answer.errors for answer in answers if answer.errors]
        for reader in readers:
            for name, value in reader.made.items():
                assert reader.stage["pose"][name] == value
        held = [int(number) for number in counted(nginx, "sessions")]
        for reader in readers:
            await reader.close()
        return held

    held = run(go())
    assert sum(held) == 12
    assert min(held) > 0


def test_files_travel_compressed_once_and_are_kept(nginx):
    sizes = Counter()
    for path in first():
        status, found, body = ask(nginx, path, **{"Accept-Encoding": "gzip, deflate, br"})
        assert status == 200
        assert dict(found)["content-encoding"] == "gzip"
        assert "immutable" in dict(found)["cache-control"]
        sizes["sent"] += len(body)
        sizes["meant"] += len(gzip.decompress(body))
    assert sizes["meant"] > 2 * sizes["sent"]
    plain = ask(nginx, path)
    assert "content-encoding" not in dict(plain[1])
    assert plain[2] == gzip.decompress(body), "one that cannot read it compressed gets it as it is"
    said = nginx.output()
    ask(nginx, path, **{"Accept-Encoding": "gzip, deflate, br"})
    wait_until(lambda: '"cached":"HIT"' in nginx.output()[len(said) :])  # written after it was sent


def test_a_page_travels_compressed_and_is_asked_for_again(nginx):
    _, found, body = ask(nginx, **PAGE, **{"Accept-Encoding": "gzip"})
    assert dict(found)["content-encoding"] == "gzip"
    assert dict(found)["cache-control"] == "no-cache"
    assert b'<div id="root">' in gzip.decompress(body)


@pytest.mark.parametrize(
    "path", ["/", "/similarity", "/health", "/static/none.js", "/_stcore/host-config", first()[0]]
)
def test_the_security_headers_come_once_through_nginx(nginx, path):
    _, found, _ = ask(nginx, path, **PAGE)
    names = [name for name, _ in found]
    for name, value in headers(Settings().embed).items():
        assert names.count(name) == 1
        assert dict(found)[name] == value
    assert dict(found)["server"] == "nginx", "without its version"


@pytest.mark.parametrize("path", ["/metrics", "/_stcore/metrics"])
def test_the_metrics_stay_inside(nginx, path):
    _, _, body = ask(nginx, path)
    assert b"attention_lab_sessions" not in body
    assert b"session_events" not in body


def test_the_replicas_are_told_whom_nginx_asks_for_and_nothing_that_a_browser_says(tmp_path, run):
    """Behind nginx, too, one address has its share; who writes other addresses gets no more of it."""

    async def come(alone, forwarded):
        reader = WebSocketClient(alone.url)
        reader.headers["X-Forwarded-For"] = forwarded
        await reader.connect()
        return reader

    async def day(alone):
        held = [await come(alone, f"192.0.2.{k}") for k in range(2)]
        with pytest.raises(InvalidStatus, match="503"):
            await come(alone, "192.0.2.9")
        for reader in held:
            await reader.close()

    with replicas(tmp_path, 1, sessions_per_address=2, proxies="127.0.0.1") as alone:
        run(day(alone))


def test_an_address_that_is_too_long_is_refused(nginx):
    assert ask(nginx, "/similarity?" + "a" * 10_000, **PAGE)[0] == 200
    assert ask(nginx, "/similarity?" + "a" * 17_000, **PAGE)[0] == 414
    assert ask(nginx, "/similarity?" + "a" * 30_000, **PAGE)[0] == 414


def test_a_body_is_refused(nginx):
    assert ask(nginx, "/", "POST")[0] == 405
    assert ask(nginx, "/_stcore/upload_file/a/b", "PUT", **{"Content-Length": "5000"})[0] == 413


def test_nothing_of_a_person_is_written_down(nginx):
    said = nginx.output()
    marks = {"User-Agent": "marker-agent", "Cookie": "a=marker-cookie", "Referer": "http://marker-referer/"}
    ask(nginx, "/marker-path?word=marker-query", **marks)
    ask(nginx, "/" + "marker-path" * 3000, **marks)
    wait_until(lambda: all(f'"status":{code}' in nginx.output()[len(said) :] for code in (200, 414)))
    new = nginx.output()[len(said) :]
    assert "marker" not in new
    assert "127.0.0.1" not in new


def test_too_much_from_one_address_is_asked_to_wait(tmp_path):
    """With nobody behind it nginx answers by itself, and both its pages are friendly."""
    with replicas(tmp_path, 0) as alone:
        answers = [ask(alone, **PAGE) for _ in range(600)]
    statuses = Counter(status for status, *_ in answers)
    assert set(statuses) == {503, 429}
    assert statuses[503] >= 400, "a class may come at once"
    for status, text in ((503, b"The server is restarting"), (429, b"Too many requests")):
        _, found, body = next(answer for answer in answers if answer[0] == status)
        assert text in body
        assert b"{" not in re.sub(rb"<style>.*?</style>", b"", body, flags=re.DOTALL), "every gap is filled"
        assert dict(found)["retry-after"] == "3"
        assert "default-src 'none'" in dict(found)["content-security-policy"]


def test_the_members_of_a_room_are_led_to_the_replica_that_has_it(nginx, run):
    """By its name, whatever replica their pages are in; whoever says another name finds another replica."""

    async def come(room, number, do):
        url = f"{nginx.url.replace('http', 'ws')}/room?room={room}"
        socket = await connect(url, additional_headers={"Origin": nginx.url}, user_agent_header=f"tab {number}")
        await socket.send(json.dumps({"do": do, "seat": f"{number:032x}"}))
        return socket, json.loads(await socket.recv())

    async def day():
        names, opened = [], []
        for letter in "abcdefghijklmnopqrstuvwxyz":  # which replica has a name depends on their ports
            names.append(f"{letter}{letter}-fox")
            opened.append(await come(names[-1], 0, "open"))
            if min(counted(nginx, "room_members")):
                break
        members = [await come(name, k, "join") for k in range(1, 5) for name in names]
        assert all(told["leads"] for _, told in opened)
        assert not any(told["leads"] for _, told in members)
        held = [int(number) for number in counted(nginx, "room_members")]
        for socket, _ in opened + members:
            await socket.close()
        return len(names), held

    rooms, held = run(day())
    assert sum(held) == 5 * rooms
    assert min(held) > 0
    assert all(number % 5 == 0 for number in held), "a room is whole"
