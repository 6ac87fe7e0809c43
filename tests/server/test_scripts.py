"""The browser's scripts as files: found by their whole name alone, kept for good, and loaded by every page."""

import asyncio
import gzip

import pytest
from starlette.testclient import TestClient

from attention_lab.export import qr
from attention_lab.figure.browser_code import library
from attention_lab.process import PROCESS
from attention_lab.server import scripts
from attention_lab.server.scripts import FOLDER, Scripts
from tests.server.test_index_page import answered
from tests.visit import PAGES, lesson_of


async def nothing_else(scope, receive, send):
    raise AssertionError(f"{scope['path']} was passed on")


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setattr(PROCESS, "scripts_served", False)
    return TestClient(Scripts(nothing_else))


PARTS = [qr.QR, *filter(None, (lesson_of(path).LESSON.own_parts for path in PAGES))]


@pytest.mark.parametrize(
    "script", [library(), *(parts.script for parts in PARTS)], ids=lambda script: script.name
)
def test_a_script_is_found_by_name_and_content_and_kept_for_good(client, script):
    found = client.get(FOLDER + script.file)
    assert found.status_code == 200
    assert found.text == script.text
    assert found.headers["content-type"].startswith("text/javascript")
    assert found.headers["content-encoding"] == "gzip"
    assert found.headers["vary"] == "Accept-Encoding"
    assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
    plain = client.get(FOLDER + script.file, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == script.text


@pytest.mark.parametrize(
    "file",
    [
        library().file.replace(library().fingerprint, "0" * 16),
        "library.js",
        "similarity." + library().fingerprint + ".js",
        "no_such." + "0" * 16 + ".js",
        "lesson_plan." + "0" * 16 + ".js",
        "os.path." + "0" * 16 + ".js",
        "..%2fapp.py",
        "",
    ],
)
def test_another_name_or_an_old_one_is_not_found(client, file):
    found = client.get(FOLDER + file)
    assert found.status_code == 404
    assert found.headers["cache-control"] == "no-store"


def test_a_script_is_only_read(client):
    assert client.post(FOLDER + library().file).status_code == 405
    assert client.head(FOLDER + library().file).status_code == 200


def test_the_first_page_asks_for_the_library_at_once():
    _, body, _ = answered([(b"accept", b"text/html"), (b"accept-encoding", b"gzip")])
    line = f'<link rel="modulepreload" href="./static/lab/{library().file}">'
    assert line.encode() in gzip.decompress(body)


def test_the_compressed_text_is_made_once():
    async def asked():
        return scripts.find(library().file).compressed

    assert asyncio.run(asked()) is asyncio.run(asked())
