"""What the browser and the widgets send to a page's session, whatever that is."""

import math

import numpy as np
import pytest
import streamlit
from hypothesis import example, given
from hypothesis import strategies as st

from attention_lab.widgets.session import Page, PageSession
from tests.state.test_state import LESSON, anything, check, state


@pytest.fixture(autouse=True)
def session_state(monkeypatch):
    monkeypatch.setattr(streamlit, "session_state", {})


def send(page, events):
    """Let the browser send events to a page."""
    streamlit.session_state["similarity.stage"] = {"events": events}
    page._apply_events()
    return page


def opened(events=None, version=3, **known):
    """Return a page to which the browser has sent these events."""
    streamlit.session_state.clear()
    return send(Page(LESSON, PageSession(state(**known), version=version)), events)


def test_an_old_event_or_a_malformed_message_is_not_applied():
    move = {"move": {"vectors": [[9, 9]] * 3}}
    numbered = [[[number, move]] for number in (3, "4", 4.5, True, None, 2**60)]
    for events in (*numbered, [[4]], [[4, []]], [4], move, None, "pose", 7):
        page = opened(events)
        np.testing.assert_array_equal(page.state.vectors, state().worked_example.embeddings, err_msg=str(events))
        assert page.session.version == 3, events


MOVES = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("vectors", "word", "other", "heat", "words", "no_such_field"), anything)
)
ROWS = st.dictionaries(st.sampled_from(["vectors", "word"]), anything | st.lists(anything))
EVENTS = (
    st.fixed_dictionaries({"move": MOVES | anything}, optional={"rows": ROWS | anything, "goals": anything})
    | st.fixed_dictionaries({"turn": anything})
    | st.fixed_dictionaries({"example": anything})
    | st.fixed_dictionaries({"link": anything | st.text()}, optional={"asked": anything})
    | anything
)


@given(st.lists(st.tuples(st.integers(), EVENTS).map(list)) | anything)
@example([[4, {"move": {"vectors": [[math.nan, 1], [1, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[1e300, 1], [1, -1e300], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [["1", True], [None, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[10**400, 1], [1, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[{}, 1], [1, 1], [1, 1]]}}]])
@example([[4, {"move": {"vectors": [[1, 1]] * 3}, "rows": {"vectors": [0, -1, 10**30, None, [1], {}]}}]])
@example([[4, {"move": {"word": -1, "other": 10**30, "heat": 10**400}}]])
@example([[4, {"move": {"word": True, "heat": {}}}]])
@example([[10**400, {"move": {}}]])
@example([[4, {"link": "?" + "&" * 3000}]])
def test_nothing_that_is_sent_raises_and_the_values_stay_possible(events):
    check(opened(events).state)


def test_only_the_rows_that_were_moved_change():
    page = opened([[4, {"move": {"vectors": [[9, 9], [3, 4], [9, 9]]}, "rows": {"vectors": [1]}}]])
    first, _, last = page.state.worked_example.embeddings
    np.testing.assert_array_equal(page.state.vectors, [first, [3, 4], last])


def test_events_are_applied_once_and_in_their_order():
    one, two = ({"move": {"vectors": [[x, 0]] * 3}} for x in (1, 2))
    events = [[4, one], [5, {"turn": -1}], [6, two], [9, {"turn": -1}], [10, {"turn": 1}]]
    page = opened(events[:2])
    for sent in (events[:2], events[1:], events):
        send(page, sent)
    np.testing.assert_array_equal(page.state.vectors, [[2, 0]] * 3)
    assert len(page.state.undo_stack) == 1
    assert page.session.version == 10


def test_an_event_for_what_the_page_does_not_have_changes_nothing():
    page = opened([[4, {"move": {"no_such": 1}}], [5, {"example": "no_such"}], [6, {"no_such": 1}]])
    assert page.state.link == state().link
    assert page.session.version == 6, "it need not be sent again"


def test_a_new_session_applies_what_the_one_before_had_not():
    """After a restart the URL holds what was acknowledged, and the browser goes on counting."""
    page = opened([[8, {"move": {"word": 2}}], [9, {"turn": -1}]], version=0)
    assert page.state.word == state().word, "the move of this list is undone"
    assert page.session.version == 9


def test_a_widget_without_a_valid_option_has_the_default():
    for name in ("example", "word", "measure"):
        chosen = state().options(name)[-1]
        page = opened(**{name: chosen})
        assert page.widget_value(name) == chosen
        for forged in ("forged", "", 5, None, [], {"a": 1}, 0.5):
            streamlit.session_state[f"similarity.{name}"] = forged
            default = next(f for f in LESSON.fields if f.name == name).default(page.state.values)
            assert page.widget_value(name) == default, (name, forged)
