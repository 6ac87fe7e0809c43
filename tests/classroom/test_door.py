"""What a page's Python knows of its room: where one is opened and joined, what the stage is told of it."""

from contextlib import nullcontext
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab import text as prose
from attention_lab.classroom import door
from attention_lab.classroom.rooms import MOST_ANSWERS
from attention_lab.process import PROCESS
from attention_lab.state import permalink
from attention_lab.text.as_text import as_text
from attention_lab.widgets.session import ASKED_AGAIN
from lab import ROOT
from tests.visit import LESSONS, PAGES, Visit

SIMILARITY = next(path for path in LESSONS if path.stem.endswith("similarity"))
SOFTMAX = next(path for path in LESSONS if path.stem.endswith("softmax"))


def press(visit, label):
    next(button for button in visit.at.button if button.label == label).click()
    return visit.run()


def led(visit, asked="", **address):
    """Let the room lead an open page to an address."""
    return visit.send({"link": "?" + urlencode(address), "asked": asked}).run()


def at_the_door(room="", **session):
    """What stands in the dialog, which AppTest would close at the next run."""

    def script():
        from attention_lab.classroom import door

        door._door.__wrapped__()

    at = AppTest.from_function(script)
    for name, value in {"room": room, **session}.items():
        at.session_state[name] = value
    return at.run()


def test_a_room_goes_along_to_every_page_until_it_is_left():
    visit = Visit(SIMILARITY, inside=True)
    visit.at.session_state["room"] = "blue-fox"
    assert visit.run().values["room"] == "blue-fox"
    assert visit.link["room"] in ("blue-fox", ["blue-fox"])
    visit.go(SOFTMAX)
    assert visit.link["room"] in ("blue-fox", ["blue-fox"])
    press(visit, "Reset all")
    assert visit.values["room"] == "blue-fox", "that of the class is nobody's own"
    visit.at.session_state["room"] = ""
    visit.run()
    assert "room" not in visit.link
    assert "Live classroom" in [button.label for button in visit.at.button]


def test_a_room_is_opened_under_a_name_of_its_own_and_left():
    at = at_the_door()
    at.button[0].click().run()
    room = at.session_state["room"]
    assert permalink.TWO_WORDS.fullmatch(room)
    assert at.session_state[door.OPENED] == room
    assert room.replace("-", " ") in at.markdown[0].value.replace("-", " ")
    at.button[0].click().run()
    assert at.session_state[door.LEAVES], "the browser leaves, and opens one's own page"


@pytest.mark.parametrize(("said", "room"), [(" Blue  FOX", "blue-fox"), ("blue", ""), ("<b>!", ""), ("", "")])
def test_a_room_is_joined_by_its_two_words(said, room):
    at = at_the_door()
    at.text_input[0].set_value(said)
    at.button[1].click().run()
    assert at.session_state["room"] == room
    assert [error.value for error in at.error] == ([] if room else [prose.read("classroom")["door/no_name"]])


def at_home(**session):
    """The frame's script on Home, by an address."""
    at = AppTest.from_file(ROOT / "attention_lab" / "main.py", default_timeout=60)
    for name, value in session.items():
        at.query_params[name] = value
    return at.run()


def two_words(at):
    return [field for field in at.text_input if field.label == prose.read("classroom")["door/words"]]


def test_home_asks_for_the_two_words_of_a_class():
    at = at_home()
    (field,) = two_words(at)
    field.set_value("Blue Fox")
    next(button for button in at.button if button.label == "Join a class").click()
    at.run()
    assert at.session_state["room"] == "blue-fox"
    assert not two_words(at), "one is in a room"
    for address in ({"room": "blue-fox"}, {"present": "1"}, {"hide": "menu.room"}):
        assert not two_words(at_home(**address))


def test_home_asks_again_where_there_is_no_such_room():
    at = at_home(room="blue-fox")
    at.session_state[door.OVER] = "blue-fox", "unknown"
    assert two_words(at.run())


def test_a_server_without_rooms_asks_for_no_words_on_home(monkeypatch):
    monkeypatch.setattr(PROCESS, "rooms_offered", False)
    assert not two_words(at_home())


@pytest.mark.parametrize("why", ["unknown", "over"])
def test_who_is_in_no_room_is_told_so_and_asked_again(why):
    at = at_the_door("blue-fox", room_over=("blue-fox", why))
    assert [error.value for error in at.error] == [prose.read("classroom").filled(f"door/{why}", room="blue fox")]
    at.text_input[0].set_value("blue fox")
    at.button[1].click().run()
    assert at.session_state["room"] == "blue-fox"
    assert door.OVER not in at.session_state, "it is looked for again"
    assert not at_the_door("red-ant", room_over=("blue-fox", why)).error, "that was another room"


