"""What of a page is shared: choices, goals and numbers within its fields' bounds, and nothing that was typed."""

import json
import random
from urllib.parse import urlencode

from attention_lab.classroom import sharing
from attention_lab.classroom.rooms import TurnedAwayError
from attention_lab.state import permalink
from tests.visit import EVERY, lesson_of
from tools.permalinks import fields_of_pages

LESSONS = {lesson.name: lesson for lesson in (lesson_of(path).LESSON for path in EVERY)}
TYPED = {"words", "memory_words", "written", "file"}  # a file is on one computer alone
WILD = [None, True, 0, -1, 2.5, 1e308, 10**400, "", "text", "1_2__3", "é" * 99]
WILD += [[], {}, [[]], [[1, 2]], [[10**400, 2]], {"0": [1, 2]}]
QUERIES = ["text", "1", "-1", "1_2__3_4", "own", "9" * 999]


def accepted(check, *arguments):
    """Return what a check accepts of what was sent; None if it refuses it."""
    try:
        return check(*arguments)
    except TurnedAwayError:
        return None


def test_every_page_can_be_shared():
    assert set(fields_of_pages()) == {*LESSONS} == sharing.PAGES.keys()


def test_no_field_of_text_is_shared():
    offenders = []
    for page, fields in fields_of_pages().items():
        texts = {f.name for f in fields if sharing._is_text(page, f)}
        query = "words=typed.by.me&memory_words=typed&written=typed&question=typed"
        address = sharing.address(page, query) + sharing.address(page, f"example=own&{query}")
        if texts != TYPED & {f.name for f in fields} or "typed" in address:
            offenders.append((page, texts, address))
    assert offenders == []


def test_an_address_keeps_what_is_chosen_and_moved():
    query = "?word=orange&measure=cosine&goal=twice&vectors=0_1__2_2__4_0&predict=1&present=1&room=blue-fox&x=y"
    kept = "vectors=0_1__2_2__4_0&word=orange&measure=cosine&goal=twice"
    assert sharing.address("similarity", query) == kept + "&predict=1", "a hidden result stays hidden for all"
    assert sharing.address("similarity", query.replace("predict=1", "predict=0")) == kept
    long = "x" * permalink.LONGEST
    assert sharing.address("similarity", f"measure=cosine&fbclid={long}") == "measure=cosine"
    assert accepted(sharing.address, "similarity", f"word={long}") is None
    assert sharing.address("similarity", "", predict=True) == "predict=1"
    assert sharing.address("similarity", "vectors=1_2&word=nobody") == ""


def test_only_numbers_within_bounds_are_shared():
    assert sharing.numbers("similarity", {"vectors": {"2": [1, -2.00049]}}) == {"vectors": {"2": [1.0, -2.0]}}
    assert sharing.numbers("softmax", {"temperature": 0.5}) == {"temperature": 0.5}
    refused = [
        *(("similarity", {"vectors": {"0": row}}) for row in ([1, 2, float("nan")], [1e9, 2], [], "text")),
        *(("similarity", {"vectors": {place: [1, 2]}}) for place in ("64", "-1", "9" * 5000)),
        ("similarity", {"vectors": [[1, 2]]}),
        ("similarity", {"vectors": {str(k): [1] * 9 for k in range(20)}}),
        ("similarity", {"words": {"0": [1, 2]}}),
        ("similarity", {"word": 1}),
        ("similarity", "text"),
        *(("softmax", {"temperature": number}) for number in (1e9, True, "1")),
        ("no_such", {}),
        ("__init__", {}),
    ]
    assert [sent for sent in refused if accepted(sharing.numbers, *sent) is not None] == []


def test_a_pose_is_of_the_pages_own_fields():
    sent = {"vectors": [[1, 2], [3, 4]], "word": 1, "goal": 2}
    assert sharing.pose("similarity", sent) == sent
    refused = [{"words": ["text"]}, {"word": -1}, {"word": True}, {"vectors": [[1] * 99]}, {"room": 1}, []]
    refused.append({"vectors": [[1.0] * 64] * 64})
    assert [sent for sent in refused if accepted(sharing.pose, "similarity", sent) is not None] == []


def test_goals_are_the_pages_own():
    assert sharing.goals("similarity", ["twice", "twice"]) == ("twice",)
    refused = [["a sentence"], "twice", [1], ["twice"] * 999, None]
    assert [sent for sent in refused if accepted(sharing.goals, "similarity", sent) is not None] == []


def test_every_page_can_be_led_and_whatever_is_accepted_is_accepted_again():
    for page, lesson in LESSONS.items():
        chance, names = random.Random(page), [f.name for f in fields_of_pages()[page]]
        at_first = json.loads(json.dumps(lesson.parse({})[0].pose()))
        assert sharing.pose(page, at_first).keys() == at_first.keys(), page
        for _ in range(30):
            some = chance.sample(names, min(4, len(names)))
            message = {name: chance.choice([*WILD, at_first.get(name)]) for name in some}
            query = urlencode({name: chance.choice(QUERIES) for name in some})
            sent = (sharing.pose, message), (sharing.numbers, message), (sharing.address, query)
            for check, raw in sent:
                kept = accepted(check, page, raw)
                assert kept is None or check(page, kept) == kept, (page, raw)
