"""A room's sockets, with browsers that are only queues; then one over a real connection, through the gateway."""

import asyncio
import contextlib
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from classroom import sharing
from classroom.rooms import Limits, Rooms
from hosting import room_socket
from hosting.room_socket import BORNE, BURST, TRIES, RoomSockets
from tests.hosting.harness import Host

SHEET = "a" * 12


class Tab:
    """One member: what it says, and what it is told."""

    def __init__(self, sockets, room, number, address="here"):
        self.said, self.told, self.closed = asyncio.Queue(), {}, None
        self.takes = asyncio.Event()
        self.takes.set()
        self.count = 0
        self.seat = f"{number:032x}"
        self.said.put_nowait({"type": "websocket.connect"})
        scope = {"type": "websocket", "path": "/room", "query_string": f"room={room}".encode(), "headers": []}
        self.task = asyncio.create_task(sockets.serve(scope, self.said.get, self.send, address))

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

    def go(self):
        self.said.put_nowait({"type": "websocket.disconnect", "code": 1001})

    async def hears(self, key, value=None):
        async with asyncio.timeout(5):
            while key not in self.told or (value is not None and self.told[key] != value):
                await asyncio.sleep(0.005)

    async def is_let_go(self, reason):
        async with asyncio.timeout(5):
            await self.task
        assert self.closed == reason


@pytest.fixture
def sockets(monkeypatch):
    monkeypatch.setattr(room_socket, "EVERY", 0.05)
    monkeypatch.setattr(room_socket, "SOON", 0.01)
    counted = []
    made = RoomSockets(Rooms(Limits(rooms=4, members=400, hours=1), sharing), counted.append)
    made.counted = counted
    return made


async def opened(sockets, name="blue-fox", number=0, **more):
    teacher = Tab(sockets, name, number, **more)
    teacher.say("open", seat=teacher.seat)
    await teacher.hears("secret")
    return teacher


async def joined(sockets, number, name="blue-fox", **more):
    member = Tab(sockets, name, number)
    member.say("join", seat=member.seat, **more)
    await member.hears("leads")
    return member


def test_a_question_goes_round_and_comes_back_as_a_tally(sockets, run):
    async def day():
        teacher = await opened(sockets)
        class_ = [await joined(sockets, k) for k in range(1, 4)]
        await teacher.hears("here", {"members": 3, "beside": 0})
        teacher.say("ask", page="similarity", query="", sheet=SHEET, answers=2)
        for member, answer in zip(class_, (0, 1, 1), strict=True):
            async with asyncio.timeout(5):
                while not member.told["question"]:
                    await asyncio.sleep(0.005)
            assert "secret" not in member.told
            member.say("guess", question=1, round=1, place=answer)
        teacher.say("show", on=True)
        async with asyncio.timeout(5):
            while class_[0].told["question"].get("counts") != [[1, 2]]:
                await asyncio.sleep(0.01)
        class_[0].go()
        await class_[0].task
        await teacher.hears("here", {"members": 2, "beside": 0})
        back = await joined(sockets, 1)
        assert back.told["guess"] == [0]
        assert back.told["question"]["counts"] == [[1, 2]]
        teacher.say("close")
        for each in (teacher, back, *class_[1:]):
            await each.is_let_go("over")
            assert each.told["over"] == "closed"
        assert not sockets.members

    run(day())


def test_a_withdrawn_right_is_told_at_once(sockets, run):
    async def day():
        first = await opened(sockets)
        second = await joined(sockets, 1, secret=first.told["secret"])
        assert second.told["leads"]
        first.say("revoke")
        await second.hears("leads", False)
        assert second.told["secret"] != first.told["secret"]
        second.say("freeze", on=True)
        second.say("timer", seconds=5)
        await asyncio.sleep(0.2)
        assert not first.told["frozen"]

    run(day())


def test_one_who_takes_nothing_keeps_only_the_newest_and_holds_up_nobody(sockets, run):
    async def day():
        teacher, slow = await opened(sockets), await joined(sockets, 1)
        teacher.say("hands", where="all")
        teacher.say("here", page="similarity", sheet=SHEET, numbers={}, goals=[])
        other = await joined(sockets, 2)
        slow.takes.clear()
        before = slow.count
        for k in range(20):
            other.say("here", page="similarity", sheet=SHEET, numbers={"vectors": {"0": [k, k]}}, goals=[])
            await asyncio.sleep(0.06)
        hand = f"hand {other.told['number']}"
        await teacher.hears(hand, [SHEET, {"vectors": {"0": [19.0, 19.0]}}])
        slow.takes.set()
        await slow.hears(hand, [SHEET, {"vectors": {"0": [19.0, 19.0]}}])
        assert slow.count <= before + 3

    run(day())


