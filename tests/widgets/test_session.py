"""What the browser and the widgets say to a page's session, whatever that is."""

import math

import numpy as np
import pytest
import streamlit
from hypothesis import example, given
from hypothesis import strategies as st

from attention_lab.widgets.session import Page, PageSession
from tests.state.test_state import LESSON, anything, check, state


def opened(sent=None, version=3, **known):
    """A page of which the browser has `sent` these events."""
    streamlit.session_state.clear()
    streamlit.session_state["similarity.stage"] = {"events": sent}
    return Page(LESSON, PageSession(state(**known), version=version))


def apply_events(sent):
    page = opened(sent)
    page._apply_events()
    return page


@pytest.fixture(autouse=True)
def session_state(monkeypatch):
    monkeypatch.setattr(streamlit, "session_state", {})


def test_a_newer_move_is_applied():
    moved = {"vectors": [[1, 2], [3, 4], [5, -0.5]], "word": 2, "other": 0, "heat": 2.5}
    page = apply_events([[4, {"move": moved}]])
    check(page.state)
    np.testing.assert_array_equal(page.vectors, [[1, 2], [3, 4], [5, -0.5]])
    assert (page.word, page.other, page.heat, page.session.version) == ("phone", "orange", 2.5, 4)


@pytest.mark.parametrize(
    "sent",
    [
        [[3, {"move": {}}]],
        [["4", {"move": {}}]],
        [[4.5, {"move": {}}]],
        [[True, {"move": {}}]],
        [[None, {"move": {}}]],
        [[2**60, {"move": {}}]],
        [[4]],
        [[4, []]],
        [4],
        {"move": {}},
        None,
        "pose",
        7,
    ],
    ids=str,
)
def test_an_old_event_or_a_wrong_message_is_not(sent):
    for numbered in sent if isinstance(sent, list) else ():
        if isinstance(numbered, list) and len(numbered) == 2 and isinstance(numbered[1], dict):
            numbered[1]["move"]["vectors"] = [[9, 9]] * 3
    page = apply_events(sent)
    np.testing.assert_array_equal(page.vectors, page.worked_example.embeddings)
    assert page.session.version == 3


MOVES = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("vectors", "word", "other", "heat", "words", "no_such_field"), anything)
)
ROWS = st.dictionaries(st.sampled_from(["vectors", "word"]), anything | st.lists(anything))


@given(
    st.lists(
        st.tuples(
            st.integers(),
            st.fixed_dictionaries(
                {"move": MOVES | anything}, optional={"rows": ROWS | anything, "goals": anything}
            )
            | st.fixed_dictionaries({"turn": anything})
            | st.fixed_dictionaries({"example": anything})
            | st.fixed_dictionaries({"link": anything | st.text()}, optional={"asked": anything})
            | anything,
        ).map(list)
    )
    | anything
)
@example([[4, {"move": {"vectors": [[math.nan, 1], [1, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[1e300, 1], [1, -1e300], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [["1", True], [None, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[10**400, 1], [1, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[{}, 1], [1, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[1, 1]] * 3}, "rows": {"vectors": [0, -1, 10**30, None, [1], {}]}}]])
@example([[4, {"move": {"word": -1, "other": 10**30}}]])
@example([[4, {"move": {"word": True}}]])
@example([[4, {"move": {"heat": 10**400}}]])
@example([[4, {"move": {"heat": {}}}]])
@example([[10**400, {"move": {}}]])
@example([[4, {"link": "?" + "&" * 3000}]])
def test_whatever_is_sent_nothing_raises_and_the_values_stay_possible(sent):
    check(apply_events(sent).state)


def test_only_the_rows_that_a_hand_moved_change():
    moved = {"vectors": [[9, 9], [3, 4], [9, 9]]}
    page = apply_events([[4, {"move": moved, "rows": {"vectors": [1]}}]])
    first, _, last = page.worked_example.embeddings
    np.testing.assert_array_equal(page.vectors, [first, [3, 4], last])


def test_events_are_applied_once_and_in_their_order():
    one, two = ({"move": {"vectors": [[x, 0]] * 3}} for x in (1, 2))
    events = [[4, one], [5, {"turn": -1}], [6, two], [9, {"turn": -1}], [10, {"turn": 1}]]
    page = opened(events[:2])
    for sent in (events[:2], events[:2], events[1:], events):
        streamlit.session_state["similarity.stage"] = {"events": sent}
        page._apply_events()
    np.testing.assert_array_equal(page.vectors, [[2, 0]] * 3)
    assert len(page.state.steps_back) == 1
    assert page.session.version == 10


def test_an_event_for_what_the_page_does_not_have_changes_nothing():
    page = opened(None)
    before = page.state.values
    streamlit.session_state["similarity.stage"] = {
        "events": [[4, {"move": {"no_such": 1}}], [5, {"example": "no_such"}], [6, {"no_such": 1}]]
    }
    page._apply_events()
    assert page.state.values == before
    assert page.session.version == 6, "it need not be sent again"


def test_a_new_session_applies_what_the_one_before_had_not():
    """After a restart: the URL held what was acknowledged, and the browser goes on counting."""
    page = opened([[8, {"move": {"word": 2}}], [9, {"turn": -1}]], version=0)
    page._apply_events()
    assert page.word == state().word, "the move of this list is undone"
    assert page.session.version == 9


@pytest.mark.parametrize("name", ["example", "word", "measure"])
@pytest.mark.parametrize("said", ["forged", "", 5, None, [], {"a": 1}, 0.5])
def test_a_widget_that_says_what_is_no_option_says_the_default(name, said):
    chosen = state().options(name)[-1]
    page = opened(**{name: chosen})
    assert page.widget_value(name) == chosen
    streamlit.session_state[f"similarity.{name}"] = said
    assert page.widget_value(name) == next(f for f in LESSON.fields if f.name == name).default(page.values)
