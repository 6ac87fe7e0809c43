"""Going back and on in what was made on a page: bounded, and whatever the browser asks."""

import numpy as np
import pytest
from attention_lab.state.history import BACK, MOST_STEPS, ON, History
from hypothesis import given
from hypothesis import strategies as st


def state(x, word="apple"):
    return {"vectors": np.array([[x, 1.0]]), "word": word}


def made(*numbers):
    history = History()
    for x in numbers:
        history.note(state(x))
    return history


def at(values):
    return values["vectors"][0, 0]


def test_back_and_on_again():
    history = made(0, 1, 2)
    assert [at(history.turn(BACK)) for _ in range(2)] == [1, 0]
    assert history.turn(BACK) is None
    assert [at(history.turn(ON)) for _ in range(2)] == [1, 2]
    assert history.turn(ON) is None


def test_what_is_the_same_is_no_step():
    history = made(0, 0)
    assert history.told == [0, 0, 0]
    history.note(state(0, "orange"))
    assert history.told == [0, 1, 0]


def test_something_new_ends_the_way_on():
    history = made(0, 1, 2)
    history.turn(BACK)
    history.note(state(9))
    assert history.turn(ON) is None
    assert at(history.turn(BACK)) == 1


def test_it_goes_a_hundred_steps_back_and_no_further():
    history = made(*range(2 * MOST_STEPS))
    for step in range(MOST_STEPS):
        assert at(history.turn(BACK)) == 2 * MOST_STEPS - 2 - step
    assert history.turn(BACK) is None
    assert history.told == [0, 0, MOST_STEPS]


def test_each_request_is_answered_once():
    history = History()
    assert [*history.asked([[1, BACK], [2, ON]])] == [BACK, ON]
    assert [*history.asked([[1, BACK], [2, ON], [3, BACK]])] == [BACK]
    assert history.told[0] == 3


@pytest.mark.parametrize(
    "turns", [None, "undo", [1, -1], [[1]], [[1, 2]], [[True, -1]], [["1", -1]], [[2**60, 1]], [[1, [1]]]]
)
def test_what_is_no_request_asks_for_nothing(turns):
    history = made(0, 1)
    assert [*history.asked(turns)] == []
    assert history.told == [0, 1, 0]


@given(st.lists(st.sampled_from([BACK, ON]) | st.integers(2, 5), max_size=60))
def test_it_is_always_one_of_the_states_there_were(ways):
    """Like a list with a place in it, however it is gone through."""
    history, states, place = made(0), [0], 0
    for way in ways:
        if way in (BACK, ON):
            values, wanted = history.turn(way), place + way
            assert (values is None) == (not 0 <= wanted < len(states))
            place = place if values is None else wanted
        elif way != states[place]:
            history.note(state(way))
            states, place = [*states[: place + 1], way], place + 1
        assert at(history.now) == states[place]
        assert history.told == [0, place, len(states) - 1 - place]
