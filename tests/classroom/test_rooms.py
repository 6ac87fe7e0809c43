"""A room by itself: who may do what, what is told, what it holds at most."""

import json
import random

import pytest

from attention_lab.classroom import names, sharing
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

SHEET, OTHER = "a" * 12, "b" * 12


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(Limits(rooms=8, members=5, hours=2), sharing, clock)


@pytest.fixture
def room(rooms):
    return rooms.open("blue-fox", "here")


def seat(number):
    return f"{number:032x}"


def lead(room, number=0):
    return room.join(seat(number), room.secret)


def pupils(room, count=3):
    return [room.join(seat(k)) for k in range(1, count + 1)]


def place(room, member, numbers=None, sheet=SHEET, goals=()):
    said = {"page": "similarity", "sheet": sheet, "numbers": numbers or {}, "goals": list(goals)}
    room.receive(member, {"do": "here", **said})


def ask(room, teacher, answers=3):
    said = {"page": "similarity", "query": "?word=apple", "sheet": SHEET, "answers": answers}
    room.receive(teacher, {"do": "ask", **said})


def guess(room, member, answer, round_=1):
    question = room.question.number
    room.receive(member, {"do": "guess", "question": question, "round": round_, "place": answer})


def test_the_tally_is_hidden_until_it_is_shown_and_both_rounds_stand_side_by_side(room):
    teacher, class_ = lead(room), pupils(room)
    ask(room, teacher)
    for member, answer in zip(class_, (0, 0, 2), strict=True):
        guess(room, member, answer)
    told = room.all(teacher)["question"]
    assert told["said"] == 3
    assert "counts" not in told, "not even whoever leads sees them: her screen is on the wall"
    room.receive(teacher, {"do": "show", "on": True})
    assert room.all(class_[0])["question"]["counts"] == [[2, 0, 1]]
    room.receive(teacher, {"do": "again"})
    assert "counts" not in room.all(teacher)["question"]
    guess(room, class_[2], 0, round_=2)
    guess(room, class_[2], 1, round_=2)  # a change of mind
    guess(room, class_[1], 1, round_=1)  # too late for the first
    room.receive(teacher, {"do": "reveal"})
    assert room.all(teacher)["question"]["counts"] == [[2, 0, 1], [0, 1, 0]]
    guess(room, class_[0], 2, round_=2)
    assert room.all(teacher)["question"]["counts"][1] == [0, 1, 0], "it is closed"
    assert room.all(class_[2])["guess"] == [2, 1], "who comes back knows what it said"


def test_who_leads_has_no_vote(room):
    teacher = lead(room)
    ask(room, teacher)
    with pytest.raises(TurnedAwayError):
        guess(room, teacher, 0)


@pytest.mark.parametrize(
    "said",
    [
        {"do": "ask", "page": "similarity", "query": "", "sheet": SHEET, "answers": 3},
        {"do": "again"},
        {"do": "show", "on": True},
        {"do": "reveal"},
        {"do": "hands", "where": "all"},
        {"do": "lead", "page": None},
        {"do": "freeze", "on": True},
        {"do": "lock", "on": True},
        {"do": "remove", "number": 2},
        {"do": "timer", "seconds": 60},
        {"do": "undo"},
        {"do": "revoke"},
        {"do": "close"},
    ],
    ids=lambda said: said["do"],
)
def test_only_who_shows_the_secret_leads(room, said):
    teacher, member, forger = lead(room), *pupils(room, 1), room.join(seat(9), "0" * 32)
    ask(room, teacher)
    for each in (member, forger):
        with pytest.raises(TurnedAwayError, match="rights"):
            room.receive(each, said)
    room.receive(teacher, said)


def test_a_withdrawn_secret_leads_no_more(room):
    first, second = lead(room, 0), lead(room, 6)
    room.receive(second, {"do": "freeze", "on": True})  # two teachers both lead
    old, new = room.secret, room.receive(first, {"do": "revoke"})["secret"]
    with pytest.raises(TurnedAwayError):
        room.receive(second, {"do": "freeze", "on": False})
    assert not room.join(seat(7), old).leads
    assert room.join(seat(8), new).leads
    room.receive(first, {"do": "freeze", "on": False})
    assert not room.frozen


def test_undo_gives_everything_back(room):
    teacher, member = lead(room), *pupils(room, 1)
    before = room.all(member)
    ask(room, teacher)
    pose = {"page": "similarity", "query": "?goal=twice", "sheet": SHEET, "pose": {"word": 1}}
    room.receive(teacher, {"do": "lead", **pose})
    for said in ({"do": "freeze", "on": True}, {"do": "timer", "seconds": 60}, {"do": "hands", "where": "all"}):
        room.receive(teacher, said)
    led = room.all(member)
    assert led["follow"]["pose"] == {"word": 1}
    assert led["frozen"]
    assert led["timer"] == 60
    room.receive(teacher, {"do": "undo"})
    assert room.all(member) == before | {"undone": 1}


