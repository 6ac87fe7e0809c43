"""A page and its room in Python: where a room is opened and joined, what the figure is told of it."""

from urllib.parse import urlencode

from streamlit.testing.v1 import AppTest

from attention_lab import text as prose
from attention_lab.classroom import door
from attention_lab.classroom.rooms import MOST_ANSWERS
from attention_lab.process import PROCESS
from attention_lab.state import permalink
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.languages import speaking
from attention_lab.widgets.session import ASKED_AGAIN, LINK
from lab import ROOT
from tests.visit import LESSONS, PAGES, Visit

SIMILARITY = next(path for path in LESSONS if path.stem.endswith("similarity"))
SOFTMAX = next(path for path in LESSONS if path.stem.endswith("softmax"))
WORDS = prose.read("classroom")


def labels(at):
    return [button.label for button in at.button]


def press(at, label):
    next(button for button in at.button if button.label == label).click()
    return at.run()


def open_link(visit, asked="", **address):
    """Let the room lead an open page to a link."""
    return visit.send({"link": "?" + urlencode(address), "asked": asked}).run()


def open_dialog(room="", **session):
    """Return the dialog's content, which AppTest would close at the next run."""

    def script():
        from attention_lab.classroom import door

        door._door.__wrapped__()

    at = AppTest.from_function(script)
    for name, value in {"room": room, **session}.items():
        at.session_state[name] = value
    return at.run()


def join(at, words):
    at.text_input[0].set_value(words)
    return press(at, WORDS["door/join"])


def open_home(**address):
    """Return the app at Home, by a link."""
    at = AppTest.from_file(ROOT / "attention_lab" / "main.py", default_timeout=60)
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def leads_to_the_door(at):
    return door.JOIN in [link.proto.page for link in at.get("page_link")]


def test_a_room_goes_along_to_every_page_until_it_is_left():
    visit = Visit(SIMILARITY, inside=True)
    visit.at.session_state["room"] = "blue-fox"
    assert visit.run().values["room"] == "blue-fox"
    assert visit.link["room"] == "blue-fox"
    assert visit.go(SOFTMAX).link["room"] == "blue-fox"
    press(visit.at, "Reset all")
    assert visit.values["room"] == "blue-fox", "the class's settings are not the reader's own"
    visit.at.session_state["room"] = ""
    assert "room" not in visit.run().link
    assert "Live classroom" in labels(visit.at)


def test_a_room_is_opened_under_a_new_name_and_left():
    at = open_dialog()
    at.button[0].click().run()
    room = at.session_state["room"]
    assert permalink.TWO_WORDS.fullmatch(room)
    assert at.session_state[door.OPENED] == room
    assert room.replace("-", " ") in at.markdown[0].value.replace("-", " ")
    at.button[0].click().run()
    assert at.session_state[door.LEAVES], "the browser leaves, and opens the reader's own page"


def test_a_room_is_joined_by_its_two_words():
    for words, room in ((" Blue  FOX", "blue-fox"), ("blue", ""), ("<b>!", ""), ("", "")):
        at = join(open_dialog(), words)
        assert at.session_state["room"] == room
        assert [error.value for error in at.error] == ([] if room else [WORDS["door/no_name"]])


def test_the_sidebar_leads_to_the_door_until_a_room_is_joined(monkeypatch):
    at = open_home()
    assert leads_to_the_door(at)
    assert not at.text_input, "Home itself asks for nothing"
    at.session_state["room"] = "blue-fox"
    assert not leads_to_the_door(at.run())
    at.session_state[door.OVER] = "blue-fox", "unknown"
    assert leads_to_the_door(at.run()), "there is no such room"
    for address in ({"room": "blue-fox"}, {"hide": "menu.room"}):
        assert not leads_to_the_door(open_home(**address)), address
    monkeypatch.setattr(PROCESS, "rooms_offered", False)
    assert not leads_to_the_door(open_home())


def test_a_reader_whose_room_is_over_or_unknown_is_asked_again():
    for why in ("unknown", "over"):
        at = open_dialog("blue-fox", room_over=("blue-fox", why))
        assert [error.value for error in at.error] == [WORDS.filled(f"door/{why}", room="blue fox")]
        join(at, "blue fox")
        assert at.session_state["room"] == "blue-fox"
        assert door.OVER not in at.session_state, "it is looked for again"
        assert not open_dialog("red-ant", room_over=("blue-fox", why)).error, "that was another room"


def test_an_impossible_name_and_a_server_without_rooms_are_said_in_a_sentence(monkeypatch):
    visit = Visit(SIMILARITY, room="Blue_Fox!")
    assert visit.values["room"] == ""
    assert any("two words" in warning.value for warning in visit.at.warning)
    monkeypatch.setattr(PROCESS, "rooms_offered", False)
    visit = Visit(SIMILARITY, inside=True, room="blue-fox")
    assert any("doesn’t offer live classrooms" in info.value for info in visit.at.info)
    assert "Live classroom" not in labels(visit.at)