def test_a_name_that_cannot_be_is_left_out_of_the_address_with_a_sentence():
    visit = Visit(SIMILARITY, room="Blue_Fox!")
    assert visit.values["room"] == ""
    assert any("two words" in warning.value for warning in visit.at.warning)


def test_a_server_without_rooms_says_so(monkeypatch):
    monkeypatch.setattr(PROCESS, "rooms_offered", False)
    visit = Visit(SIMILARITY, inside=True, room="blue-fox")
    assert any("doesn’t offer live classrooms" in info.value for info in visit.at.info)
    assert "Live classroom" not in [button.label for button in visit.at.button]


def test_a_sheet_is_the_same_for_all_who_find_the_same_to_move():
    assert "room" not in Visit(SIMILARITY).stage
    visit = Visit(SIMILARITY, room="blue-fox")
    told = visit.stage["room"]
    assert visit.drag(vectors=[[1, 1], [2, 2], [3, 3]], word=0).stage["room"] == told
    assert Visit(SIMILARITY, room="red-ant", word="phone", present="1").stage["room"] == told
    other = visit.arrive(room="blue-fox", example="orange_apple_phone_and_an").stage["room"]
    assert other["sheet"] != told["sheet"]
    assert len(other["begun"]["vectors"]) != len(told["begun"]["vectors"])
    assert Visit(SOFTMAX, room="blue-fox").stage["room"]["sheet"] != told["sheet"]


def test_the_stage_knows_what_its_page_asks():
    visit = Visit(SIMILARITY, room="blue-fox")
    assert visit.stage["room"]["asked"] == {}, "it asks something, once guesses are wanted"
    asked = visit.arrive(room="blue-fox", predict="1").stage["room"]["asked"]
    assert asked["answers"] == ["orange", None, "phone"]
    assert asked["open"]
    press(visit, "phone")
    assert visit.stage["room"]["asked"] == asked | {"open": False}
    again = Visit(SIMILARITY, room="red-ant", predict="1", word="phone").stage["room"]["asked"]
    assert again["answers"] == ["orange", "apple", None]
    assert again["of"] != asked["of"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_can_put_its_guess_to_all(path):
    """An answer is known by its place, which the key of its button says."""
    visit = Visit(path, room="blue-fox", predict="1")
    asked = visit.stage["room"]["asked"]
    found = [button for button in visit.at.button if button.key and f"{visit.name}.guess." in button.key]
    assert len(found) > 1
    for button in found:
        place = int(button.key.rpartition(".")[2])
        assert as_text(asked["answers"][place]) == button.label
    assert sum(answer is not None for answer in asked["answers"]) == len(found)
    assert len(asked["answers"]) <= MOST_ANSWERS
    assert any(button.key == f"{visit.name}.reveal" for button in visit.at.button)


def test_one_is_led_to_an_address_that_the_page_has_held_before():
    mine = {"vectors": "4_0__2_1__-2_3", "predict": "0", "room": "blue-fox"}
    hers = {"vectors": "4_0__2_1__1_1", "predict": "1", "room": "blue-fox"}
    visit = Visit(SIMILARITY, **mine)
    for address in (hers, mine, hers, mine):
        led(visit, **address)
        assert visit.values["predict"] == (address["predict"] == "1")
        assert list(visit.values["vectors"][2]) == [
            float(x) for x in address["vectors"].split("__")[2].split("_")
        ]
    visit.at.query_params = hers  # a slow browser's old one
    assert not visit.run().values["predict"]


def test_a_question_is_asked_anew_of_who_knows_the_answer():
    visit = Visit(SIMILARITY, room="blue-fox", predict="1")
    asked = visit.stage["room"]["asked"]
    press(visit, "phone")
    assert visit.stage["room"]["asked"] == asked | {"open": False}
    address = {"room": "blue-fox", "predict": "1"}
    assert led(visit, "0" * 12, **address).stage["room"]["asked"] == asked | {"open": False}, "another one"
    assert led(visit, asked["of"], **address).stage["room"]["asked"] == asked
    press(visit, "phone")
    assert visit.stage["room"]["asked"] == asked | {"open": False}, "asked once"


def test_a_forged_question_is_not_asked_again(monkeypatch):
    said = SimpleNamespace(go=None, over=None, leave=None)
    session = {"room": "blue-fox"}
    monkeypatch.setattr(door, "_room", lambda **_: said)
    monkeypatch.setattr(door.st, "session_state", session)
    monkeypatch.setattr(door.st, "container", lambda **_: nullcontext())
    for asked in (None, 3, "<b>", ["a" * 12]):
        said.go = {"query": None, "number": 1, "asked": asked}
        door.show()
        assert ASKED_AGAIN not in session
    said.go["asked"] = "a" * 12
    door.show()
    assert session[ASKED_AGAIN] == "a" * 12