def test_hands_are_seen_where_they_are_shown_and_only_on_the_sheet_that_is_led(room):
    teacher, (first, second, third) = lead(room), pupils(room)
    room.news()
    place(room, teacher)
    place(room, first, {"vectors": {"0": [1, 2]}})
    place(room, second, {"vectors": {"1": [3, 4]}}, sheet=OTHER)
    place(room, third)
    assert not [key for told in room.news() for key in told if key.startswith("hand ")]
    room.receive(teacher, {"do": "hands", "where": "front"})
    members, leaders = room.news()
    assert not [key for key in members if key.startswith("hand ")]
    assert leaders[f"hand {first.number}"] == [SHEET, {"vectors": {"0": [1.0, 2.0]}}]
    assert leaders[f"hand {second.number}"] is None
    room.receive(teacher, {"do": "hands", "where": "all"})
    assert room.news()[0][f"hand {first.number}"]
    place(room, first, {"vectors": {"0": [2, 2]}})
    members, leaders = room.news()
    assert [key for key in members if key.startswith("hand ")] == [f"hand {first.number}"], "only who moved"
    room.leave(first)
    assert room.news()[0][f"hand {first.number}"] is None


def test_goals_are_counted_of_who_is_here_on_the_page_that_is_led(room):
    teacher, (first, second, _) = lead(room), pupils(room)
    place(room, teacher)
    place(room, first, goals=["twice", "opposites"])
    place(room, second, goals=["twice"])
    assert room.all(teacher)["goals"] == {"similarity": {"twice": 2, "opposites": 1}}
    assert "goals" not in room.all(first)
    room.leave(second)
    assert room.all(teacher)["goals"] == {"similarity": {"twice": 1, "opposites": 1}}


def test_what_has_not_changed_is_not_told_again(room):
    teacher, member = lead(room), *pupils(room, 1)
    room.news()
    assert room.news() is None
    room.receive(teacher, {"do": "freeze", "on": True})
    assert room.news() == ({"frozen": True}, {"frozen": True})
    place(room, member, {"vectors": {"0": [1, 2]}})
    assert "question" not in room.news()[1]


def test_a_timer_is_told_in_seconds_left(room, clock):
    """So that clocks may differ, and who comes later or was asleep sees the same."""
    teacher, member = lead(room), *pupils(room, 1)
    room.receive(teacher, {"do": "timer", "seconds": 120})
    clock.now += 50
    assert room.all(member)["timer"] == 70
    clock.now += 100
    assert room.all(member)["timer"] == 0


def test_a_full_room_keeps_a_place_for_who_leads_and_a_seat_for_who_comes_back(room):
    members = pupils(room, 5)
    with pytest.raises(NoRoomError, match="full"):
        room.join(seat(99))
    assert lead(room).leads
    room.leave(members[0])
    other = room.join(seat(50))
    with pytest.raises(NoRoomError, match="full"):
        room.join(members[0].seat)
    room.leave(other)
    assert room.join(members[0].seat) is members[0]


def test_a_thousand_that_come_and_go_leave_nothing_behind(room):
    teacher = lead(room)
    ask(room, teacher)
    for k in range(1, 1001):
        member = room.join(seat(k))
        guess(room, member, k % 3)
        place(room, member, {"vectors": {"0": [1, 2]}})
        room.leave(member)
    assert len(room.members) <= 2 * (room.limits.members + MOST_LEADERS)
    assert len(room.question.rounds[0]) <= 2 * room.limits.members
    assert len(room.here) == 1


def test_rooms_end_after_their_hours_and_hold_nothing(rooms, room, clock):
    teacher = lead(room)
    ask(room, teacher)
    clock.now += 2 * 3600
    with pytest.raises(NoRoomError, match="unknown"):
        rooms.find("blue-fox")
    assert room.over == "hours"
    assert not room.members
    assert room.question is None
    with pytest.raises(TurnedAwayError):
        room.receive(teacher, {"do": "undo"})


def opened(rooms, name, address="here"):
    """A room with its leader in it."""
    room = rooms.open(name, address)
    lead(room)
    return room


def test_the_oldest_empty_room_of_an_address_gives_way_to_a_new_one(rooms, clock):
    first, second = opened(rooms, "red-ant"), opened(rooms, "red-bat")
    third = opened(rooms, "red-cat")
    assert (first.over, second.over, third.over) == ("empty", "", "")
    pupils(second, 1)
    opened(rooms, "red-dog")
    assert (second.over, third.over) == ("", "empty"), "a room with a class in it stays"


