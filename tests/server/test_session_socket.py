"""A session's socket, with a browser that is only a queue, in simulated time."""

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attention_lab import streamlit_internals
from attention_lab.server.capacity import TokenBucket
from attention_lab.server.metrics import Metrics
from attention_lab.server.scheduler import Session
from attention_lab.server.session_socket import FILE_COST, LONGEST_FILE_URLS, SessionSocket
from attention_lab.server.settings import Settings

END = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()
AGAIN = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN).SerializeToString()
GONE = {"type": "websocket.disconnect", "code": 1001}
FILE = BackMsg(backend_operation_request={"request_id": "a", "deferred_file": {"file_id": "a"}})
FILE_URLS = BackMsg(file_urls_request={"request_id": "a", "file_names": ["b.npz"]})


def rerun(query="", **more):
    return BackMsg(rerun_script=ClientState(query_string=query, **more))


class Browser:
    """What a browser sends, and what it is sent."""

    def __init__(self, clock, **settings):
        self.sent, self.received = asyncio.Queue(), []
        self.takes, self.metrics = asyncio.Event(), Metrics(int, 1)
        self.takes.set()
        chosen = Settings(**settings)
        self.socket = SessionSocket(
            chosen, self.metrics, Session("here"), self.sent.get, self._receive, lambda: None
        )
        self.socket._pace = TokenBucket(chosen.message_rate, chosen.message_burst, clock)

    def send(self, *messages):
        for message in messages:
            data = message if isinstance(message, bytes) else message.SerializeToString()
            self.sent.put_nowait({"type": "websocket.receive", "bytes": data})

    async def _receive(self, message):
        await self.takes.wait()
        self.received.append(message)

    async def next(self):
        """Return what Streamlit reads next."""
        async with asyncio.timeout(60):
            message = await self.socket.receive()
        return BackMsg.FromString(message["bytes"]) if "bytes" in message else message


@pytest.fixture
def browser(simulated_time):
    return lambda **settings: Browser(simulated_time, **settings)


async def test_messages_beyond_the_rate_wait(browser, simulated_time):
    asked = browser(message_rate=1, message_burst=2)
    asked.send(rerun("first"), rerun("second"), rerun("third"))
    began, times = simulated_time(), []
    for name in ("first", "second", "third"):
        assert (await asked.next()).rerun_script.query_string == name
        times.append(round(simulated_time() - began))
    assert times == [0, 0, 1]
    assert asked.metrics.counted("delayed") == 1


async def test_longer_messages_and_files_count_as_several(browser, simulated_time):
    for message, cost in ((rerun("a" * 12_000), 3), (FILE, FILE_COST)):
        asked = browser(message_rate=1, message_burst=1)
        asked.send(message)
        began = simulated_time()
        await asked.next()
        assert round(simulated_time() - began) == cost - 1


async def test_nothing_runs_for_a_browser_that_has_not_taken_the_last_answer(browser):
    asked = browser()
    asked.takes.clear()
    sending = asyncio.create_task(asked.socket.send({"type": "websocket.send", "bytes": b""}))
    await asyncio.sleep(0)
    asked.send(rerun())
    reading = asyncio.create_task(asked.next())
    await asyncio.sleep(30)
    assert not reading.done()
    asked.takes.set()
    await reading
    await sending


async def test_session_knows_when_its_run_has_been_answered(browser):
    asked = browser()
    for data, ends in ((AGAIN, False), (END, True)):
        await asked.socket.send({"type": "websocket.send", "bytes": data})
        assert asked.socket.session.answered.is_set() is ends


async def test_message_that_no_page_needs_is_not_passed_on(browser):
    needless = [
        BackMsg(clear_cache=True),
        BackMsg(set_run_on_save=True),
        BackMsg(load_git_info=True),
        BackMsg(debug_disconnect_websocket=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(file_urls_request={"request_id": "a", "file_names": ["b", "c"]}),
        BackMsg(file_urls_request={"request_id": "a", "file_names": ["b" * LONGEST_FILE_URLS]}),
        BackMsg(backend_operation_request={"install_skills": {}}),
        BackMsg(backend_operation_request={"request_id": "a"}),
        BackMsg(),
    ]
    asked = browser()
    needed = [BackMsg(stop_script=True), BackMsg(app_heartbeat=True), FILE, FILE_URLS, rerun()]
    asked.send(*needless, *needed)
    assert [await asked.next() for _ in needed] == needed
    assert asked.metrics.counted("refused", "needless message") == len(needless)


async def test_where_a_file_is_put_is_not_asked_for_where_none_may_come(browser):
    asked = browser(upload_megabytes=0)
    asked.send(FILE_URLS, rerun())
    assert (await asked.next()).WhichOneof("type") == "rerun_script"


def test_every_kind_of_message_is_needed_or_refused():
    """A kind that a new Streamlit brings has to be thought about."""
    kinds = {field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields}
    known = {"clear_cache", "set_run_on_save", "load_git_info", "debug_disconnect_websocket"}
    known |= {"debug_shutdown_runtime"}
    assert kinds - streamlit_internals.NEEDED == known


REFUSED = {
    "broken": (b"\xff" * 20, 1002),
    "too big": (b"\0" * 70_000, 1009),
    "long address": (rerun("a" * 20_000), 1009),
    "too deep": (rerun(widget_states={"widgets": [{"id": "a", "json_value": "[" * 99}]}), 1002),
    "too many brackets": (rerun(widget_states={"widgets": [{"id": "a", "json_value": "[]" * 9999}]}), 1002),
    "no JSON": (rerun(widget_states={"widgets": [{"id": "a", "json_value": "{"}]}), 1002),
}


@pytest.mark.parametrize("why", REFUSED)
async def test_bad_messages_end_the_session_with_a_code(browser, why):
    message, code = REFUSED[why]
    asked = browser()
    asked.send(message)
    assert (await asked.next())["type"] == "websocket.disconnect"
    assert [message["code"] for message in asked.received] == [code]


async def test_text_is_no_message_and_a_disconnect_is_passed_on(browser):
    asked = browser()
    asked.sent.put_nowait({"type": "websocket.receive", "text": "a"})
    assert (await asked.next())["code"] == 1002
    asked.sent.put_nowait(GONE)
    assert await asked.next() is GONE
