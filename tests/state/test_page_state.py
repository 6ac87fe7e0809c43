"""Whatever the browser says of the hand, the page's values stay possible."""

import math

import numpy as np
import pytest
import streamlit
from attention_lab.state.page_state import (
    MOST_KEPT,
    OWN,
    PageSession,
    PageState,
    _from_hand,
    base_example,
    take_pose,
)
from hypothesis import example, given
from hypothesis import strategies as st

from attention_lab import faults
from attention_lab.state import permalink
from attention_lab.widgets import vocabulary

FIELDS = (
    *vocabulary.fields(("orange_apple_phone", "orange_apple_phone_and_an"), word="apple", other="phone"),
    permalink.number("heat", "", 0.05, 20, 1, hand=True),
    permalink.choice("measure", "", ["dot", "cosine"]),
    permalink.order("order", ""),
)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([10**400, -(10**400), 1e308, "NaN", 3, 2]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def state(**known):
    values = permalink.complete(FIELDS, known)
    return PageState("similarity", FIELDS, PageSession(values, epoch="now", seq=3))


def check(page):
    """Every value is one that the address could have brought."""
    values = page.memory.values
    assert values["vectors"].shape == (3, 2)
    assert (np.abs(values["vectors"]) <= permalink.FARTHEST).all()
    assert values["word"] in values["words"]
    assert values["other"] in values["words"]
    assert 0.05 <= values["heat"] <= 20
    assert set(values) == {f.name for f in FIELDS}
    address = {name: [text] for name, text in permalink.write_address(FIELDS, values).items()}
    read, left_out = permalink.read_address(FIELDS, address)
    assert not left_out
    assert all(permalink.same(read[name], values[name]) for name in values)


def test_a_newer_pose_is_taken():
    page = state()
    sent = {"seq": 4, "epoch": "now", "vectors": [[1, 2], [3, 4], [5, -0.5]], "word": 2, "other": 0, "heat": 2.5}
    assert take_pose(page, sent)
    check(page)
    np.testing.assert_array_equal(page.vectors, [[1, 2], [3, 4], [5, -0.5]])
    assert (page.word, page.other, page.heat, page.memory.seq) == ("phone", "orange", 2.5, 4)
    assert page.provenance_of("vectors") == "yours"


@pytest.mark.parametrize(
    "sent",
    [
        {"seq": 3, "epoch": "now"},
        {"seq": 4, "epoch": "before"},
        {"seq": 4},
        {"seq": "4", "epoch": "now"},
        {"seq": 4.5, "epoch": "now"},
        {"seq": None, "epoch": "now"},
        {"epoch": "now"},
        [],
        None,
        "pose",
        7,
    ],
    ids=str,
)
def test_an_old_echo_or_a_wrong_message_is_not(sent):
    page = state()
    if isinstance(sent, dict):
        sent["vectors"] = [[9, 9]] * 3
    assert not take_pose(page, sent)
    np.testing.assert_array_equal(page.vectors, page.worked_example.embeddings)
    assert page.memory.seq == 3


@given(
    st.fixed_dictionaries(
        {"seq": st.integers(), "epoch": st.sampled_from(["now", "old"])},
        optional={"vectors": anything, "word": anything, "other": anything, "heat": anything, "words": anything},
    )
    | anything
)
@example({"seq": 4, "epoch": "now", "vectors": [[math.nan, 1], [1, 1], [1, 1]]})
@example({"seq": 4, "epoch": "now", "vectors": [[1e300, 1], [1, -1e300], [1, 1]]})
@example({"seq": 4, "epoch": "now", "vectors": [["1", True], [None, 1], [1, 1]]})
@example({"seq": 4, "epoch": "now", "vectors": [[10**400, 1], [1, 1], [1, 1]]})
@example({"seq": 4, "epoch": "now", "vectors": [[{}, 1], [1, 1], [1, 1]]})
@example({"seq": 4, "epoch": "now", "word": -1, "other": 10**30})
@example({"seq": 4, "epoch": "now", "word": True})
@example({"seq": 4, "epoch": "now", "heat": 10**400})
@example({"seq": 4, "epoch": "now", "heat": {}})
@example({"seq": 10**400, "epoch": "now"})
def test_whatever_is_sent_nothing_raises_and_the_values_stay_possible(sent):
    page = state()
    take_pose(page, sent)
    check(page)


@pytest.mark.parametrize("sent", [10**4, -0.1, math.nan, math.inf, None, "x", [1], {}])
def test_a_number_outside_its_bounds_is_not_taken(sent):
    page = state()
    heat = next(f for f in FIELDS if f.name == "heat")
    assert _from_hand(heat, page.memory.values, sent) == 1


@pytest.mark.parametrize("sent", [[[1, 1, 2]], [[0, 1, 2]], [[1, 2, 4]], [[1.5, 2, 3]], [[1, 2]]])
def test_an_order_that_is_none_is_not_taken(sent):
    page = state()
    assert take_pose(page, {"seq": 4, "epoch": "now", "order": [[3, 1, 2]]})
    assert take_pose(page, {"seq": 5, "epoch": "now", "order": sent})
    np.testing.assert_array_equal(page.order, [[3, 1, 2]])


def test_the_hand_knows_choices_by_their_number():
    page = state(word="phone")
    assert page.pose()["word"] == 2
    assert page.scope()["word"] == 2
    assert page.scope()["measure"] == "dot"


def test_the_badge_is_bound_to_the_numbers():
    page = state()
    assert page.provenance_of("vectors") == page.worked_example.provenance == "by hand"
    page.memory.values["vectors"] = page.vectors + np.array([[0, 0], [0, 1e-9], [0, 0]])
    assert page.provenance_of("vectors") == "yours"
    assert page.provenance_of() == "by hand", "a picture made of other numbers"
    page.memory.values["vectors"] = page.worked_example.embeddings.copy()
    assert page.provenance_of("vectors") == "by hand"


def test_own_words_are_placed_until_they_are_moved():
    assert state(example=OWN).provenance_of("vectors") == "by hand", "all its words are the example's"
    page = state(words=("orange", "b", "c"))
    assert page.provenance_of("vectors") == "by hand and placed", "orange has the example's vector"
    assert page.placed_words == ["b", "c"]
    assert state(words=("a", "b", "c")).provenance_of("vectors") == "placed for you"
    page.memory.values["vectors"] = page.vectors + 0.5
    assert page.provenance_of("vectors") == "yours"
    assert not page.placed_words


def test_own_words_stand_on_an_example_with_as_many_axes():
    assert base_example(FIELDS, {"example": OWN, "vectors": np.zeros((2, 3))}).embeddings.shape[1] == 3
    assert base_example(FIELDS, {"example": OWN, "vectors": np.zeros((2, 2))}).embeddings.shape[1] == 2


def test_a_field_that_is_not_there_is_named():
    with pytest.raises(faults.UnknownNameError, match=r"'mesure' is not a field .*did you mean 'measure'\?"):
        _ = state().mesure


def test_a_page_remembers_the_newest_only():
    """Words without end, each with a goal met and a guess made."""
    page = state()
    for place in range(3 * MOST_KEPT):
        page.memory.values["words"] = (f"word{place}",)
        page.memory.tick(["first"])
        page.memory.tick(["second"])
        page.memory.guess((place,), place)
    assert page.memory.completed_goals == {"first", "second"}
    assert len(page.memory.ticked) == len(page.memory.guesses) == MOST_KEPT
    assert [*page.memory.guesses.values()] == [*range(2 * MOST_KEPT, 3 * MOST_KEPT)]


def test_a_goal_is_ticked_once_it_was_shown_unmet_and_then_met():
    memory = PageSession({"words": ("apple",)})
    memory.follow_goal("first", met=False)
    memory.follow_goal("second", met=True)
    assert memory.completed_goals == set(), "it was met before it was shown"
    memory.follow_goal("second", met=False)
    memory.follow_goal("second", met=True)
    assert memory.completed_goals == {"second"}
    memory.values["words"] = ("pear",)
    memory.follow_goal("second", met=True)
    assert memory.completed_goals == set(), "on other words it is another goal"


def test_no_goal_is_ticked_behind_a_guess():
    memory = PageSession({}, results_hidden=True)
    memory.follow_goal("first", met=True)
    assert memory.completed_goals == set()
    memory.results_hidden = False
    memory.follow_goal("first", met=True)
    assert memory.completed_goals == {"first"}


def test_what_is_used_again_is_new():
    memory = PageSession()
    for place in range(MOST_KEPT):
        memory.guess((place,), place)
    memory.guess((0,), "again")
    memory.guess(("one more",), 1)
    assert memory.guesses[(0,)] == "again"
    assert (1,) not in memory.guesses


@pytest.mark.parametrize("name", ["example", "word", "measure"])
@pytest.mark.parametrize("said", ["forged", "", 5, None, [], {"a": 1}, 0.5])
def test_a_widget_that_says_what_is_no_option_says_the_default(monkeypatch, name, said):
    page = state()
    page.memory.values[name] = page.options(name)[-1]
    monkeypatch.setattr(streamlit, "session_state", {})
    assert page.widget_value(name) == page.options(name)[-1]
    monkeypatch.setattr(streamlit, "session_state", {f"similarity.{name}": said})
    assert page.widget_value(name) == next(f for f in FIELDS if f.name == name).default(page.memory.values)