@pytest.mark.parametrize(
    "flood",
    [
        lambda tab: tab.say("here", page="similarity", sheet=SHEET, numbers={}, goals=[]),
        lambda tab: tab.say("freeze", on=True),
        lambda tab: tab.raw("{"),
        lambda tab: tab.raw("[" * 9000),
        lambda tab: tab.raw("x" * 20_000),
        lambda tab: tab.said.put_nowait({"type": "websocket.receive", "bytes": b"\0"}),
    ],
    ids=["too much", "not hers", "no json", "deep", "long", "bytes"],
)
def test_who_floods_or_forges_is_let_go_and_the_others_notice_nothing(sockets, run, flood):
    async def day():
        teacher, bad = await opened(sockets), await joined(sockets, 1)
        for _ in range(BURST + BORNE + 1):
            flood(bad)
        await bad.is_let_go("too much")
        assert not teacher.told["frozen"]
        teacher.say("freeze", on=True)
        await teacher.hears("frozen", True)

    run(day())


def test_names_of_no_room_are_tried_only_so_often(sockets, run):
    """The address has to wait then, even with the right name, so that a guess tells nothing."""

    async def day():
        await opened(sockets)
        for k in range(TRIES[1] + 1):
            guess = Tab(sockets, f"red-{'abcdefghij'[k % 10]}x", 100 + k)
            guess.say("join", seat=guess.seat)
            await guess.is_let_go("unknown")
        for name in ("red-ax", "blue-fox"):
            guess = Tab(sockets, name, 99)
            guess.say("join", seat=guess.seat)
            await guess.is_let_go("tries")
        elsewhere = Tab(sockets, "blue-fox", 98, "there")
        elsewhere.say("join", seat=elsewhere.seat)
        await elsewhere.hears("leads", False)

    run(day())


def test_a_thousand_come_four_hundred_are_let_in(sockets, run, monkeypatch):
    monkeypatch.setattr(sockets, "_joins", room_socket.RequestPace(1000, 5000))

    async def day():
        teacher = await opened(sockets)
        tabs = [Tab(sockets, "blue-fox", k) for k in range(1, 1001)]
        for tab in tabs:
            tab.say("join", seat=tab.seat)
        await teacher.hears("here", {"members": 400, "beside": 0})
        refused = [tab for tab in tabs if tab.closed]
        assert {tab.closed for tab in refused} == {"full"}
        assert len(refused) == 600
        for tab in tabs:
            tab.go()
        await teacher.hears("here", {"members": 0, "beside": 0})

    run(day())


def test_the_same_tab_again_takes_the_seat_from_its_old_socket(sockets, run):
    async def day():
        teacher, old = await opened(sockets), await joined(sockets, 1)
        again = await joined(sockets, 1)
        await old.is_let_go("elsewhere")
        await asyncio.sleep(0.1)
        assert teacher.told["here"]["members"] == 1
        teacher.say("freeze", on=True)
        await again.hears("frozen", True)

    run(day())


@pytest.mark.parametrize("said", ["", "[]", '{"do": "here"}', '{"do": "join"}', '{"do": "open", "seat": 7}'])
def test_who_does_not_say_what_it_wants_is_not_let_in(sockets, run, said):
    async def day():
        tab = Tab(sockets, "blue-fox", 1)
        await opened(sockets, "blue-fox", 2)
        tab.raw(said)
        async with asyncio.timeout(5):
            await tab.task
        assert tab.closed in ("broken", "seat", "taken")
        assert sockets.members == 1

    run(day())


@contextlib.asynccontextmanager
async def tab(host, room, first, **headers):
    url = f"{host.url.replace('http', 'ws')}/room?room={room}"
    async with connect(url, additional_headers={"Origin": host.url} | headers) as socket:
        await socket.send(json.dumps(first))
        yield socket


def test_the_gateway_lets_rooms_in_within_its_settings(run):
    async def day(host):
        seat = "0" * 32
        async with tab(host, "blue-fox", {"do": "open", "seat": seat}) as teacher:
            told = json.loads(await teacher.recv())
            assert told["leads"]
            assert host.metrics()["room_members"] == 1
            async with tab(host, "blue-fox", {"do": "join", "seat": "1" * 32}) as member:
                assert not json.loads(await member.recv())["leads"]
                async with tab(host, "blue-fox", {"do": "join", "seat": "2" * 32}) as late:
                    with pytest.raises(ConnectionClosed, match="full"):
                        await late.recv()
                await teacher.send(json.dumps({"do": "freeze", "on": True}))
                async with asyncio.timeout(5):
                    while json.loads(await member.recv()).get("frozen") is not True:
                        pass
            async with tab(host, "red-fox", {"do": "open", "seat": seat}) as more:
                with pytest.raises(ConnectionClosed, match="rooms"):
                    await more.recv()
        with pytest.raises(InvalidStatus, match="403"):
            async with tab(host, "blue-fox", {}, Origin="https://elsewhere.example"):
                pass

    with Host(rooms=1, room_members=1) as host:
        run(day(host))
        assert not host.faults()
        assert "blue-fox" not in host.output(), "no room stands in the log"
    with Host(rooms=0) as host, pytest.raises(InvalidStatus, match="404"):
        run(day(host))
