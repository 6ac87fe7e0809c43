"""What this app relies on of Streamlit's inside, held against the Streamlit that is installed.

A failure here names what has moved; `attention_lab/streamlit_internals.py` is the one place to follow it.
"""

import asyncio
import inspect
import re
import tomllib
import weakref
from uuid import uuid4

import pytest
import streamlit as st
from streamlit import config, net_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLsRequest
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig, NewSession
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import app_session
from streamlit.runtime import state as session_states
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest, app_test
from streamlit.web import bootstrap, skills
from streamlit.web.server import server_util
from streamlit.web.server.app_discovery import discover_asgi_app
from streamlit.web.server.starlette import starlette_websocket

from attention_lab import streamlit_internals
from attention_lab.server.warmup import SCOPE
from lab import ROOT


def test_every_option_that_is_set_is_known():
    chosen = {
        f"{section}.{name}": value
        for section, entries in tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8")).items()
        for name, value in entries.items()
        if not isinstance(value, dict)
    }
    assert set(chosen) <= set(config._config_options_template)
    assert chosen.items() >= streamlit_internals.HIDDEN_OPTIONS.items()


def test_addresses_are_where_they_were():
    try:
        routes = st.App(ROOT / "attention_lab" / "main.py")._build_starlette_app().routes
    finally:
        runtime.Runtime._instance = None
    paths = {getattr(route, "path", "") for route in routes}
    assert {streamlit_internals.STREAM, streamlit_internals.HEALTH, streamlit_internals.HOST_CONFIG} <= paths
    assert any(path.startswith(streamlit_internals.COMPONENTS) for path in paths)
    uploads = streamlit_internals.UPLOADS + "{session_id}/{file_id}"
    assert {method for route in routes if getattr(route, "path", "") == uploads for method in route.methods} == {
        "PUT",
        "DELETE",
        "OPTIONS",
    }
    files = (*streamlit_internals.FILES, "/auth", "/oauth2")
    assert [path for path in paths if path.count("/") > 1 and not path.startswith(("/{", *files))] == []


def test_the_page_has_scripts_files_and_no_more_inline_scripts_than_known():
    assert len(streamlit_internals.inline_scripts()) == 1
    page = streamlit_internals.INDEX.read_text("utf-8")
    assert page.count("<head>") == 1
    assert "window.__streamlit" not in page
    script = re.search(r'<script type="module" crossorigin src="\./(static/[^"]+)"', page)[1]
    text = (streamlit_internals.STATIC / script).read_text("utf-8")
    assert re.search(r"new URL\(\w+\?\?window\.location\.href\)", text), "it looks for the app where it is told"
    assert "BACKEND_BASE_URL" in streamlit_internals.ROOT_SCRIPT
    assert "BACKEND_BASE_URL" in text
    first = streamlit_internals.first_files()
    assert any(path.endswith(".js") for path in first)
    assert any(path.endswith(".css") for path in first)
    for path in first:
        assert (streamlit_internals.STATIC / path.lstrip("/")).is_file(), path


def fields(message):
    return {field.name: field.number for field in message.DESCRIPTOR.fields}


def test_messages_have_their_fields():
    assert fields(BackMsg).items() >= {"rerun_script": 11, "stop_script": 7, "app_heartbeat": 17}.items()
    assert fields(ForwardMsg).items() >= {"script_finished": 6, "new_session": 4, "delta": 5}.items()
    assert fields(ForwardMsg)["session_event"] == 10
    assert fields(BackMsg)["file_urls_request"] == 16
    assert "file_names" in fields(FileURLsRequest)
    assert fields(ClientState).items() >= {"query_string": 1, "widget_states": 2, "page_name": 4}.items()
    kinds = {field.name for field in WidgetState.DESCRIPTOR.oneofs_by_name["value"].fields}
    assert {kind for kind in kinds if "json" in kind} == set(streamlit_internals.JSON_FIELDS)


def test_the_end_of_a_run_is_known_from_its_message():
    def finished(status):
        return ForwardMsg(script_finished=status).SerializeToString()

    is_end = streamlit_internals.is_end_of_run
    ends = {name for name, status in ForwardMsg.ScriptFinishedStatus.items() if is_end(finished(status))}
    assert ends == set(ForwardMsg.ScriptFinishedStatus.keys()) - {"FINISHED_EARLY_FOR_RERUN"}
    assert not is_end(ForwardMsg(page_not_found={"page_name": "a"}).SerializeToString())


