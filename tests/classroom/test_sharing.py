"""What of a page is shared: choices, goals and numbers within its fields' bounds, and nothing that was typed."""

import json
import random
from contextlib import suppress
from importlib import import_module
from urllib.parse import urlencode

import pytest

from attention_lab.classroom import sharing
from attention_lab.classroom.rooms import TurnedAwayError
from tests.permalinks import fields_of_pages


def test_every_page_can_be_shared():
    assert set(fields_of_pages()) == sharing.PAGES


@pytest.mark.parametrize("page", sorted(sharing.PAGES))
def test_no_field_of_words_is_shared(page):
    """Every field that a reader types into is one of text."""
    typed = {"words", "memory_words", "written"} & {f.name for f in fields_of_pages()[page]}
    assert typed == {f.name for f in fields_of_pages()[page] if sharing._is_text(page, f)}
    assert "typed" not in sharing.address(page, "example=own&words=typed.by.me&memory_words=typed&written=typed")


def test_an_address_keeps_what_is_chosen_and_moved():
    query = "?word=orange&measure=cosine&goal=twice&vectors=0_1__2_2__4_0&predict=1&present=1&room=blue-fox&x=y"
    kept = "vectors=0_1__2_2__4_0&word=orange&measure=cosine&goal=twice"
    assert sharing.address("similarity", query) == kept + "&predict=1", "a hidden result stays hidden for all"
    assert sharing.address("similarity", query.replace("predict=1", "predict=0")) == kept
    assert sharing.address("similarity", "", predict=True) == "predict=1"
    assert sharing.address("similarity", "vectors=1_2&word=nobody") == ""


@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("similarity", {"vectors": {"0": [1, 2, float("nan")]}}),
        ("similarity", {"vectors": {"0": [1e9, 2]}}),
        ("similarity", {"vectors": {"64": [1, 2]}}),
        ("similarity", {"vectors": {"-1": [1, 2]}}),
        ("similarity", {"vectors": {"9" * 5000: [1, 2]}}),
        ("similarity", {"vectors": {"0": []}}),
        ("similarity", {"vectors": {"0": "text"}}),
        ("similarity", {"vectors": [[1, 2]]}),
        ("similarity", {"vectors": {str(k): [1] * 9 for k in range(20)}}),
        ("similarity", {"words": {"0": [1, 2]}}),
        ("similarity", {"word": 1}),
        ("similarity", "text"),
        ("softmax", {"temperature": 1e9}),
        ("softmax", {"temperature": True}),
        ("softmax", {"temperature": "1"}),
        ("no_such", {}),
        ("__init__", {}),
    ],
)
def test_numbers_out_of_bounds_are_refused(page, sent):
    with pytest.raises(TurnedAwayError):
        sharing.numbers(page, sent)


def test_numbers_in_bounds_are_kept():
    assert sharing.numbers("similarity", {"vectors": {"2": [1, -2.00049]}}) == {"vectors": {"2": [1.0, -2.0]}}
    assert sharing.numbers("softmax", {"temperature": 0.5}) == {"temperature": 0.5}


def test_a_pose_is_of_the_pages_own_fields():
    sent = {"vectors": [[1, 2], [3, 4]], "word": 1, "goal": 2}
    assert sharing.pose("similarity", sent) == sent
    for wrong in ({"words": ["text"]}, {"word": -1}, {"word": True}, {"vectors": [[1] * 99]}, {"room": 1}, []):
        with pytest.raises(TurnedAwayError):
            sharing.pose("similarity", wrong)
    with pytest.raises(TurnedAwayError):
        sharing.pose("similarity", {"vectors": [[1.0] * 64] * 64})


WILD = [None, True, 0, -1, 2.5, 1e308, 10**400, "", "text", "1_2__3", "é" * 99]
WILD += [[], {}, [[]], [[1, 2]], [[10**400, 2]], {"0": [1, 2]}]
QUERIES = ["text", "1", "-1", "1_2__3_4", "own", "9" * 999]


@pytest.mark.parametrize("page", sorted(sharing.PAGES))
def test_whatever_is_sent_of_a_page_is_taken_or_turned_away(page):
    chance = random.Random(page)
    fields = fields_of_pages()[page]
    sound = import_module(f"attention_lab.lessons.{page}").LESSON.parse({})[0].pose()
    assert sharing.pose(page, json.loads(json.dumps(sound))).keys() == sound.keys(), "as it is at first"
    for _ in range(60):
        names = chance.sample([f.name for f in fields], min(4, len(fields)))
        said = {name: chance.choice([*WILD, sound.get(name)]) for name in names}
        query = urlencode({name: chance.choice(QUERIES) for name in names})
        for check, sent in ((sharing.pose, said), (sharing.numbers, said), (sharing.address, query)):
            with suppress(TurnedAwayError):
                kept = sharing.address(page, check(page, sent)) if check is sharing.address else check(page, sent)
                assert kept == check(page, sent), "what is kept leads to the same again"


def test_goals_are_the_pages_own():
    assert sharing.goals("similarity", ["twice", "twice"]) == ("twice",)
    for wrong in (["a sentence"], "twice", [1], ["twice"] * 999, None):
        with pytest.raises(TurnedAwayError):
            sharing.goals("similarity", wrong)
