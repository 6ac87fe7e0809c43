"""The rooms of a process: who may do what, what everybody is told, what a room holds at most."""

import json
import random

import pytest

from attention_lab.classroom import names
from attention_lab.classroom.rooms import (
    MOST_LEADERS,
    MOST_TABS,
    PATIENCE,
    WITHOUT_PAGE,
    Limits,
    NoRoomError,
    Rooms,
    TurnedAwayError,
)
from tests.server.harness import Clock

SHEET, OTHER = "a" * 12, "b" * 12
ASK = {"page": "similarity", "query": "?word=apple", "sharing_key": SHEET, "answers": 3}
LEAD = {"page": "similarity", "query": "", "sharing_key": SHEET, "pose": {}}
HAND = {"vectors": {"0": [1, 2]}}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(Limits(rooms=8, members=5, hours=2), clock)


@pytest.fixture
def room(rooms):
    return rooms.open("blue-fox", "here")


def seat(number):
    return f"{number:032x}"


def lead(room, number=0):
    return room.join(seat(number), room.secret)


def pupils(room, count=3):
    return [room.join(seat(k)) for k in range(1, count + 1)]


def say(room, member, do, **message):
    return room.receive(member, {"do": do, **message})


def show_page(room, member, numbers=None, sharing_key=SHEET, goals=()):
    say(room, member, "here", page="similarity", sharing_key=sharing_key, numbers=numbers or {}, goals=[*goals])


def guess(room, member, answer, round_=1):
    say(room, member, "guess", question=room.question.number, round=round_, place=answer)


def refusal(call, *arguments, **more):
    """Return why a call is refused; the empty text if it is not."""
    try:
        call(*arguments, **more)
    except (NoRoomError, TurnedAwayError) as why:
        return str(why)
    return ""


def hands(payload):
    return {key: value for key, value in payload.items() if key.startswith("hand ")}


# Questions ---------------------------------------------------------------------------------------------


def test_counts_are_hidden_until_shown_and_both_rounds_stay(room):
    teacher, class_ = lead(room), pupils(room)

    def question():
        return room.all(teacher)["question"]

    say(room, teacher, "ask", **ASK)
    assert refusal(guess, room, teacher, 0) == "vote"
    for member, answer in zip(class_, (0, 0, 2), strict=True):
        guess(room, member, answer)
    assert question()["said"] == 3
    assert "counts" not in question(), "not even for the leader, whose screen is on the wall"
    say(room, teacher, "show", on=True)
    assert room.all(class_[0])["question"]["counts"] == [[2, 0, 1]]
    say(room, teacher, "again")
    assert "counts" not in question()
    guess(room, class_[2], 0, round_=2)
    guess(room, class_[2], 1, round_=2)  # a change of mind
    guess(room, class_[1], 1, round_=1)  # too late for the first
    say(room, teacher, "reveal")
    assert question()["counts"] == [[2, 0, 1], [0, 1, 0]]
    guess(room, class_[0], 2, round_=2)
    assert question()["counts"][1] == [0, 1, 0], "it is closed"
    assert room.all(class_[2])["guess"] == [2, 1], "a member who comes back knows its answers"


def test_following_another_page_hides_the_counts_and_what_the_leaders_page_hides(room):
    teacher, _ = lead(room), pupils(room)
    say(room, teacher, "ask", **ASK)
    for message, shown in (({}, False), ({"pose": {"word": 1}}, True), ({"sharing_key": OTHER}, False)):
        say(room, teacher, "show", on=True)
        say(room, teacher, "lead", **LEAD | message)
        assert room.question.shown == shown, message
    for query, address in (("?predict=1&present=1", "predict=1"), ("?predict=0", "")):
        say(room, teacher, "lead", **LEAD | {"query": query})
        assert room.follow["address"] == address


# Rights ------------------------------------------------------------------------------------------------


def test_only_members_with_the_secret_lead(room):
    teacher, member, *_ = lead(room), *pupils(room)
    forger = room.join(seat(9), "0" * 32)
    for do, message in {
        "ask": ASK,
        "again": {},
        "show": {"on": True},
        "reveal": {},
        "hands": {"where": "all"},
        "lead": {"page": None},
        "freeze": {"on": True},
        "lock": {"on": True},
        "remove": {"number": 3},
        "timer": {"seconds": 60},
        "undo": {},
        "revoke": {},
        "close": {},
    }.items():
        assert [refusal(say, room, each, do, **message) for each in (member, forger)] == ["rights"] * 2, do
        say(room, teacher, do, **message)