def test_a_room_in_which_a_leader_sits_alone_in_two_tabs_is_empty(rooms):
    first = opened(rooms, "red-ant")
    first.members[seat(0)].browser = seat(70)
    first.join(seat(1), browser=seat(70))
    assert first.empty
    first.join(seat(2), browser=seat(71))
    assert not first.empty


def test_an_address_whose_rooms_all_hold_a_class_opens_no_more(rooms):
    for name in ("red-ant", "red-bat"):
        pupils(opened(rooms, name), 1)
    with pytest.raises(NoRoomError, match="rooms"):
        rooms.open("red-cat", "here")
    rooms.open("red-cat", "elsewhere")


def test_a_full_server_closes_a_room_that_nobody_has_been_in_for_long(rooms, clock):
    first, *_ = [opened(rooms, f"red-{name}x", f"address {name}") for name in "abcdefgh"]
    with pytest.raises(NoRoomError, match="rooms"):
        rooms.open("red-dog", "another")
    first.leave(first.members[seat(0)])
    with pytest.raises(NoRoomError, match="rooms"):
        rooms.open("red-dog", "another")
    clock.now += PATIENCE
    rooms.open("red-dog", "another")
    assert first.over == "empty"
    assert len(list(rooms)) == 8


def test_where_leaders_have_codes_only_a_code_opens_a_room(clock):
    rooms = Rooms(Limits(leader_codes=("chalk", "Tafel")), sharing, clock)
    for wrong in (None, "", "Chalk", "chalk,Tafel", 7):
        with pytest.raises(NoRoomError, match="code"):
            rooms.open("red-ant", code=wrong)
    rooms.open("red-ant", code="Tafel")
    rooms.open("red-bat", code="chalk")


def test_a_room_is_opened_again_with_the_secret_that_led_it(rooms, room):
    secret = room.secret
    room.end("closed")
    again = rooms.open("blue-fox", secret=secret)
    assert again.join(seat(0), secret).leads
    assert again.opening != room.opening
    assert rooms.open("red-ant", secret="mine").secret != "mine"


def test_tabs_of_one_browser_count_once_and_have_one_vote(room):
    teacher = lead(room)
    tabs = [room.join(seat(k), browser=seat(90)) for k in range(1, MOST_TABS + 1)]
    with pytest.raises(NoRoomError, match="full"):
        room.join(seat(60), browser=seat(90))
    others = [room.join(seat(20 + k)) for k in range(4)]
    with pytest.raises(NoRoomError, match="full"):
        room.join(seat(61))
    assert room.all(teacher)["here"]["members"] == 5
    ask(room, teacher)
    for member, answer in ((tabs[0], 0), (tabs[1], 2), (others[0], 1)):
        guess(room, member, answer)
    room.receive(teacher, {"do": "show", "on": True})
    assert room.all(teacher)["question"]["counts"] == [[0, 1, 1]]
    assert room.all(tabs[3])["guess"] == [2]
    for tab in tabs[:2]:
        place(room, tab, goals=["twice"])
    place(room, teacher)
    assert room.all(teacher)["goals"] == {"similarity": {"twice": 1}}
    assert room.all(teacher)["here"]["beside"] == 1


def test_one_address_fills_only_its_share_of_a_room(rooms):
    room = Rooms(Limits(members=5, members_per_address=3), sharing, Clock()).open("blue-fox")
    for k in range(1, 4):
        room.join(seat(k), address="one")
    with pytest.raises(NoRoomError, match="full"):
        room.join(seat(4), address="one")
    assert room.join(seat(5), address="two")
    assert room.join(seat(6), browser=seat(1), address="one"), "another tab of the same browser"


def test_who_shows_no_page_gives_way_where_a_room_is_full(room, clock):
    """Sockets that only hold seats do not keep a class out."""
    teacher = lead(room)
    silent = pupils(room, 5)
    place(room, silent[0])
    clock.now += WITHOUT_PAGE
    newcomers = [room.join(seat(50 + k)) for k in range(4)]
    assert [member.dropped for member in silent] == ["", "full", "full", "full", "full"]
    assert all(member.here for member in newcomers)
    with pytest.raises(NoRoomError, match="full"):
        room.join(seat(60))
    with pytest.raises(TurnedAwayError):
        place(room, silent[1])
    assert room.all(teacher)["here"]["members"] == 5


def test_a_locked_room_lets_only_those_in_who_have_been_there(room):
    teacher, (first, second, *_) = lead(room), pupils(room)
    room.leave(first)
    room.receive(teacher, {"do": "lock", "on": True})
    assert room.all(second)["locked"]
    with pytest.raises(NoRoomError, match="locked"):
        room.join(seat(50))
    assert room.join(first.seat) is first
    assert room.join(seat(51), browser=second.browser), "another tab of who is here"
    assert lead(room, 60).leads
    room.receive(teacher, {"do": "lock", "on": False})
    assert room.join(seat(50))


