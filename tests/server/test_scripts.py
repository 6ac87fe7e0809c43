"""The browser's scripts as files: found by their whole name alone, kept for good, and loaded by every page."""

import asyncio

import pytest
from starlette.testclient import TestClient

from attention_lab.export import qr
from attention_lab.figure.browser_code import library
from attention_lab.process import PROCESS
from attention_lab.server import scripts
from attention_lab.server.scripts import FOLDER, Scripts
from tests.visit import PAGES, lesson_of


async def nothing_else(scope, receive, send):
    raise AssertionError(f"{scope['path']} was passed on")


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setattr(PROCESS, "scripts_served", False)
    return TestClient(Scripts(nothing_else))


PARTS = [qr.QR, *filter(None, (lesson_of(path).LESSON.own_parts for path in PAGES))]


def test_script_is_found_by_name_and_content_and_cached_for_good(client):
    for script in (library(), *(parts.script for parts in PARTS)):
        found = client.get(FOLDER + script.file)
        assert (found.status_code, found.text) == (200, script.text), script.name
        assert found.headers["content-type"].startswith("text/javascript")
        assert found.headers["content-encoding"] == "gzip"
        assert found.headers["vary"] == "Accept-Encoding"
        assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
        plain = client.get(FOLDER + script.file, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.text == script.text


def test_other_name_or_old_fingerprint_is_not_found(client):
    none = "0" * 16
    files = [
        library().file.replace(library().fingerprint, none),
        f"similarity.{library().fingerprint}.js",
        *(f"{name}.{none}.js" for name in ("no_such", "lesson_plan", "os.path")),
        *("library.js", "..%2fapp.py", ""),
    ]
    for file in files:
        found = client.get(FOLDER + file)
        assert (found.status_code, found.headers["cache-control"]) == (404, "no-store"), file


def test_script_is_only_read(client):
    assert client.post(FOLDER + library().file).status_code == 405
    assert client.head(FOLDER + library().file).status_code == 200


def test_compressed_text_is_made_once():
    async def asked():
        return scripts.find(library().file).compressed

    assert asyncio.run(asked()) is asyncio.run(asked())