def test_an_exception_is_known_from_its_message():
    opened = ForwardMsg(new_session={"initialize": {"session_id": "abc"}})
    wrong = ForwardMsg(delta=Delta(new_element={"exception": {"type": "ValueError"}}))
    assert streamlit_internals.is_exception(wrong.SerializeToString())
    wrong = ForwardMsg(session_event={"script_compilation_exception": {"type": "SyntaxError"}})
    assert streamlit_internals.is_exception(wrong.SerializeToString())
    assert not streamlit_internals.is_exception(opened.SerializeToString())


@pytest.fixture
def patient():
    """Requests of a session that takes turns, as Streamlit's own class of that name."""
    return streamlit_internals._PatientRequests()


def test_run_is_not_interrupted_by_the_next_one(patient):
    patient.request_rerun(script_requests.RerunData(query_string="first"))
    assert patient.on_scriptrunner_ready().rerun_data.query_string == "first"
    patient.request_rerun(script_requests.RerunData(query_string="second"))
    patient.request_rerun(script_requests.RerunData(query_string="third"))
    assert patient.on_scriptrunner_yield() is None
    assert patient.on_scriptrunner_ready().rerun_data.query_string == "third"
    patient.request_stop()
    assert patient.on_scriptrunner_yield().type == script_requests.ScriptRequestType.STOP


def test_run_is_interrupted_by_its_own_script(patient, monkeypatch):
    patient.request_rerun(script_requests.RerunData())
    patient.on_scriptrunner_ready()
    monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda **_: object())
    patient.request_rerun(script_requests.RerunData(query_string="own"))
    assert patient.on_scriptrunner_yield().rerun_data.query_string == "own"
    monkeypatch.undo()
    patient.request_rerun(script_requests.RerunData())
    assert patient.on_scriptrunner_yield() is None


def test_message_sent_before_the_answer_takes_nothing_back(monkeypatch):
    def script():
        import streamlit as st

        def typed():
            st.session_state["example"] = "own"

        st.selectbox("Example", ["fruit", "own"], key="example")
        st.text_input("Words", key="words", on_change=typed)
        st.button("Apply")

    monkeypatch.setattr(app_test, "SessionState", streamlit_internals._CurrentState)
    at = AppTest.from_function(script).run()
    at.text_input[0].set_value("cat").run()
    assert at.selectbox[0].value == "own"
    at.selectbox[0].set_value("fruit")  # as it still is in the browser
    at.button[0].click().run()
    assert at.selectbox[0].value == "own"
    assert at.selectbox[0].proto.set_value, "the browser is told again"
    assert at.selectbox[0].set_value("fruit").run().selectbox[0].value == "fruit", "the reader's choice"


@pytest.fixture
def restored(monkeypatch):
    """Give Streamlit back what a test replaces in it."""
    replaced = {app_session: "ScriptRunner", script_runner: "ScriptRequests", session_states: "SessionState"}
    for module, name in replaced.items():
        monkeypatch.setattr(module, name, getattr(module, name))
    kept = {name: config.get_option(name) for name in ("runner.fastReruns", "server.fileWatcherType")}
    # A watcher would look through the whole of the folder for temporary files, which other tests fill meanwhile.
    config.set_option("server.fileWatcherType", "none")
    yield
    for name, value in kept.items():
        config.set_option(name, value)


def test_every_run_is_started_by_whoever_hands_out_turns(restored, tmp_path):
    script, runs = tmp_path / "script.py", []
    script.write_text("import streamlit as st\nst.text('a')\n")

    def run(start):
        runs.append("begins")
        start()
        runs.append("ends")

    async def visit(app):
        browser, ends = asyncio.Queue(), asyncio.Queue()

        async def send(message):
            if message["type"] == "websocket.send" and streamlit_internals.is_end_of_run(message["bytes"]):
                ends.put_nowait(message)

        browser.put_nowait({"type": "websocket.connect"})
        session = asyncio.create_task(app(SCOPE, browser.get, send))
        async with asyncio.timeout(20):
            for _ in range(2):
                browser.put_nowait({"type": "websocket.receive", "bytes": RERUN})
                await ends.get()
        browser.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await session

    streamlit_internals.keep_what_python_sets()
    streamlit_internals.take_turns(run)
    asyncio.run(served(st.App(script), visit))
    assert runs[:3] == ["begins", "ends", "begins"]


def test_sessions_make_their_event_loop_where_it_is_shared(monkeypatch):
    source = inspect.getsource(app_session)
    assert "asyncio.new_event_loop()" in source
    assert "_close_script_event_loop(self._script_event_loop)" in source
    monkeypatch.setattr(app_session, "asyncio", asyncio)
    streamlit_internals.share_script_loop()
    shared = app_session.asyncio.new_event_loop()
    assert shared is app_session.asyncio.new_event_loop()
    app_session._close_script_event_loop(shared)
    assert not shared.is_closed()
    assert app_session.asyncio.Event is asyncio.Event
    asyncio.SelectorEventLoop.close(shared)  # else its end is a warning in whatever test runs by then
    asyncio.SelectorEventLoop.close(shared)


