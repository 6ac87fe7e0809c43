"""A session's socket, with a browser and a Streamlit that are both only queues, in simulated time."""

import asyncio
import contextlib
import json

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attention_lab import streamlit_internals
from attention_lab.server.metrics import Metrics
from attention_lab.server.run_limiter import RunLimiter
from attention_lab.server.session_socket import Reruns, SessionSocket
from attention_lab.server.settings import Settings

END = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()
AGAIN = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN).SerializeToString()
GONE = {"type": "websocket.disconnect", "code": 1001}
LONG = {"run_share_seconds": 60}
pytestmark = pytest.mark.usefixtures("simulated_time")


def rerun(query="", **more):
    return BackMsg(rerun_script=ClientState(query_string=query, **more))


class Wire:
    """What the browser says, and what it is told."""

    def __init__(self):
        self.said, self.told = asyncio.Queue(), []
        self.takes = asyncio.Event()
        self.takes.set()

    def say(self, *messages):
        for message in messages:
            data = message if isinstance(message, bytes) else message.SerializeToString()
            self.said.put_nowait({"type": "websocket.receive", "bytes": data})

    async def send(self, message):
        await self.takes.wait()
        self.told.append(message)


@contextlib.asynccontextmanager
async def session(limiter=None, address="here", taken_up="", **settings):
    chosen, wire = Settings(**(LONG | settings)), Wire()
    limiter = limiter or RunLimiter(3, chosen.run_share_seconds)
    metrics = Metrics(int, 1)
    async with SessionSocket(chosen, limiter, metrics, address, wire.said.get, wire.send, taken_up) as socket:
        socket.wire, socket.counted = wire, metrics
        yield socket


async def told(socket):
    """Return what Streamlit hears next."""
    async with asyncio.timeout(5):
        message = await socket.receive()
    return BackMsg.FromString(message["bytes"]) if "bytes" in message else message


async def hears_nothing(socket):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await socket.receive()


async def finish(socket, data=END):
    await socket.send({"type": "websocket.send", "bytes": data})
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def test_disconnect_is_heard_before_all_that_waits():
    async with session(message_rate=1, message_burst=1) as socket:
        socket.wire.say(*[rerun()] * 30)
        socket.wire.said.put_nowait(GONE)
        await asyncio.sleep(0.01)
        assert await told(socket) is GONE


async def test_one_script_runs_at_a_time_and_the_newest_request_is_next():
    async with session() as socket:
        socket.wire.say(rerun("first"))
        assert (await told(socket)).rerun_script.query_string == "first"
        socket.wire.say(rerun("second"), rerun("third"))
        await hears_nothing(socket)
        await finish(socket, AGAIN)
        await hears_nothing(socket)
        await finish(socket)
        assert (await told(socket)).rerun_script.query_string == "third"
        await hears_nothing(socket)
        assert socket.counted.reruns == 1


async def test_scripts_of_two_sessions_take_turns():
    limiter = RunLimiter(1, longest=60)
    async with session(limiter) as one, session(limiter, "elsewhere") as other:
        one.wire.say(rerun("a"))
        assert (await told(one)).rerun_script.query_string == "a"
        one.wire.say(rerun("b"))
        other.wire.say(rerun("c"))
        await hears_nothing(other)
        await finish(one)
        waiting = asyncio.create_task(told(one))
        assert (await told(other)).rerun_script.query_string == "c", "who has just run waits"
        await finish(other)
        assert (await waiting).rerun_script.query_string == "b"


async def test_script_finds_its_run_by_the_name_of_its_socket():
    limiter = RunLimiter(2, longest=60)
    async with session(limiter) as one, session(limiter) as other:
        for each in (one, other):
            each.wire.say(rerun())
            await told(each)
            assert limiter.of_socket[each.name].runs
        assert one.name != other.name
        first = limiter.of_socket[one.name]
        await finish(one)
        one.wire.say(rerun())
        await told(one)
        assert limiter.of_socket[one.name] is not first
    assert limiter.of_socket == {}, "nothing stays of who has left"


