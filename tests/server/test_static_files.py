"""Files from memory, each compressed once and stored by browsers; Streamlit's style sheet with other fonts."""

import asyncio
import gzip
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from attention_lab import streamlit_internals
from attention_lab.export import qr
from attention_lab.figure.browser_code import library, words
from attention_lab.process import PROCESS
from attention_lab.server import static_files, style_sheet
from attention_lab.server.static_files import FOLDER, PIECE, StaticFiles, first, load
from attention_lab.widgets.first_picture import PRESENTATION
from tests.visit import PAGES, lesson_of

PARTS = [qr.QR, *filter(None, (lesson_of(path).LESSON.own_parts for path in PAGES))]
SCRIPTS = [library(), words(), PRESENTATION, *(parts.script for parts in PARTS)]
SCRIPT = FOLDER + library().file
STREAMLIT = Starlette(routes=create_streamlit_static_assets_routes(""))
PLAIN = {"accept-encoding": "identity"}


async def nothing_else(scope, receive, send):
    raise AssertionError(f"{scope['path']} was passed on")


@pytest.fixture(autouse=True)
def nothing_read(monkeypatch):
    monkeypatch.setattr(PROCESS, "scripts_served", False)
    monkeypatch.setattr(static_files, "_files", {})


@pytest.fixture
def client():
    return TestClient(StaticFiles(nothing_else))


def test_own_file_is_stored_for_good_and_text_is_compressed(client):
    files = {script.file: (script.text.encode(), "text/javascript; charset=utf-8") for script in SCRIPTS}
    for name, body in style_sheet.files().items():
        files[name] = body, "font/woff2" if name.endswith("woff2") else "text/css; charset=utf-8"
    for name, (body, kind) in files.items():
        for headers in ({}, PLAIN):
            found = client.get(FOLDER + name, headers=headers)
            assert (found.status_code, found.content) == (200, body), name
            assert found.headers["content-type"] == kind
            assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert found.headers["vary"] == "Accept-Encoding"
            assert ("content-encoding" in found.headers) == (not headers and kind != "font/woff2"), name
    assert PROCESS.scripts_served


def test_streamlits_file_has_the_headers_that_streamlit_sends_and_is_compressed(client):
    for path in first():
        found, meant = client.get(path), TestClient(STREAMLIT).get(path)
        assert found.content == meant.content
        assert found.headers["content-encoding"] == "gzip"
        assert found.headers["content-type"] == meant.headers["content-type"]
        rules = [set(each.headers["cache-control"].split(", ")) for each in (found, meant)]
        assert rules[0] == rules[1]


def test_streamlit_answers_for_its_files_without_gzip_under_other_names_and_for_other_methods():
    client = TestClient(StaticFiles(STREAMLIT))
    path = first()[0]
    for asked, headers in ((path, PLAIN), (path.replace("/js/", "//js/"), {}), ("/favicon.png", {})):
        assert "content-encoding" not in client.get(asked, headers=headers).headers, asked
    assert static_files._files == {}, "Streamlit's files are in memory compressed, not twice"
    for each in (path, SCRIPT):
        assert client.post(each).status_code == 405


def test_other_name_or_old_fingerprint_is_not_found(client):
    none = "0" * 16
    files = [
        library().file.replace(library().fingerprint, none),
        f"similarity.{library().fingerprint}.js",
        *(f"{name}.{none}.js" for name in ("no_such", "lesson_plan", "os.path", "__init__", "words_xx")),
        *("library.js", "..%2fapp.py", ""),
    ]
    for file in files:
        found = client.get(FOLDER + file)
        assert (found.status_code, found.headers["cache-control"]) == (404, "no-store"), file
    assert static_files._files == {}, "unknown names take no memory"


def test_browser_is_sent_nothing_that_it_has_or_asks_only_the_headers_of(client):
    whole, head = client.get(SCRIPT), client.head(SCRIPT)
    assert (head.status_code, head.headers, head.content) == (200, whole.headers, b"")
    tag = {"if-none-match": whole.headers["etag"]}
    assert (client.get(SCRIPT, headers=tag).status_code, client.get(SCRIPT, headers=tag).content) == (304, b"")
    assert client.get(SCRIPT, headers=tag | PLAIN).status_code == 200, "compressed is another answer than plain"


def test_answer_is_sent_in_small_pieces():
    sent = []

    async def take(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": SCRIPT, "headers": [(b"accept-encoding", b"gzip")]}
    asyncio.run(StaticFiles(nothing_else)(scope, None, take))
    pieces = [message["body"] for message in sent[1:]]
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= PIECE
    assert gzip.decompress(b"".join(pieces)) == library().text.encode()
    assert [message["more_body"] for message in sent[1:]] == [True] * (len(pieces) - 1) + [False]


def test_file_is_compressed_once_for_all_who_ask_at_the_same_time(monkeypatch):
    packed, compress = [], gzip.compress

    def count(*arguments, **more):
        packed.append(arguments)
        return compress(*arguments, **more)

    monkeypatch.setattr(gzip, "compress", count)

    async def ask_at_once():
        await static_files.warm_up()
        leaving = asyncio.ensure_future(load(SCRIPT))
        await asyncio.sleep(0)
        leaving.cancel()
        return await asyncio.gather(*(load(path) for path in [SCRIPT, SCRIPT, *first()]))

    found = asyncio.run(ask_at_once())
    assert found[0] is found[1]
    assert len(packed) == len(first()) + 1


def test_file_that_could_not_be_read_is_read_again(monkeypatch, client):
    def fail(name):
        raise OSError("too many open files")

    with monkeypatch.context() as broken:
        broken.setattr(static_files, "_own", fail)
        with pytest.raises(OSError, match="open files"):
            client.get(SCRIPT)
    assert client.get(SCRIPT).status_code == 200


def test_no_font_of_streamlits_that_every_page_would_load_is_left():
    page = style_sheet.put_into(streamlit_internals.INDEX.read_text(encoding="utf-8"), FOLDER)
    assert 'as="font"' not in page
    names = re.findall(rf'href="\.{FOLDER}([^"]+)"', page)
    assert names
    for name in names:
        text = style_sheet.files()[name].decode()
        assert "MaterialSymbols-" not in text
        assert "SourceSansVF" not in text
        assert re.search(r"icons\.[0-9a-f]{16}\.woff2", text)[0] in style_sheet.files()


def test_streamlits_own_sheet_is_linked_but_not_loaded():
    page = style_sheet.put_into(streamlit_internals.INDEX.read_text(encoding="utf-8"), FOLDER)
    sheets = [address for address in streamlit_internals.first_files() if address.endswith(".css")]
    assert sheets
    for address in sheets:
        assert re.findall(rf'<link [^>]*href="\.{re.escape(address)}">', page) == [
            f'<link rel="stylesheet" disabled crossorigin href=".{address}">'
        ]