def test_a_sheet_is_the_same_for_all_who_can_move_the_same():
    assert "room" not in Visit(SIMILARITY).stage
    visit = Visit(SIMILARITY, room="blue-fox")
    of_room = visit.stage["room"]
    assert visit.drag(vectors=[[1, 1], [2, 2], [3, 3]], word=0).stage["room"] == of_room
    assert Visit(SIMILARITY, room="red-ant", word="phone", present="1").stage["room"] == of_room
    other = visit.arrive(room="blue-fox", example="orange_apple_phone_and_an").stage["room"]
    assert other["sharing_key"] != of_room["sharing_key"]
    assert len(other["begun"]["vectors"]) != len(of_room["begun"]["vectors"])
    assert Visit(SOFTMAX, room="blue-fox").stage["room"]["sharing_key"] != of_room["sharing_key"]


def test_every_page_can_put_its_question_to_the_class():
    """An answer is known by its place, which the key of its button holds."""
    offenders = []
    for path in PAGES:
        visit = Visit(path, room="blue-fox", predict="1")
        buttons = {button.key: button.label for button in visit.at.button if button.key}
        answers = visit.stage["room"]["asked"]["answers"]
        offered = [(place, escape_markdown(answer)) for place, answer in enumerate(answers) if answer is not None]
        shown = [(int(key.rpartition(".")[2]), buttons[key]) for key in buttons if ".guess." in key]
        if not (offered == sorted(shown) and 2 <= len(shown) <= len(answers) <= MOST_ANSWERS):
            offenders.append((path.stem, offered, shown))
        if f"{visit.name}.reveal" not in buttons:
            offenders.append((path.stem, "no button reveals the answer"))
    assert offenders == []


def test_a_question_is_asked_again_of_a_reader_who_has_answered():
    visit = Visit(SIMILARITY, room="blue-fox")
    assert visit.stage["room"]["asked"] == {}, "it asks once predictions are wanted"
    address = {"room": "blue-fox", "predict": "1"}
    asked = visit.arrive(**address).stage["room"]["asked"]
    assert asked == asked | {"answers": ["orange", None, "phone"], "open": True}
    other = Visit(SIMILARITY, **address, word="phone").stage["room"]["asked"]
    assert other["answers"] == ["orange", "apple", None]
    assert other["of"] != asked["of"]
    closed = asked | {"open": False}
    press(visit.at, "phone")
    assert visit.stage["room"]["asked"] == closed
    assert open_link(visit, "0" * 12, **address).stage["room"]["asked"] == closed, "that is another question"
    assert open_link(visit, asked["of"], **address).stage["room"]["asked"] == asked
    press(visit.at, "phone")
    assert visit.stage["room"]["asked"] == closed, "it was asked once"


def test_a_reader_is_led_to_a_link_that_the_page_has_had_before():
    mine = {"vectors": "4_0__2_1__-2_3", "predict": "0", "room": "blue-fox"}
    hers = {"vectors": "4_0__2_1__1_1", "predict": "1", "room": "blue-fox"}
    visit = Visit(SIMILARITY, **mine)
    for address, last in ((hers, [1, 1]), (mine, [-2, 3]), (hers, [1, 1]), (mine, [-2, 3])):
        open_link(visit, **address)
        assert visit.values["predict"] == (address is hers)
        assert list(visit.values["vectors"][2]) == last
    visit.at.query_params = hers  # a slow browser's old one
    assert not visit.run().values["predict"]


def test_a_move_sent_with_a_leaders_link_is_applied_before_it():
    visit = Visit(SIMILARITY, room="blue-fox")
    visit.send({"move": {"vectors": [[0, 3], [1, 2], [4, 0]]}})
    visit.at.session_state[LINK] = {"predict": ["1"], "room": ["blue-fox"]}
    del visit.at.session_state["page_open"]
    at_first = list(visit.state.defaults()["vectors"][1])
    assert list(visit.run().values["vectors"][1]) == at_first
    assert (visit.stage["version"], visit.values["predict"]) == (1, True)
    assert list(visit.turn(-1).values["vectors"][1]) == [1, 2]


def test_a_message_of_a_bar_that_is_gone_changes_nothing(monkeypatch):
    """The room was closed and left, and its last message came late."""
    session = {}
    monkeypatch.setattr(door.st, "session_state", session)
    for react in (door._end, door._lead):
        react()
    assert session == {}
    session[door.ROOM] = "blue-fox"
    door._leave()
    assert session[door.ROOM] == ""


def test_a_forged_question_is_not_asked_again(monkeypatch):
    session = {}
    monkeypatch.setattr(door.st, "session_state", session)
    for asked in (None, 3, "<b>", ["a" * 12], "a" * 12):
        session[door.BAR] = {"go": {"query": None, "number": 1, "asked": asked}}
        door._lead()
        assert session.get(ASKED_AGAIN) == ("a" * 12 if asked == "a" * 12 else None)


def test_the_bar_knows_what_parts_the_columns_of_a_classs_answers():
    for code, separator in {"en": ",", "de": ";"}.items():
        with speaking(code):
            assert door._of_bar()["record/separator"] == separator
