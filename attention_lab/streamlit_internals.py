"""All that this app knows of Streamlit's inside: what no documentation promises, in one place.

Addresses, messages and their fields, options that are not listed, and the few places where Streamlit is told to
behave otherwise. `tests/test_streamlit_internals.py` holds each against the installed Streamlit, and names what
has moved after an upgrade. Nothing of this app is imported here, so that every part of it may import this.
"""

from __future__ import annotations

import asyncio
import json
import re
import types
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NoReturn

import streamlit
from google.protobuf.message import DecodeError
from streamlit import net_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx

# ---- addresses and files ----

STATIC = Path(streamlit.__file__).parent / "static"
INDEX = STATIC / "index.html"  # the one page that Streamlit answers every address with
CORE = "/_stcore/"
STREAM = CORE + "stream"  # a session's socket
HEALTH = CORE + "health"
HOST_CONFIG = CORE + "host-config"
COMPONENTS = CORE + "bidi-components/"
FILES = ("/static/", "/media/", "/component/", CORE)  # below these is no page
SUBPROTOCOLS = ("streamlit", "PLACEHOLDER_AUTH_TOKEN")  # a third one is the session to be taken up again
SOCKET = "x-attention-lab-socket"  # a header that the server adds to a session's request: its socket's name

# Where the browser finds the app: in the folder of the page that it opened, since no page lies deeper. Without it
# Streamlit's script tries the page's own address as a folder first.
ROOT_SCRIPT = 'window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href }'

# Elements in the browser's document, by their `data-testid`: those that styles, tests and benches look for.
DATA_TESTIDS = (
    "stAlert",
    "stApp",
    "stAppSkeleton",
    "stAppViewContainer",
    "stBidiComponentIsolated",
    "stButton",
    "stButtonGroup",
    "stCaptionContainer",
    "stCheckbox",
    "stColumn",
    "stDataFrame",
    "stDownloadButton",
    "stElementContainer",
    "stException",
    "stExpandSidebarButton",
    "stExpander",
    "stForm",
    "stHeader",
    "stHeaderActionElements",
    "stHeading",
    "stHorizontalBlock",
    "stIconMaterial",
    "stLayoutWrapper",
    "stMain",
    "stMainBlockContainer",
    "stMarkdown",
    "stMarkdownContainer",
    "stNavSectionHeader",
    "stNumberInput",
    "stNumberInputContainer",
    "stPageLink",
    "stPopover",
    "stPopoverBody",
    "stPopoverButton",
    "stRadio",
    "stSelectbox",
    "stSidebar",
    "stSidebarCollapseButton",
    "stSidebarNav",
    "stSidebarNavItems",
    "stSidebarNavLink",
    "stSidebarResizeHandle",
    "stSidebarUserContent",
    "stSkeleton",
    "stSkeletonElement",
    "stSlider",
    "stStatusWidget",
    "stTable",
    "stTextInput",
    "stTextInputField",
    "stTextInputRootElement",
    "stToolbar",
    "stTooltipContent",
    "stTooltipIcon",
    "stVegaLiteChart",
    "stVerticalBlock",
    "stWidgetLabel",
)

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
NEEDED = frozenset({RERUN, STOP, HEARTBEAT, OPERATION})  # all that these pages' browsers ever send
FILE = "deferred_file"  # the only operation among them: a download button asks for its file
JSON_FIELDS = ("json_value", "json_trigger_value")  # of a widget's state: text that Streamlit reads as JSON
# Of a widget's state: what says that something has happened, such as a button's press. It is said once.
TRIGGERS = ("trigger_value", "string_trigger_value", "chat_input_value", "json_trigger_value")


def read_back_message(data: bytes) -> BackMsg | None:
    """What a browser has said, or None where it is no message of Streamlit's."""
    try:
        return BackMsg.FromString(data)
    except DecodeError:
        return None


def rerun_message(rerun: ClientState) -> bytes:
    """The message that asks for `rerun`."""
    return BackMsg(rerun_script=rerun).SerializeToString()


def merge_reruns(older: ClientState, newer: ClientState) -> ClientState:
    """One rerun that does what two would: the newer one's values, and nothing lost that was said only once.

    A rerun of the whole page stays one. A fragment's rerun adds its values to it; where the whole page was
    asked for because another one is to be opened, that other one is.
    """
    merged = ClientState()
    merged.CopyFrom(newer)
    if not older.fragment_id and newer.fragment_id:
        merged.fragment_id = ""
        if (older.page_script_hash, older.page_name) != (newer.page_script_hash, newer.page_name):
            merged.page_script_hash, merged.page_name = older.page_script_hash, older.page_name
            merged.query_string = older.query_string
    merged.is_auto_rerun = older.is_auto_rerun and newer.is_auto_rerun
    merged.is_history_navigation |= older.is_history_navigation and newer.is_auto_rerun
    if older.HasField("context_info") and not newer.HasField("context_info"):
        merged.context_info.CopyFrom(older.context_info)
    if older.HasField("widget_states"):
        _keep_triggers(older.widget_states, merged.widget_states)
    return merged


def _keep_triggers(older: WidgetStates, merged: WidgetStates) -> None:
    """Add to `merged` what had happened in `older` and is not said again there."""
    by_id = {state.id: state for state in merged.widgets}
    for state in older.widgets:
        kind = state.WhichOneof("value")
        if kind not in TRIGGERS or not _is_set(state, kind):
            continue
        same = by_id.get(state.id)
        if same is None:
            merged.widgets.add().CopyFrom(state)
        elif same.WhichOneof("value") == kind:
            if not _is_set(same, kind):
                same.CopyFrom(state)
            elif kind == "json_trigger_value":  # a component's: a list of all that has happened
                same.json_trigger_value = json.dumps(_events(state) + _events(same))


def _is_set(state: WidgetState, kind: str) -> bool:
    value = getattr(state, kind)
    return bool(value.ListFields()) if hasattr(value, "ListFields") else bool(value)


def _events(state: WidgetState) -> list:
    events = json.loads(state.json_trigger_value)
    return events if isinstance(events, list) else [events]


def has_fragment(session: str, fragment: str) -> bool:
    """Whether a session knows a fragment; Streamlit says nothing to one who asks for another."""
    result = runtime.get_instance().get_app_session(session) if runtime.exists() else None
    return result is not None and result.has_fragment(fragment)


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


def session_of(data: bytes) -> str:
    """The session's name, where a message says it: the first one of every run does."""
    said = ForwardMsg.FromString(data)
    return said.new_session.initialize.session_id if said.WhichOneof("type") == "new_session" else ""


def is_exception(data: bytes) -> bool:
    """Whether a message says that something went wrong in a page's script."""
    said = ForwardMsg.FromString(data)
    return (
        said.delta.new_element.WhichOneof("type") == "exception"
        or said.session_event.WhichOneof("type") == "script_compilation_exception"
    )


# ---- where Streamlit is told to behave otherwise ----


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


def look_up_no_address() -> None:
    """Keep Streamlit from asking the network, and another host, for this machine's own address."""
    net_util.get_internal_ip = net_util.get_external_ip = lambda: None