def test_a_revoked_secret_no_longer_leads(room):
    first, second = lead(room, 0), lead(room, 6)
    say(room, second, "freeze", on=True)  # two teachers both lead
    old, new = room.secret, say(room, first, "revoke")["secret"]
    assert refusal(say, room, second, "freeze", on=False) == "rights"
    assert not room.join(seat(7), old).leads
    assert room.join(seat(8), new).leads
    say(room, first, "freeze", on=False)
    assert not room.frozen


def test_undo_takes_back_everything(room):
    teacher, member = lead(room), *pupils(room, 1)
    before = room.all(member)
    say(room, teacher, "ask", **ASK)
    say(room, teacher, "lead", **LEAD | {"pose": {"word": 1}})
    say(room, teacher, "freeze", on=True)
    say(room, teacher, "timer", seconds=60)
    say(room, teacher, "hands", where="all")
    led = room.all(member)
    assert (led["follow"]["pose"], led["frozen"], led["timer"]) == ({"word": 1}, True, 60)
    say(room, teacher, "undo")
    assert room.all(member) == before | {"undone": 1}


# What is told ------------------------------------------------------------------------------------------


def test_hands_are_shown_on_request_and_only_on_the_leaders_sheet(room):
    teacher, (first, second, third) = lead(room), pupils(room)
    room.drain_updates()
    show_page(room, teacher)
    show_page(room, first, HAND)
    show_page(room, second, {"vectors": {"1": [3, 4]}}, sharing_key=OTHER)
    show_page(room, third)
    assert [hands(payload) for payload in room.drain_updates()] == [{}, {}]
    say(room, teacher, "hands", where="front")
    members, leaders = map(hands, room.drain_updates())
    assert members == {}
    assert leaders[f"hand {first.number}"] == [SHEET, {"vectors": {"0": [1.0, 2.0]}}]
    assert leaders[f"hand {second.number}"] is None
    say(room, teacher, "hands", where="all")
    assert room.drain_updates()[0][f"hand {first.number}"]
    show_page(room, first, {"vectors": {"0": [2, 2]}})
    assert [*hands(room.drain_updates()[0])] == [f"hand {first.number}"], "only who moved"
    room.leave(first)
    assert room.drain_updates()[0][f"hand {first.number}"] is None


def test_goals_are_counted_of_who_is_here_on_the_led_page(room):
    teacher, (first, second, _) = lead(room), pupils(room)
    show_page(room, teacher)
    show_page(room, first, goals=["twice", "opposites"])
    show_page(room, second, goals=["twice"])
    assert room.all(teacher)["goals"] == {"similarity": {"twice": 2, "opposites": 1}}
    assert "goals" not in room.all(first)
    room.leave(second)
    assert room.all(teacher)["goals"] == {"similarity": {"twice": 1, "opposites": 1}}


def test_only_changes_are_told(room):
    teacher, member = lead(room), *pupils(room, 1)
    room.drain_updates()
    assert room.drain_updates() is None
    say(room, teacher, "freeze", on=True)
    assert room.drain_updates() == ({"frozen": True}, {"frozen": True})
    show_page(room, member, HAND)
    assert "question" not in room.drain_updates()[1]


def test_a_timer_is_told_in_seconds_left(room, clock):
    """Clocks may differ, and who comes later sees the same."""
    teacher = lead(room)
    say(room, teacher, "timer", seconds=120)
    for seconds, left in ((50, 70), (100, 0)):
        clock.now += seconds
        assert room.all(teacher)["timer"] == left


def test_only_leaders_see_the_seats(room):
    teacher, (first, second) = lead(room), pupils(room, 2)
    tab = room.join(seat(20), browser=first.browser)
    show_page(room, first)
    members, leaders = room.drain_updates()
    assert leaders["seats"] == room.all(teacher)["seats"]
    assert leaders["seats"] == [([first.number, tab.number], "similarity"), ([second.number], "")]
    assert not {"seats"} & (members.keys() | room.all(second).keys())


# Seats -------------------------------------------------------------------------------------------------


def test_a_full_room_has_a_place_for_a_leader_and_a_seat_for_who_comes_back(room):
    members = pupils(room, 5)
    assert refusal(room.join, seat(99)) == "full"
    assert lead(room).leads
    room.leave(members[0])
    other = room.join(seat(50))
    assert refusal(room.join, members[0].client_id) == "full"
    room.leave(other)
    assert room.join(members[0].client_id) is members[0]


