"""Two replicas behind nginx, with the very configuration of deploy/: who goes where, what travels how."""

import asyncio
import gzip
import re
from collections import Counter

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from attention_lab.server.headers import headers
from attention_lab.server.settings import Settings
from attention_lab.server.static_files import first
from attention_lab.server.uploads import MEGABYTE
from tests.server.harness import PAGE, as_form, ask, replicas, until, upload_headers, upload_path, wait_until
from tools.websocket_client import WebSocketClient

SESSIONS = 30  # of a replica


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with replicas(tmp_path_factory.mktemp("replicas"), 2, rooms=200, sessions=SESSIONS) as running:
        yield running


def counted(nginx, name):
    return [host.metrics()[name] for host in nginx.hosts]


def test_first_visit_gets_a_replica_and_keeps_it(nginx):
    _, found, _ = ask(nginx, **PAGE)
    cookie = dict(found)["set-cookie"]
    assert re.fullmatch(r"attention_lab=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Lax", cookie)
    before = counted(nginx, "pages_total")
    for _ in range(10):
        _, found, _ = ask(nginx, **PAGE, Cookie=cookie.partition(";")[0])
        assert "set-cookie" not in dict(found)
    assert sorted(b - a for a, b in zip(before, counted(nginx, "pages_total"), strict=True)) == [0, 10]


def test_class_from_one_address_is_spread_over_all_replicas(nginx):
    before = counted(nginx, "pages_total")
    for _ in range(60):
        assert ask(nginx, **PAGE)[0] == 200
    assert min(b - a for a, b in zip(before, counted(nginx, "pages_total"), strict=True)) >= 10


async def arrive(nginx, number):
    """Let readers come, each of whom opens a page and drags something there."""
    pages = ["similarity", "softmax", "values", "queries_keys"]
    await until(lambda: not sum(counted(nginx, "sessions")))
    readers = [WebSocketClient(nginx.url, cookie=f"attention_lab={k:032x}", seed=k) for k in range(number)]
    for k, reader in enumerate(readers):
        await reader.connect()
        assert (await reader.open(pages[k % len(pages)])).errors == []
        assert (await reader.drag()).errors == []
        assert_keeps_what_it_made(reader)
    return readers


def assert_keeps_what_it_made(reader):
    assert reader.made
    for name, value in reader.made.items():
        assert reader.stage["pose"][name] == value


async def leave(readers):
    for reader in readers:
        await reader.close()


def test_files_are_compressed_once_and_cached(nginx):
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


def test_page_is_compressed_and_not_cached(nginx):
    _, found, body = ask(nginx, **PAGE, **{"Accept-Encoding": "gzip"})
    assert dict(found)["content-encoding"] == "gzip"
    assert dict(found)["cache-control"] == "no-cache"
    assert b'<div id="root">' in gzip.decompress(body)


def test_security_headers_come_once_through_nginx(nginx):
    for path in ("/", "/similarity", "/health", "/static/none.js", "/_stcore/host-config", first()[0]):
        _, found, _ = ask(nginx, path, **PAGE)
        names = [name for name, _ in found]
        for name, value in headers(Settings().embed).items():
            assert names.count(name) == 1, path
            assert dict(found)[name] == value, path
        assert dict(found)["server"] == "nginx", "without its version"


def test_metrics_are_not_reached_through_nginx(nginx):
    for path in ("/metrics", "/_stcore/metrics"):
        _, _, body = ask(nginx, path)
        assert b"attention_lab_sessions" not in body
        assert b"session_events" not in body


async def test_address_behind_nginx_has_its_share_whatever_it_claims_to_be(tmp_path):
    async def come(source, claimed):
        reader = WebSocketClient(alone.url, local_addr=(source, 0))
        reader.headers["X-Forwarded-For"] = claimed
        await reader.connect()
        return reader

    with replicas(tmp_path, 1, sessions_per_address=1, proxies="127.0.0.1") as alone:
        readers = [await come("127.0.0.2", "192.0.2.1"), await come("127.0.0.3", "192.0.2.1")]
        with pytest.raises(InvalidStatus, match="503"):
            await come("127.0.0.2", "192.0.2.9")
        await leave(readers)