async def test_session_that_ends_gives_its_turn_back():
    limiter = RunLimiter(1, longest=60)
    async with session(limiter, "elsewhere") as other:
        async with session(limiter) as one:
            one.wire.say(rerun())
            await told(one)
            other.wire.say(rerun())
            await hears_nothing(other)
        await told(other)


async def test_script_that_never_ends_gives_way_to_the_next_request():
    async with session(RunLimiter(1, longest=0.05)) as socket:
        socket.wire.say(rerun("endless"))
        await told(socket)
        socket.wire.say(rerun("next"))
        assert (await told(socket)).rerun_script.query_string == "next"


async def test_stop_and_heartbeat_wait_for_nothing():
    async with session() as socket:
        socket.wire.say(rerun())
        await told(socket)
        socket.wire.say(rerun(), BackMsg(stop_script=True), BackMsg(app_heartbeat=True))
        assert (await told(socket)).stop_script
        assert (await told(socket)).app_heartbeat


async def test_nothing_runs_for_a_browser_that_has_not_taken_the_last_answer():
    limiter = RunLimiter(1, longest=60)
    async with session(limiter) as slow, session(limiter, "elsewhere") as other:
        slow.wire.takes.clear()
        slow.wire.say(rerun())
        await told(slow)
        await finish(slow)
        slow.wire.say(rerun())
        await hears_nothing(slow)
        other.wire.say(rerun())
        await told(other)
        await finish(other)
        slow.wire.takes.set()
        await told(slow)