def test_a_theme_composed_once_is_what_streamlit_composes_for_every_run(monkeypatch):
    plain, composed = app_session._populate_theme_msg, []

    def compose(theme, section):
        composed.append(section)
        plain(theme, section)

    monkeypatch.setattr(app_session, "_populate_theme_msg", compose)
    streamlit_internals.compose_theme_once()
    source = inspect.getsource(app_session.AppSession._create_new_session_message)
    assert source.count("_populate_theme_msg(") == 6, "by its module's name, at each run"
    for section in ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar"):
        once, twice, each = CustomThemeConfig(), CustomThemeConfig(), CustomThemeConfig()
        app_session._populate_theme_msg(once, section)
        app_session._populate_theme_msg(twice, section)
        plain(each, section)
        assert once == twice == each
    new = NewSession()
    plain(new.custom_theme.light.sidebar, "theme.light.sidebar")
    same = NewSession()
    app_session._populate_theme_msg(same.custom_theme.light.sidebar, "theme.light.sidebar")
    assert new == same, "what is not set stays unset"
    assert sorted(composed) == sorted(set(composed)), "each section once"


def test_streamlit_looks_for_its_address_where_it_is_kept_from_it(monkeypatch):
    for name in ("get_internal_ip", "get_external_ip"):
        monkeypatch.setattr(net_util, name, getattr(net_util, name))
    streamlit_internals.look_up_no_address()
    assert net_util.get_external_ip() is net_util.get_internal_ip() is None
    assert "net_util.get_external_ip," in inspect.getsource(server_util), "asked by its module, at each use"
    assert not server_util.is_url_from_allowed_origins("https://elsewhere.example")


def test_streamlit_asks_whether_to_advertise_where_it_is_kept_from_it(monkeypatch):
    for name in ("nudge_suppression_reason", "are_skills_installed"):
        monkeypatch.setattr(skills, name, getattr(skills, name))
    streamlit_internals.advertise_nothing()
    for asks, name in (
        (app_session.AppSession._compute_skills_nudge_state, "skills.nudge_suppression_reason("),
        (bootstrap._maybe_print_skills_recommendation, "skills.are_skills_installed("),
    ):
        assert name in inspect.getsource(asks), "asked by its module, at each use"
    assert skills.nudge_suppression_reason("folder")
    assert skills.are_skills_installed()


def test_a_browser_names_its_protocols_in_the_known_order():
    parsed = inspect.getsource(starlette_websocket._parse_subprotocols)
    assert "existing_session = entries[2]" in parsed
    assert streamlit_internals.SUBPROTOCOLS[0] == "streamlit"


def test_streamlit_run_finds_the_app():
    found = discover_asgi_app(ROOT / "app.py")
    assert found.is_asgi_app
    assert not (ROOT / "attention_lab" / "pages").exists(), "else Streamlit takes it for its older kind of menu"


# A data-testid in a style, a script or a test: in brackets, quoted or not, or as Playwright is asked for it.
TESTID = re.compile(r"""(?:data-testid=\\?["']?|get_by_test_id\(["'])(st[A-Z]\w*)""")


def test_elements_are_called_as_they_were():
    ours = (path for end in ("py", "css", "js") for path in ROOT.rglob(f"*.{end}"))
    read = (path.read_text("utf-8") for path in ours if not path.relative_to(ROOT).parts[0].startswith("."))
    used = {name for text in read for name in TESTID.findall(text)}
    bundles = (path.read_text("utf-8") for path in (streamlit_internals.STATIC / "static" / "js").glob("*.js"))
    known = {name for text in bundles for name in re.findall(r"[`\"'](st[A-Z]\w*)[`\"']", text)}
    assert len(used) > 20
    assert used <= known


def test_a_script_can_be_ended():
    def script():
        import streamlit as st

        from attention_lab import streamlit_internals

        st.text("reached")
        streamlit_internals.end_script()
        st.text("not reached")

    shown = AppTest.from_function(script).run()
    assert [text.value for text in shown.text] == ["reached"]
    assert not shown.exception