def test_too_long_url_is_refused(nginx):
    assert ask(nginx, "/similarity?" + "a" * 10_000, **PAGE)[0] == 200
    assert ask(nginx, "/similarity?" + "a" * 17_000, **PAGE)[0] == 414
    assert ask(nginx, "/similarity?" + "a" * 30_000, **PAGE)[0] == 414


def test_request_with_a_body_is_refused(nginx):
    assert ask(nginx, "/", "POST")[0] == 405
    assert ask(nginx, "/similarity", "PUT", **{"Content-Length": "5000"})[0] == 413


async def test_file_passes_nginx_to_the_replica_of_its_reader(nginx):
    cookie, most = f"attention_lab={1:032x}", Settings().upload_megabytes * MEGABYTE
    marks = upload_headers(nginx)
    marks["Cookie"] += f"; {cookie}"
    async with WebSocketClient(nginx.url, cookie=cookie) as reader:
        await reader.open("similarity")
        path = upload_path(reader.session)
        assert ask(nginx, path, "PUT", as_form(b"a" * most), **marks)[0] == 204
        assert sorted(counted(nginx, "uploaded_bytes")) == [0, most]
        assert ask(nginx, path, "PUT", **marks, **{"Content-Length": "22000000"})[0] == 413
        assert ask(nginx, path, "DELETE", **marks)[0] == 204
        assert counted(nginx, "uploaded_bytes") == [0, 0]
    assert ask(nginx, path, "PUT", b"a", **marks)[0] == 400


def test_nothing_personal_is_logged_by_nginx(nginx):
    said = nginx.output()
    marks = {"User-Agent": "marker-agent", "Cookie": "a=marker-cookie", "Referer": "http://marker-referer/"}
    ask(nginx, "/marker-path?word=marker-query", **marks)
    ask(nginx, "/" + "marker-path" * 3000, **marks)
    wait_until(lambda: all(f'"status":{code}' in nginx.output()[len(said) :] for code in (200, 414)))
    new = nginx.output()[len(said) :]
    assert "marker" not in new
    assert "127.0.0.1" not in new


def test_too_many_requests_of_one_address_are_asked_to_wait(tmp_path):
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


async def test_full_replica_flows_over_to_the_other_and_then_readers_wait(nginx):
    await until(lambda: not sum(counted(nginx, "sessions")))
    clients = [WebSocketClient(nginx.url, cookie="attention_lab=" + "0" * 32) for _ in range(2 * SESSIONS)]
    for client in clients:
        await client.connect()
    assert counted(nginx, "sessions") == [SESSIONS] * 2
    with pytest.raises(InvalidStatus, match="503"):
        await WebSocketClient(nginx.url).connect()
    await leave(clients)


async def come_back(reader):
    """Do what the browser does when its socket has closed: connect, and open the page by its address again."""
    async with asyncio.timeout(60):
        while True:
            try:
                await reader.connect()
                assert (await reader.open(reader.page, reader.query)).errors == []
                break
            except (OSError, ConnectionClosed, InvalidStatus):
                await asyncio.sleep(0.1)
    assert_keeps_what_it_made(reader)


async def test_readers_of_a_replica_that_dies_go_on_at_the_other(nginx):
    dead, alive = nginx.hosts
    readers = await arrive(nginx, 20)
    of_dead = dead.metrics()["sessions"]
    assert 0 < of_dead < len(readers), "they are spread over both"
    stopped, cut = asyncio.Event(), set()

    async def drag_on(reader):
        while not stopped.is_set():
            try:
                assert (await reader.drag()).errors == []
            except ConnectionClosed:
                await come_back(reader)
                cut.add(reader)
            await asyncio.sleep(0.1)

    hands = [asyncio.create_task(drag_on(reader)) for reader in readers]
    dead.process.kill()
    dead.process.wait()
    await until(lambda: len(cut) == of_dead)
    stopped.set()
    await asyncio.gather(*hands)
    assert len(cut) == of_dead, "only the dead one's readers were cut off"
    assert alive.metrics()["sessions"] == len(readers)
    await leave(readers)
    await asyncio.to_thread(dead.restart)
