"""All that this app knows of Streamlit's inside: what no documentation promises, in one place.

Addresses, messages and their fields, options that are not listed, and the few places where Streamlit is told to
behave otherwise. `tests/test_streamlit_internals.py` holds each against the installed Streamlit, and names what
has moved after an upgrade. Nothing of this app is imported here, so that every part of it may import this.
"""

import asyncio
import re
import types
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, NoReturn

import streamlit
from google.protobuf.message import DecodeError
from streamlit import config, net_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime import state as session_states
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner, StopException, get_script_run_ctx, script_runner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequest,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.state.session_state import SessionState
from streamlit.web import skills

# ---- addresses and files ----

STATIC = Path(streamlit.__file__).parent / "static"
INDEX = STATIC / "index.html"  # the one page that Streamlit answers every address with
CORE = "/_stcore/"
STREAM = CORE + "stream"  # a session's socket
HEALTH = CORE + "health"
HOST_CONFIG = CORE + "host-config"
COMPONENTS = CORE + "bidi-components/"
UPLOADS = CORE + "upload_file/"  # below it, the names of a session and of a file: a reader's file is put there
FILES = ("/static/", "/media/", "/component/", CORE)  # below these is no page
SUBPROTOCOLS = ("streamlit", "PLACEHOLDER_AUTH_TOKEN")  # a third one is the session to be taken up again
SOCKET = "x-attention-lab-socket"  # a header that the server adds to a session's request: its socket's name

# Where the browser finds the app: in the folder of the page that it opened, since no page lies deeper. Without it
# Streamlit's script tries the page's own address as a folder first. The reader's theme, one choice for all pages
# (`widgets/menu.js`), is put where Streamlit looks for that of the page it was loaded with.
ROOT_SCRIPT = """window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };
try {
  const theme = localStorage.getItem("attention_lab.theme");
  if (theme) localStorage.setItem(`stActiveTheme-${location.pathname}-v2`, theme);
} catch {}"""

# Options that Streamlit does not list in `streamlit config show`.
HIDDEN_OPTIONS = {"runner.postScriptGC": False, "global.minCachedMessageSize": 1e9}


@cache
def inline_scripts() -> tuple[str, ...]:
    """The scripts that stand in Streamlit's own page."""
    return tuple(re.findall(r"<script>(.*?)</script>", INDEX.read_text(encoding="utf-8"), re.DOTALL))


@cache
def first_files() -> tuple[str, ...]:
    """The addresses of the files that the page itself asks for."""
    page = INDEX.read_text(encoding="utf-8")
    return tuple(f"/{path}" for path in re.findall(r'(?:src|href)="\./(static/[^"]+)"', page))


# ---- what a browser says: BackMsg ----

RERUN, STOP, HEARTBEAT, OPERATION = "rerun_script", "stop_script", "app_heartbeat", "backend_operation_request"
FILE_URLS = "file_urls_request"  # asks for the address that a file is put at
NEEDED = frozenset({RERUN, STOP, HEARTBEAT, OPERATION, FILE_URLS})  # all that these pages' browsers ever send
FILE = "deferred_file"  # the only operation among them: a download button asks for its file
JSON_FIELDS = ("json_value", "json_trigger_value")  # of a widget's state: text that Streamlit reads as JSON


def read_back_message(data: bytes) -> BackMsg | None:
    """What a browser has said, or None where it is no message of Streamlit's."""
    try:
        return BackMsg.FromString(data)
    except DecodeError:
        return None


# ---- files that readers open ----

_NAME = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_UPLOAD = re.compile(f"{UPLOADS}{_NAME}/{_NAME}")


def upload_names(path: str) -> tuple[str, str]:
    """Return the names of the session and of the file in an upload's address; of any other, empty ones."""
    found = _UPLOAD.fullmatch(path)
    return (found[1], found[2]) if found else ("", "")


def open_session(name: str) -> AppSession | None:
    """Return a session by its name while its browser is connected."""
    info = runtime.get_instance()._session_mgr.get_active_session_info(name)
    return info.session if info else None


def keep_last_upload(session: str, file: str) -> None:
    """Drop every file of a session but one."""
    manager = runtime.get_instance().uploaded_file_mgr
    for other in {*manager.file_storage.get(session, ())} - {file}:
        manager.remove_file(session, other)


def drop_uploads_of_closed_sessions() -> None:
    """Drop the files whose reader has left. Streamlit would keep them as long as the session can come back."""
    if runtime.exists():
        manager = runtime.get_instance().uploaded_file_mgr
        for session in [*manager.file_storage]:
            if not runtime.get_instance().is_active_session(session):
                manager.remove_session_files(session)


def forget_upload(file: str) -> None:
    """Forget the bytes of a file that the running session was sent; Streamlit would keep them until it ends."""
    if (context := get_script_run_ctx()) is not None:
        context.uploaded_file_mgr.remove_file(context.session_id, file)


def uploaded_bytes() -> int:
    """Return how many bytes of readers' files are in memory."""
    families = runtime.get_instance().uploaded_file_mgr.get_stats() if runtime.exists() else {}
    return sum(stat.byte_length for stats in families.values() for stat in stats)


# ---- what the server says: ForwardMsg ----

LONGEST_END = 256  # bytes: the message that ends a run is far below


