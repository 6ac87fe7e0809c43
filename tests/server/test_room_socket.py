"""The sockets of a live classroom's members, with browsers that are only queues, in simulated time."""

import asyncio
import json

import pytest

from attention_lab.classroom.rooms import Limits, Room, Rooms
from attention_lab.server.capacity import RateLimiter
from attention_lab.server.room_socket import BORNE, BURST, LONGEST_WAIT, MOST_WAITING, TRIES, Line, RoomSockets
from tests.server.harness import until

SHEET = "a" * 12


class Tab:
    """One member: what it says, and what it is told."""

    def __init__(self, sockets, room, number, address="here", *, do=None, **more):
        self.said, self.told, self.closed = asyncio.Queue(), {}, None
        self.takes = asyncio.Event()
        self.takes.set()
        self.count = 0
        self.seat = f"{number:032x}"
        self.said.put_nowait({"type": "websocket.connect"})
        scope = {"type": "websocket", "path": "/room", "query_string": f"room={room}".encode(), "headers": []}
        self.task = asyncio.create_task(sockets.serve(scope, self.said.get, self.send, address))
        if do:
            self.say(do, seat=self.seat, **more)

    async def send(self, message):
        await self.takes.wait()
        if message["type"] == "websocket.close":
            self.closed = message["reason"]
        if "text" in message:
            self.count += 1
            self.told |= json.loads(message["text"])

    def say(self, do, **more):
        self.raw(json.dumps({"do": do, **more}))

    def raw(self, text):
        self.said.put_nowait({"type": "websocket.receive", "text": text})

    async def leave(self):
        self.said.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await self.task

    async def hears(self, key, value=None):
        await until(lambda: key in self.told and (value is None or self.told[key] == value))

    async def is_let_go(self, reason):
        await until(self.task.done)
        assert self.closed == reason


@pytest.fixture
def sockets(simulated_time):
    return sockets_of(Limits(rooms=4, members=400, hours=1, members_per_address=400), simulated_time)


def sockets_of(limits, clock):
    return RoomSockets(Rooms(limits, clock), clock=clock)


async def opened(sockets, name="blue-fox", number=0, **more):
    teacher = Tab(sockets, name, number, do="open", **more)
    await teacher.hears("secret")
    return teacher


async def joined(sockets, number, name="blue-fox", **more):
    member = Tab(sockets, name, number, do="join", **more)
    await member.hears("leads")
    return member


async def test_member_that_takes_nothing_keeps_only_the_newest_and_delays_nobody(sockets):
    teacher, slow = await opened(sockets), await joined(sockets, 1)
    teacher.say("hands", where="all")
    teacher.say("here", page="similarity", sharing_key=SHEET, numbers={}, goals=[])
    other = await joined(sockets, 2)
    slow.takes.clear()
    before, hand = slow.count, f"hand {other.told['number']}"
    for k in range(20):
        other.say("here", page="similarity", sharing_key=SHEET, numbers={"vectors": {"0": [k, k]}}, goals=[])
        newest = [SHEET, {"vectors": {"0": [float(k), float(k)]}}]
        await teacher.hears(hand, newest)
    slow.takes.set()
    await slow.hears(hand, newest)
    assert slow.count <= before + 3


async def test_member_that_floods_or_forges_is_let_go_and_the_others_notice_nothing(sockets):
    floods = [
        lambda tab: tab.say("here", page="similarity", sharing_key=SHEET, numbers={}, goals=[]),
        lambda tab: tab.say("freeze", on=True),
        lambda tab: tab.raw("{"),
        lambda tab: tab.raw("[" * 9000),
        lambda tab: tab.raw("x" * 20_000),
        lambda tab: tab.said.put_nowait({"type": "websocket.receive", "bytes": b"\0"}),
    ]
    teacher = await opened(sockets)
    for number, flood in enumerate(floods, 1):
        bad = await joined(sockets, number)
        for _ in range(BURST + BORNE + 1):
            flood(bad)
        await bad.is_let_go("too much")
    assert not teacher.told["frozen"]
    teacher.say("freeze", on=True)
    await teacher.hears("frozen", True)