def test_a_thousand_members_that_come_and_go_leave_nothing_behind(room):
    teacher = lead(room)
    say(room, teacher, "ask", **ASK)
    for k in range(1, 1001):
        member = room.join(seat(k))
        guess(room, member, k % 3)
        show_page(room, member, HAND)
        room.leave(member)
    assert len(room.members) <= 2 * (room.limits.members + MOST_LEADERS)
    assert len(room.question.rounds[0]) <= 2 * room.limits.members
    assert len(room.here) == 1


def test_tabs_of_one_browser_count_once_and_have_one_vote(room):
    teacher = lead(room)
    tabs = [room.join(seat(k), browser=seat(90)) for k in range(1, MOST_TABS + 1)]
    assert refusal(room.join, seat(60), browser=seat(90)) == "full"
    others = [room.join(seat(20 + k)) for k in range(4)]
    assert refusal(room.join, seat(61)) == "full"
    assert room.all(teacher)["here"]["members"] == 5
    say(room, teacher, "ask", **ASK)
    for member, answer in ((tabs[0], 0), (tabs[1], 2), (others[0], 1)):
        guess(room, member, answer)
    say(room, teacher, "show", on=True)
    assert room.all(teacher)["question"]["counts"] == [[0, 1, 1]]
    assert room.all(tabs[3])["guess"] == [2]
    for member in (*tabs[:2], teacher):
        show_page(room, member, goals=[] if member is teacher else ["twice"])
    assert room.all(teacher)["goals"] == {"similarity": {"twice": 1}}
    assert room.all(teacher)["here"]["beside"] == 1


def test_one_address_fills_only_its_share_of_a_room(clock):
    room = Rooms(Limits(members=5, members_per_address=3), clock).open("blue-fox")
    for k in range(1, 4):
        room.join(seat(k), address="one")
    assert refusal(room.join, seat(4), address="one") == "full"
    assert room.join(seat(5), address="two")
    assert room.join(seat(6), browser=seat(1), address="one"), "another tab of the same browser"


def test_members_without_a_page_give_way_in_a_full_room(room, clock):
    """Sockets that only hold seats do not keep a class out."""
    teacher = lead(room)
    silent = pupils(room, 5)
    show_page(room, silent[0])
    clock.now += WITHOUT_PAGE
    newcomers = [room.join(seat(50 + k)) for k in range(4)]
    assert [member.dropped for member in silent] == ["", "full", "full", "full", "full"]
    assert all(member.here for member in newcomers)
    assert refusal(room.join, seat(60)) == "full"
    assert refusal(show_page, room, silent[1]) == "over"
    assert room.all(teacher)["here"]["members"] == 5


def test_a_locked_room_admits_only_who_has_been_there(room):
    teacher, (first, second, *_) = lead(room), pupils(room)
    room.leave(first)
    say(room, teacher, "lock", on=True)
    assert room.all(second)["locked"]
    assert refusal(room.join, seat(50)) == "locked"
    assert room.join(first.client_id) is first
    assert room.join(seat(51), browser=second.browser), "another tab of who is here"
    assert lead(room, 60).leads
    say(room, teacher, "lock", on=False)
    assert room.join(seat(50))


def test_a_removed_member_stays_out_with_all_tabs(room):
    teacher, (first, second, _) = lead(room), pupils(room)
    tab = room.join(seat(20), browser=first.browser)
    say(room, teacher, "remove", number=tab.number)
    assert (first.dropped, tab.dropped, second.dropped) == ("removed", "removed", "")
    assert {refusal(room.join, again, browser=first.browser) for again in (first.client_id, seat(21))} == {
        "removed"
    }
    say(room, teacher, "remove", number=teacher.number)
    assert teacher.here, "no leader is removed"
    assert {refusal(say, room, teacher, "remove", number=wrong) for wrong in (None, 0, 99, "1", True)} == {
        "number"
    }


# Rooms of a process ------------------------------------------------------------------------------------


def opened(rooms, name, address="here"):
    """Return a room with its leader in it."""
    lead(room := rooms.open(name, address))
    return room


def test_a_room_ends_after_its_hours_and_holds_nothing(rooms, room, clock):
    teacher = lead(room)
    say(room, teacher, "ask", **ASK)
    clock.now += 2 * 3600
    assert refusal(rooms.find, "blue-fox") == "unknown"
    assert (room.over, room.members, room.question) == ("hours", {}, None)
    assert refusal(say, room, teacher, "undo") == "over"