def name_socket(scope: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The request of a session with the name by which its scripts know its socket, whatever the browser wrote.

    A script may begin before the browser is sent the session's own name.
    """
    others = [each for each in scope["headers"] if each[0] != SOCKET.encode()]
    return {**scope, "headers": [*others, (SOCKET.encode(), name.encode())]}


def running_socket() -> str:
    """The name of the socket whose script the calling thread runs; "" where it has none."""
    context = get_script_run_ctx(suppress_warning=True)
    client = runtime.get_instance().get_client(context.session_id) if context and runtime.exists() else None
    return dict(client.client_context.headers).get(SOCKET, "") if client else ""


def end_script() -> NoReturn:
    """End the script that the calling thread runs, as `st.stop` does, in a thread of no session as well."""
    raise StopException


def is_end_of_run(data: bytes) -> bool:
    """Whether a message says that a run has ended, and not only to begin anew at once."""
    if len(data) > LONGEST_END:
        return False
    said = ForwardMsg.FromString(data)
    return (
        said.WhichOneof("type") == "script_finished"
        and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
    )


def is_exception(data: bytes) -> bool:
    """Whether a message says that something went wrong in a page's script."""
    said = ForwardMsg.FromString(data)
    return (
        said.delta.new_element.WhichOneof("type") == "exception"
        or said.session_event.WhichOneof("type") == "script_compilation_exception"
    )


# ---- where Streamlit is told to behave otherwise ----


class _PatientRequests(ScriptRequests):
    """What a session's script is asked for while it runs: a rerun waits until the run is over.

    Streamlit would interrupt the run. Only a rerun that the script itself asks for (`st.rerun`) does so here.
    """

    _is_own = False

    def request_rerun(self, new_data: RerunData) -> bool:
        """Note whether the script itself asks."""
        self._is_own = self._is_own or get_script_run_ctx(suppress_warning=True) is not None
        return super().request_rerun(new_data)

    def on_scriptrunner_yield(self) -> ScriptRequest | None:
        """Return what interrupts the run, if anything."""
        if self._state == ScriptRequestType.RERUN and not self._is_own:
            return None
        self._is_own = False
        return super().on_scriptrunner_yield()


def take_turns(run: Callable[[Callable[[], None]], None]) -> None:
    """Let `run` call each script when its turn has come. None is interrupted by its session's next one."""

    class Runner(ScriptRunner):
        def _run_script(self, rerun_data: RerunData) -> None:
            run(partial(super()._run_script, rerun_data))

    config.set_option("runner.fastReruns", False)
    script_runner.ScriptRequests = _PatientRequests
    app_session.ScriptRunner = Runner


class _CurrentState(SessionState):
    """A session's values, of which a message changes only those that the reader has changed.

    A message holds the values of all widgets. Where it was sent before an answer came, it holds the old value of
    a widget that Python has set in that answer. Streamlit would take that for a choice of the reader's.
    """

    def __init__(self) -> None:
        super().__init__()
        self._received: dict[str, WidgetState] = {}

    def set_widgets_from_proto(self, widget_states: WidgetStates) -> None:
        """Take a message's values, except old ones beside one that is new."""
        super().set_widgets_from_proto(widget_states)
        before, self._received = self._received, {widget.id: widget for widget in widget_states.widgets}
        known = self._new_widget_state.widget_metadata.keys() & self._received.keys() & self._old_state.keys()
        changed = [each for each in known if self._widget_changed(each)]
        resent = [each for each in changed if self._received[each] == before.get(each)]
        # a button is pressed each time
        old = [each for each in resent if "trigger" not in (self._received[each].WhichOneof("value") or "")]
        if len(old) == len(changed):
            return  # the reader's one choice was the value before
        for each in old:
            value = self._old_state[each]
            self._new_widget_state.set_from_value(each, value)
            if key := self._key_id_mapper.id_key_mapping.get(each):
                self._new_session_state[key] = value  # the browser is told once more


def keep_what_python_sets() -> None:
    """Let no message take back what Python has set since it was sent."""
    session_states.SessionState = _CurrentState


class _SharedLoop(asyncio.SelectorEventLoop):
    """The one event loop that all sessions' scripts find as theirs. None of them runs it, and none closes it."""

    def close(self) -> None:
        """Stay open for the other sessions."""


def share_script_loop() -> None:
    """Let sessions share one idle event loop. One for each would hold three descriptors for nothing."""
    shared = _SharedLoop()
    proxy = types.ModuleType("asyncio")
    proxy.__dict__.update(asyncio.__dict__, new_event_loop=lambda: shared)
    app_session.asyncio = proxy


def compose_theme_once() -> None:
    """Compose the theme once for the process, not for every run: a tenth of what a change costs."""
    compose = app_session._populate_theme_msg

    @lru_cache(16)
    def composed(section: str) -> CustomThemeConfig:
        theme = CustomThemeConfig()
        compose(theme, section)
        return theme

    def populate(theme: CustomThemeConfig, section: str = "theme") -> None:
        if (known := composed(section)).ByteSize():  # nothing leaves the field unset
            theme.MergeFrom(known)

    app_session._populate_theme_msg = populate


def forget_closed_sessions() -> None:
    """Let go of the sessions that can't come back any more. Streamlit would do so when the next one closes."""
    runtime.get_instance()._session_mgr._session_storage._cache.expire()


def look_up_no_address() -> None:
    """Keep Streamlit from asking the network, and another host, for this machine's own address."""
    net_util.get_internal_ip = net_util.get_external_ip = lambda: None


def advertise_nothing() -> None:
    """Keep Streamlit from laying an offer for authors of apps over the page, and from printing it."""
    skills.nudge_suppression_reason = lambda app_dir=None: "welcome_hidden"
    skills.are_skills_installed = lambda: True
