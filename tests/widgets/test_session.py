"""What the browser and the widgets say to a page's session, whatever that is."""

import math

import numpy as np
import pytest
import streamlit
from hypothesis import example, given
from hypothesis import strategies as st

from attention_lab.state.update import Redo, SwitchExample, Undo
from attention_lab.widgets.session import BACK, ON, Page, PageSession
from tests.state.test_state import LESSON, anything, check, state


def opened(sent=None, **known):
    """A page of which the browser has `sent` a pose."""
    streamlit.session_state.clear()
    streamlit.session_state["similarity.stage"] = {"pose": sent}
    return Page(LESSON, PageSession(state(**known), epoch="now", seq=3))


def take_pose(sent):
    page = opened(sent)
    page._take_pose()
    return page


@pytest.fixture(autouse=True)
def session_state(monkeypatch):
    monkeypatch.setattr(streamlit, "session_state", {})


def test_a_newer_pose_is_taken():
    sent = {"seq": 4, "epoch": "now", "vectors": [[1, 2], [3, 4], [5, -0.5]], "word": 2, "other": 0, "heat": 2.5}
    page = take_pose(sent)
    check(page.state)
    np.testing.assert_array_equal(page.vectors, [[1, 2], [3, 4], [5, -0.5]])
    assert (page.word, page.other, page.heat, page.session.seq) == ("phone", "orange", 2.5, 4)
    assert page.session.epoch == "now", "the browser has it already"


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
    if isinstance(sent, dict):
        sent["vectors"] = [[9, 9]] * 3
    page = take_pose(sent)
    np.testing.assert_array_equal(page.vectors, page.worked_example.embeddings)
    assert page.session.seq == 3


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
    check(take_pose(sent).state)


def test_each_command_is_carried_out_once():
    session = PageSession()
    assert [*session.commands([[1, BACK], [2, ON]])] == [Undo(), Redo()]
    assert [*session.commands([[1, BACK], [2, ON], [3, BACK], [4, "example"]])] == [
        Undo(),
        SwitchExample("example"),
    ]
    assert session.answered == 4


@pytest.mark.parametrize(
    "sent", [None, "undo", [1, -1], [[1]], [[1, 2]], [[True, -1]], [["1", -1]], [[2**60, 1]], [[1, [1]]]]
)
def test_what_is_no_command_asks_for_nothing(sent):
    session = PageSession()
    assert [*session.commands(sent)] == []
    assert session.answered == 0


@pytest.mark.parametrize("name", ["example", "word", "measure"])
@pytest.mark.parametrize("said", ["forged", "", 5, None, [], {"a": 1}, 0.5])
def test_a_widget_that_says_what_is_no_option_says_the_default(name, said):
    chosen = state().options(name)[-1]
    page = opened(**{name: chosen})
    assert page.widget_value(name) == chosen
    streamlit.session_state[f"similarity.{name}"] = said
    assert page.widget_value(name) == next(f for f in LESSON.fields if f.name == name).default(page.values)