async def test_wrong_names_are_answered_ever_later_and_keep_nobody_out(sockets):
    await opened(sockets)
    names = [f"red-{'abcdefghij'[k % 10]}x" for k in range(TRIES[1] + 60)]
    guesses = [Tab(sockets, name, k, do="join") for k, name in enumerate(names, 100)]
    await asyncio.sleep(1)
    assert sum(guess.closed == "unknown" for guess in guesses) == TRIES[1]
    assert sum(guess.closed == "tries" for guess in guesses) == 60 - MOST_WAITING
    late = [guess for guess in guesses if not guess.closed]
    await joined(sockets, 1)  # from the same address, at once
    assert not any(guess.closed for guess in late)
    await late[0].leave()
    for guess in late[1:]:
        await guess.is_let_go("unknown")
    assert not sockets._waiting


async def test_taken_name_is_answered_as_late_as_an_unknown_one(sockets, monkeypatch, simulated_time):
    monkeypatch.setattr(sockets, "_tries", RateLimiter(0.001, 0, simulated_time))
    await opened(sockets)
    guess = Tab(sockets, "blue-fox", 5, do="open")
    await asyncio.sleep(LONGEST_WAIT - 0.1)
    assert guess.closed is None
    await guess.is_let_go("taken")


async def test_room_comes_back_after_a_restart_with_its_leader_and_seats(sockets, simulated_time):
    teacher = await opened(sockets)
    secret, opening = teacher.told["secret"], teacher.told["opening"]
    assert teacher.told["opened"]
    after = sockets_of(sockets.rooms.limits, simulated_time)
    early = Tab(after, "blue-fox", 1, do="join")
    await early.is_let_go("unknown")
    again = await joined(after, 0, secret=secret)
    assert again.told["leads"]
    assert (again.told["secret"], again.told["opened"]) == (secret, True)
    assert again.told["opening"] != opening
    member, second = await joined(after, 1), await joined(after, 2, secret=secret)
    assert not member.told["leads"]
    assert second.told["leads"]
    assert not second.told["opened"], "only one leader brings the room back"
    await again.hears("here", {"members": 1, "beside": 0})
    for wrong in ("", "x", 7, "g" * 32):
        stranger = Tab(after, "red-ant", 3, do="join", secret=wrong)
        await stranger.is_let_go("unknown")


async def test_room_goes_on_after_something_could_not_be_told(sockets, monkeypatch, caplog):
    teacher, member = await opened(sockets), await joined(sockets, 1)
    with monkeypatch.context() as broken:
        broken.setattr(Room, "_to_payload", lambda room, keys, moved, leads: 1 / 0)
        teacher.say("lock", on=True)
        await until(lambda: caplog.records)
        teacher.say("freeze", on=True)
        await asyncio.sleep(5)
    assert {record.message for record in caplog.records} == {"a room could not be told what is new"}
    assert isinstance(caplog.records[0].exc_info[1], ZeroDivisionError)
    for tab in (teacher, member):
        await tab.hears("locked", True)
        await tab.hears("frozen", True)
        assert tab.closed is None
        assert "Zero" not in json.dumps(tab.told)
    assert "secret" not in member.told
    teacher.say("close")
    for tab in (teacher, member):
        await tab.is_let_go("over")
        assert tab.told["over"] == "closed"
    assert not sockets.members


async def test_member_who_lacks_an_update_is_told_everything_next(sockets, monkeypatch, caplog):
    teacher, member, other = await opened(sockets), await joined(sockets, 1), await joined(sockets, 2)
    with monkeypatch.context() as broken:
        broken.setattr(Line, "tell", lambda line, told, text=None: 1 / 0)
        teacher.say("freeze", on=True)
        await until(lambda: caplog.records)
    teacher.say("lock", on=True)
    for tab in (teacher, member, other):
        await tab.hears("locked", True)
        assert tab.told["frozen"]


async def test_tab_that_does_not_ask_to_join_is_refused(sockets):
    await opened(sockets, "blue-fox", 2)
    for said in ("", "[]", '{"do": "here"}', '{"do": "join"}', '{"do": "open", "seat": 7}'):
        tab = Tab(sockets, "blue-fox", 1)
        tab.raw(said)
        await until(tab.task.done)
        assert tab.closed in ("broken", "seat", "taken")
        assert sockets.members == 1
