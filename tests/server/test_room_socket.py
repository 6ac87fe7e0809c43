"""A room's sockets, with browsers that are only queues; then one over a real connection, through the gateway."""

import asyncio
import contextlib
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from attention_lab.classroom import sharing
from attention_lab.classroom.rooms import Limits, Rooms
from attention_lab.server import room_socket
from attention_lab.server.room_socket import BORNE, BURST, MOST_WAITING, TRIES, RoomSockets
from tests.server.harness import Host

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
    limits = Limits(rooms=4, members=400, hours=1, members_per_address=400)
    made = RoomSockets(Rooms(limits, sharing), counted.append)
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


def test_wrong_names_are_answered_ever_later_and_keep_nobody_out(sockets, run, monkeypatch):
    monkeypatch.setattr(room_socket, "LONGEST_WAIT", 0.5)

    async def day():
        await opened(sockets)
        guesses = [Tab(sockets, f"red-{'abcdefghij'[k % 10]}x", 100 + k) for k in range(TRIES[1] + 60)]
        for guess in guesses:
            guess.say("join", seat=guess.seat)
        async with asyncio.timeout(5):
            while sum(guess.closed is not None for guess in guesses) < TRIES[1] + 10:
                await asyncio.sleep(0.005)
        assert sum(guess.closed == "unknown" for guess in guesses) == TRIES[1]
        assert sum(guess.closed == "tries" for guess in guesses) == 60 - MOST_WAITING
        late = [guess for guess in guesses if not guess.closed]
        assert len(late) == MOST_WAITING, "they wait"
        await joined(sockets, 1)  # from the same address, at once
        assert not any(guess.closed for guess in late)
        late[0].go()
        for guess in late[1:]:
            await guess.is_let_go("unknown")
        await late[0].task
        assert not sockets._waiting

    run(day())


def test_a_name_that_is_taken_is_told_as_late_as_one_that_is_not_known(sockets, run, monkeypatch):
    monkeypatch.setattr(sockets, "_tries", room_socket.RequestPace(0.001, 0))
    monkeypatch.setattr(room_socket, "LONGEST_WAIT", 0.2)

    async def day():
        await opened(sockets)
        guess = Tab(sockets, "blue-fox", 5)
        guess.say("open", seat=guess.seat)
        await asyncio.sleep(0.1)
        assert guess.closed is None
        await guess.is_let_go("taken")

    run(day())


def test_a_room_comes_back_under_its_words_with_its_leader_and_the_seats_of_its_members(sockets, run):
    """The server was restarted: it knows nothing any more."""

    async def day():
        teacher = await opened(sockets)
        secret, opening = teacher.told["secret"], teacher.told["opening"]
        assert teacher.told["opened"]
        after = RoomSockets(Rooms(sockets.rooms.limits, sharing))
        early = Tab(after, "blue-fox", 1)
        early.say("join", seat=early.seat)
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
            stranger = Tab(after, "red-ant", 3)
            stranger.say("join", seat=stranger.seat, secret=wrong)
            await stranger.is_let_go("unknown")
        for each in (teacher, again, member, second):
            each.go()
            await each.task

    run(day())


def test_who_is_removed_is_let_go_at_once_and_a_locked_room_takes_nobody_new(sockets, run):
    async def day():
        teacher = await opened(sockets)
        first, second = [await joined(sockets, k, browser=f"{40 + k:032x}") for k in (1, 2)]
        teacher.say("remove", number=first.told["number"])
        await first.is_let_go("removed")
        teacher.say("lock", on=True)
        await second.hears("locked", True)
        for browser, why in ((first, "removed"), (Tab(sockets, "blue-fox", 9), "locked")):
            again = Tab(sockets, "blue-fox", 50)
            again.say("join", seat=again.seat, browser=f"{41:032x}" if browser is first else again.seat)
            await again.is_let_go(why)
        await teacher.hears("here", {"members": 1, "beside": 0})

    run(day())


def test_three_hundred_sockets_of_one_address_leave_a_class_its_seats(sockets, run, monkeypatch):
    monkeypatch.setattr("attention_lab.classroom.rooms.WITHOUT_PAGE", 0.0)
    limits = Limits(members=300, members_per_address=150)
    sockets.rooms.limits = limits

    async def day():
        teacher = await opened(sockets)
        flood = [Tab(sockets, "blue-fox", 1000 + k) for k in range(330)]
        for tab in flood:
            tab.say("join", seat=tab.seat)
        one_browser = [Tab(sockets, "blue-fox", 2000 + k) for k in range(20)]
        for tab in one_browser:
            tab.say("join", seat=tab.seat, browser="b" * 32)
        class_ = [await joined(sockets, k) for k in range(1, 31)]
        for member in class_:
            member.say("here", page="similarity", sheet=SHEET, numbers={}, goals=[])
        teacher.say("freeze", on=True)
        for member in class_:
            await member.hears("frozen", True)
        assert teacher.told["here"]["members"] <= 150
        for each in (teacher, *flood, *one_browser, *class_):
            each.go()
            await each.task

    run(day())


def test_a_thousand_come_four_hundred_are_let_in(sockets, run):
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
        async with tab(host, "blue-fox", {"do": "open", "seat": seat, "code": "chalk"}) as teacher:
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
                async with tab(host, "red-fox", {"do": "open", "seat": seat, "code": "chalk"}) as more:
                    with pytest.raises(ConnectionClosed, match="rooms"):
                        await more.recv()
                async with tab(host, "red-fox", {"do": "open", "seat": seat}) as more:
                    with pytest.raises(ConnectionClosed, match="code"):
                        await more.recv()
        with pytest.raises(InvalidStatus, match="403"):
            async with tab(host, "blue-fox", {}, Origin="https://elsewhere.example"):
                pass

    with Host(rooms=1, room_members=1, room_leader_codes="slate,chalk") as host:
        run(day(host))
        assert "chalk" not in host.output()
        assert not host.faults()
        assert "blue-fox" not in host.output(), "no room stands in the log"
    with Host(rooms=0) as host, pytest.raises(InvalidStatus, match="404"):
        run(day(host))