def test_who_is_removed_stays_out_with_all_tabs(room):
    teacher, (first, second, _) = lead(room), pupils(room)
    tab = room.join(seat(20), browser=first.browser)
    room.receive(teacher, {"do": "remove", "number": tab.number})
    assert (first.dropped, tab.dropped, second.dropped) == ("removed", "removed", "")
    for wrong in (first.seat, seat(21)):
        with pytest.raises(NoRoomError, match="removed"):
            room.join(wrong, browser=first.browser)
    room.receive(teacher, {"do": "remove", "number": teacher.number})
    assert teacher.here, "nobody who leads is removed"
    for wrong in (None, 0, 99, "1", True):
        with pytest.raises(TurnedAwayError):
            room.receive(teacher, {"do": "remove", "number": wrong})


def test_whoever_leads_sees_the_seats_and_nobody_else_does(room):
    teacher, (first, second) = lead(room), pupils(room, 2)
    tab = room.join(seat(20), browser=first.browser)
    place(room, first)
    members, leaders = room.news()
    assert leaders["seats"] == [([first.number, tab.number], "similarity"), ([second.number], "")]
    assert "seats" not in members
    assert "seats" in room.all(teacher)
    assert "seats" not in room.all(second)


def test_following_hides_the_tally_that_would_lie_over_the_page(room):
    teacher, _ = lead(room), pupils(room)
    follow = {"do": "lead", "page": "similarity", "query": "", "sheet": SHEET, "pose": {}}
    ask(room, teacher)
    room.receive(teacher, {"do": "reveal"})
    room.receive(teacher, follow)
    assert not room.question.shown
    room.receive(teacher, {"do": "show", "on": True})
    room.receive(teacher, follow | {"pose": {"word": 1}})
    assert room.question.shown, "it is shown on purpose, and the page is the same"
    room.receive(teacher, follow | {"sheet": OTHER})
    assert not room.question.shown


def test_a_led_page_hides_its_result_where_the_leaders_page_does(room):
    teacher = lead(room)
    follow = {"do": "lead", "page": "similarity", "sheet": SHEET, "pose": {}}
    room.receive(teacher, follow | {"query": "?predict=1&present=1"})
    assert room.follow["address"] == "predict=1"
    room.receive(teacher, follow | {"query": "?predict=0"})
    assert room.follow["address"] == ""


@pytest.mark.parametrize("name", ["", "fox", "Blue-Fox", "blue-fox-x", "blue fox", "../etc", "b-x", "ü-fox"])
def test_a_room_has_two_plain_words(rooms, name):
    with pytest.raises(NoRoomError, match="name"):
        rooms.open(name)


def test_a_name_is_taken_once(rooms, room):
    with pytest.raises(NoRoomError, match="taken"):
        rooms.open("blue-fox")
    room.receive(lead(room), {"do": "close"})
    assert rooms.open("blue-fox").secret != room.secret


def test_names_are_two_of_many_words_and_are_read_as_they_are_typed():
    first, second = names.words()
    assert len(set(first)) == len(first)
    assert len(set(second)) == len(second)
    assert len(first) * len(second) > 10_000
    assert all(names.read(f"{a} {b}") == f"{a}-{b}" for a in first for b in second)
    assert names.read(" Blue  FOX ") == names.read("blue-fox") == "blue-fox"
    assert names.read(names.draw())
    assert names.read("blue") is None
    assert names.read("a very long room") is None


WILD = [
    None,
    True,
    -1,
    0,
    1,
    2**70,
    1e308,
    "",
    "x" * 3000,
    [],
    {},
    [[]],
    {"0": [1]},
    {"vectors": {"0": [1, "a"]}},
]
WILD += ["similarity", "__init__", "../home", SHEET, [["a"] * 99], {"vectors": {"999": [1, 2]}}, "all", "nan"]
DO = ["here", "guess", "ask", "again", "show", "reveal", "hands", "lead", "freeze", "lock", "timer", "undo"]
KEYS = ["page", "sheet", "numbers", "goals", "question", "round", "place", "query", "answers", "on", "where"]
KEYS += ["pose", "seconds"]


def test_whatever_is_sent_is_done_or_refused_and_what_is_told_is_small(rooms, room):
    teacher, (member, *_) = lead(room), pupils(room)
    chance = random.Random(0)
    done = 0
    for _ in range(6000):
        said = {"do": chance.choice(DO)} | {key: chance.choice(WILD) for key in chance.sample(KEYS, 8)}
        if chance.random() < 0.5:
            said |= {"page": "similarity", "sheet": SHEET}
        try:
            room.receive(chance.choice([teacher, member]), said)
            done += 1
        except TurnedAwayError:
            pass
        for told in room.news() or ():
            assert len(json.dumps(told, allow_nan=False)) < 4000
    assert done > 100