async def test_message_that_no_page_needs_is_not_passed_on():
    needless = [
        BackMsg(clear_cache=True),
        BackMsg(set_run_on_save=True),
        BackMsg(load_git_info=True),
        BackMsg(debug_disconnect_websocket=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(file_urls_request={"request_id": "a", "file_names": ["b"]}),
        BackMsg(backend_operation_request={"install_skills": {}}),
        BackMsg(backend_operation_request={"request_id": "a"}),
        BackMsg(),
    ]
    async with session() as socket:
        socket.wire.say(*needless, rerun())
        assert (await told(socket)).WhichOneof("type") == "rerun_script"
        assert socket.counted.counted("refused", "needless message") == len(needless)


def test_every_kind_of_message_is_needed_or_refused():
    """A kind that a new Streamlit brings has to be thought about."""
    kinds = {field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields}
    known = {"clear_cache", "set_run_on_save", "load_git_info", "debug_disconnect_websocket"}
    known |= {"debug_shutdown_runtime", "file_urls_request"}
    assert kinds - streamlit_internals.NEEDED == known


REFUSED = {
    "too many": ([rerun()] * 50, 1008),
    "broken": ([b"\xff" * 20], 1002),
    "too big": ([b"\0" * 70_000], 1009),
    "long address": ([rerun("a" * 20_000)], 1009),
    "too deep": ([rerun(widget_states={"widgets": [{"id": "a", "json_value": "[" * 99}]})], 1002),
    "no JSON": ([rerun(widget_states={"widgets": [{"id": "a", "json_value": "{"}]})], 1002),
}


@pytest.mark.parametrize("why", REFUSED)
async def test_bad_messages_end_the_session_with_a_code(why):
    messages, code = REFUSED[why]
    async with session(message_rate=1, message_burst=20, message_backlog=20) as socket:
        socket.wire.say(*messages)
        while not isinstance(heard := await told(socket), dict):
            pass
        assert heard["type"] == "websocket.disconnect"
        assert [message["code"] for message in socket.wire.told] == [code]


async def test_longer_messages_count_as_several():
    async with session(message_rate=1, message_burst=4) as socket:
        socket.wire.say(rerun("a" * 12_000), BackMsg(app_heartbeat=True), BackMsg(app_heartbeat=True))
        assert (await told(socket)).app_heartbeat
        assert (await told(socket)).rerun_script.query_string
        await hears_nothing(socket)


async def test_burst_within_its_bounds_is_accepted():
    async with session(message_rate=1, message_burst=30, message_backlog=10) as socket:
        socket.wire.say(*[rerun(str(k)) for k in range(40)])
        assert (await told(socket)).rerun_script.query_string == "29"


async def test_unknown_fragment_takes_no_turn(monkeypatch):
    monkeypatch.setattr(streamlit_internals, "has_fragment", lambda session, fragment: fragment == "known")
    async with session() as socket:
        socket.wire.say(rerun(fragment_id="forged"), rerun(fragment_id="known"))
        assert (await told(socket)).rerun_script.fragment_id == "known"
        assert socket.counted.counted("refused", "unknown fragment") == 1


async def test_session_is_the_one_that_streamlit_made(monkeypatch):
    """A browser comes back with the session of a server that is no more."""
    monkeypatch.setattr(streamlit_internals, "has_fragment", lambda session, fragment: session == "new")
    made = ForwardMsg(new_session={"initialize": {"session_id": "new"}}).SerializeToString()
    async with session(taken_up="old") as socket:
        await finish(socket, made)
        socket.wire.say(rerun(fragment_id="a"))
        assert (await told(socket)).rerun_script.fragment_id == "a"


# ---- several reruns that become one ----


def state(**widgets):
    """Widgets by their name: the field of their value, and the value."""
    widgets = [{"id": name, field: value} for name, (field, value) in widgets.items()]
    return {"widgets": widgets}


def together(*wishes):
    reruns = Reruns()
    for wish in wishes:
        reruns.add(ClientState(**wish))
    found = []
    while reruns:
        found.append(reruns.take()[0])
    return found


def values(rerun):
    return {w.id: getattr(w, w.WhichOneof("value")) for w in rerun.widget_states.widgets}


def test_newest_values_count():
    (one,) = together({"widget_states": state(a=("int_value", 1))}, {"widget_states": state(a=("int_value", 2))})
    assert values(one) == {"a": 2}


def test_pressed_button_stays_pressed():
    pressed = {"widget_states": state(button=("trigger_value", True), a=("int_value", 1))}
    (one,) = together(pressed, {"widget_states": state(a=("int_value", 2))}, {"widget_states": state()})
    assert values(one) == {"button": True}
    (one,) = together(pressed, {"widget_states": state(button=("trigger_value", False))})
    assert values(one) == {"button": True}


def test_events_of_a_component_are_kept_in_order():
    first = {"widget_states": state(stage=("json_trigger_value", '[{"event": "door", "value": "a"}]'))}
    second = {"widget_states": state(stage=("json_trigger_value", '{"event": "door", "value": "b"}'))}
    (one,) = together(first, second)
    assert [event["value"] for event in json.loads(values(one)["stage"])] == ["a", "b"]


def test_rerun_of_the_whole_page_replaces_those_of_fragments():
    whole = {"page_script_hash": "x", "query_string": "old"}
    part = {"page_script_hash": "x", "fragment_id": "f", "query_string": "new"}
    for wishes in ([whole, part], [part, whole], [part, whole, part]):
        (one,) = together(*wishes)
        assert one.fragment_id == ""
        assert one.query_string == wishes[-1]["query_string"]


def test_other_page_is_opened_although_the_old_one_changed_once_more():
    other = {"page_script_hash": "other", "query_string": "there"}
    (one,) = together(other, {"page_script_hash": "this", "fragment_id": "f", "query_string": "here"})
    assert (one.page_script_hash, one.query_string, one.fragment_id) == ("other", "there", "")


def test_each_fragment_has_its_run_and_the_newest_comes_last():
    a, b = ({"fragment_id": name, "query_string": name} for name in "ab")
    assert [wish.query_string for wish in together(a, b, a | {"query_string": "a2"})] == ["b", "a2"]


def test_going_back_in_the_history_survives_only_automatic_reruns():
    back = {"is_history_navigation": True}
    assert together(back, {"is_auto_rerun": True})[0].is_history_navigation
    assert not together(back, {})[0].is_history_navigation
    assert not together({}, {"is_auto_rerun": True})[0].is_auto_rerun