def test_the_oldest_empty_room_of_an_address_gives_way_to_a_new_one(rooms):
    first, second, third = (opened(rooms, name) for name in ("red-ant", "red-bat", "red-cat"))
    assert (first.over, second.over, third.over) == ("empty", "", "")
    pupils(second, 1)
    fourth = opened(rooms, "red-dog")
    assert (second.over, third.over) == ("", "empty"), "a room with a class in it stays"
    pupils(fourth, 1)
    assert refusal(rooms.open, "red-cow", "here") == "rooms"
    rooms.open("red-cow", "elsewhere")


def test_a_room_with_only_its_leaders_tabs_is_empty(rooms):
    first = opened(rooms, "red-ant")
    first.members[seat(0)].browser = seat(70)
    first.join(seat(1), browser=seat(70))
    assert first.empty
    first.join(seat(2), browser=seat(71))
    assert not first.empty


def test_a_full_server_closes_a_room_that_was_left_long_ago(rooms, clock):
    first, *_ = [opened(rooms, f"red-{name}x", f"address {name}") for name in "abcdefgh"]
    assert refusal(rooms.open, "red-dog", "another") == "rooms"
    first.leave(first.members[seat(0)])
    assert refusal(rooms.open, "red-dog", "another") == "rooms"
    clock.now += PATIENCE
    rooms.open("red-dog", "another")
    assert first.over == "empty"
    assert len(list(rooms)) == 8


def test_where_leaders_have_codes_only_a_code_opens_a_room():
    rooms = Rooms(Limits(leader_codes=("chalk", "Tafel")))
    for wrong in (None, "", "Chalk", "chalk,Tafel", 7):
        assert refusal(rooms.open, "red-ant", code=wrong) == "code"
    rooms.open("red-ant", code="Tafel")
    rooms.open("red-bat", code="chalk")


def test_a_room_is_opened_again_with_its_secret(rooms, room):
    secret = room.secret
    room.end("closed")
    again = rooms.open("blue-fox", secret=secret)
    assert again.join(seat(0), secret).leads
    assert again.opening != room.opening
    assert rooms.open("red-ant", secret="mine").secret != "mine"


def test_a_name_is_two_plain_words_and_is_taken_once(rooms, room):
    for name in ("", "fox", "Blue-Fox", "blue-fox-x", "blue fox", "../etc", "b-x", "ü-fox"):
        assert refusal(rooms.open, name) == "name", name
    assert refusal(rooms.open, "blue-fox") == "taken"
    say(room, lead(room), "close")
    assert rooms.open("blue-fox").secret != room.secret


def test_names_are_drawn_from_many_words_and_read_as_they_are_typed():
    first, second = names.words()
    assert len(first) * len(second) == len({*first}) * len({*second}) > 10_000
    assert all(names.read(f"{a} {b}") == f"{a}-{b}" for a in first for b in second)
    assert names.read(" Blue  FOX ") == names.read("blue-fox") == "blue-fox"
    assert names.read(names.draw())
    assert names.read("blue") is names.read("a very long room") is None


# Whatever is sent --------------------------------------------------------------------------------------

WILD = [None, True, -1, 0, 1, 2**70, 1e308, "", "x" * 3000, [], {}, [[]], {"0": [1]}, [["a"] * 99]]
WILD += [{"vectors": {"0": [1, "a"]}}, {"vectors": {"999": [1, 2]}}]
WILD += ["similarity", "__init__", "../home", SHEET, "all", "nan"]
DO = ["here", "guess", "ask", "again", "show", "reveal", "hands", "lead", "freeze", "lock", "timer", "undo"]
KEYS = ["page", "sharing_key", "numbers", "goals", "question", "round", "place", "query", "answers"]
KEYS += ["on", "where", "pose", "seconds"]


def test_any_message_is_obeyed_or_refused_and_payloads_stay_small(room):
    members = [lead(room), *pupils(room, 1)]
    chance, refused = random.Random(0), 0
    for _ in range(3000):
        message = {"do": chance.choice(DO)} | {key: chance.choice(WILD) for key in chance.sample(KEYS, 8)}
        if chance.random() < 0.5:
            message |= {"page": "similarity", "sharing_key": SHEET}
        refused += bool(refusal(room.receive, chance.choice(members), message))
        for payload in room.drain_updates() or ():
            assert len(json.dumps(payload, allow_nan=False)) < 4000
    assert 0 < refused < 2950