def test_a_script_knows_its_socket_before_the_browser_is_sent_the_sessions_name(tmp_path):
    script, seen = tmp_path / "script.py", tmp_path / "seen"
    script.write_text(
        "from pathlib import Path\n"
        "from attention_lab.streamlit_internals import running_socket\n"
        f"Path({str(seen)!r}).write_text(running_socket())\n"
    )
    forged = (streamlit_internals.SOCKET.encode(), b"forged")
    scope = streamlit_internals.name_socket(SCOPE | {"headers": [*SCOPE["headers"], forged]}, "7")

    async def visit(app):
        browser, opened = asyncio.Queue(), []

        async def send(message):
            opened.append(message)
            if message["type"] == "websocket.send":  # nothing arrives until the script has run
                await asyncio.Event().wait()

        for message in ({"type": "websocket.connect"}, {"type": "websocket.receive", "bytes": RERUN}):
            browser.put_nowait(message)
        session = asyncio.create_task(app(scope, browser.get, send))
        async with asyncio.timeout(20):
            while not (seen.exists() and seen.read_text()):
                await asyncio.sleep(0.01)
        browser.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await session
        return opened

    opened = asyncio.run(served(st.App(script), visit))
    assert seen.read_text() == "7"
    assert [message["type"] for message in opened][:1] == ["websocket.accept"]
    assert streamlit_internals.running_socket() == ""


def test_an_upload_is_known_from_its_address():
    names = str(uuid4()), str(uuid4())
    (url,) = MemoryUploadedFileManager("/_stcore/upload_file").get_upload_urls(names[0], ["a.npz"])
    assert streamlit_internals.upload_names(url.upload_url) == (names[0], url.file_id)
    assert url.delete_url == url.upload_url
    for path in ("/_stcore/upload_file/a/b", url.upload_url + "/", url.upload_url + "a", "/a" + url.upload_url):
        assert streamlit_internals.upload_names(path) == ("", "")


def test_files_that_readers_open_are_found_and_dropped(tmp_path, restored):
    script = tmp_path / "script.py"
    script.touch()

    async def visit(app):
        browser, messages, name = asyncio.Queue(), asyncio.Queue(), ""

        async def send(message):
            if message["type"] == "websocket.send":
                messages.put_nowait(message["bytes"])

        def add(file, content):
            manager.add_file(name, UploadedFileRec(file, "a.npz", "", content))

        for message in ({"type": "websocket.connect"}, {"type": "websocket.receive", "bytes": RERUN}):
            browser.put_nowait(message)
        socket = asyncio.create_task(app(SCOPE, browser.get, send))
        async with asyncio.timeout(20):
            while not streamlit_internals.is_end_of_run(data := await messages.get()):
                name = ForwardMsg.FromString(data).new_session.initialize.session_id or name
        session = streamlit_internals.open_session(name)
        assert session.id == name
        manager = runtime.get_instance().uploaded_file_mgr
        add("first", b"a" * 5)
        add("second", b"a" * 7)
        assert streamlit_internals.uploaded_bytes() == 12
        streamlit_internals.keep_last_upload(name, "second")
        assert streamlit_internals.uploaded_bytes() == 7
        streamlit_internals.drop_uploads_of_closed_sessions()
        assert streamlit_internals.uploaded_bytes() == 7, "its reader is there"
        browser.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await socket
        assert streamlit_internals.open_session(name) is None
        streamlit_internals.drop_uploads_of_closed_sessions()
        assert streamlit_internals.uploaded_bytes() == 0

    assert streamlit_internals.uploaded_bytes() == 0, "before Streamlit runs"
    streamlit_internals.drop_uploads_of_closed_sessions()
    asyncio.run(served(st.App(script), visit))


class Closed:
    """What stands for a closed session."""

    id = "a"


def test_closed_session_that_is_too_old_to_come_back_is_forgotten(tmp_path):
    script = tmp_path / "script.py"
    script.touch()

    async def visit(_):
        storage = MemorySessionStorage(ttl_seconds=0)
        runtime.get_instance()._session_mgr._session_storage = storage
        session = Closed()
        storage.save(SessionInfo(None, session))
        closed = weakref.ref(session)
        del session
        assert closed()
        streamlit_internals.forget_closed_sessions()
        assert closed() is None

    asyncio.run(served(st.App(script), visit))


RERUN = BackMsg(rerun_script=ClientState()).SerializeToString()


async def served(app, visit):
    """Start an app, visit it, and stop it."""
    said, told = asyncio.Queue(), asyncio.Queue()
    said.put_nowait({"type": "lifespan.startup"})
    life = asyncio.create_task(
        app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, said.get, told.put)
    )
    try:
        assert (await told.get())["type"] == "lifespan.startup.complete"
        return await visit(app)
    finally:
        said.put_nowait({"type": "lifespan.shutdown"})
        await life
        runtime.Runtime._instance = None
