"""Goals hold exactly where they say; what is undefined fulfils nothing."""

import math

import numpy as np
import pytest

from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Goal, Guess


@pytest.mark.parametrize(
    ("relation", "met", "missed"),
    [(AT_LEAST, (2, 2.5), (1.999, -3)), (AT_MOST, (2, -9), (2.001,)), (WITHIN, (1.9, 2.1), (1.89, 2.11))],
)
def test_a_condition_is_met_up_to_its_bound(relation, met, missed):
    condition = Condition(("x",), relation, 2.0, 0.1 + 1e-12)
    assert all(condition.met({"x": value}, 0) for value in met)
    assert not any(condition.met({"x": value}, 0) for value in missed)


@pytest.mark.parametrize("relation", [AT_LEAST, AT_MOST, WITHIN])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_undefined_meets_no_goal(relation, value):
    assert not Condition(("x",), relation, 0.0, 1e9).met({"x": value}, 1)
    assert not Condition(("x",), relation, 1.0, 1e9, relative=True).met({"x": 1.0}, value)


def test_a_relative_goal_is_a_multiple_of_the_start():
    twice = Condition(("x",), AT_LEAST, 2.0, relative=True)
    assert twice.met({"x": 16.0}, 8.0)
    assert not twice.met({"x": 15.9}, 8.0)


def test_no_multiple_of_nothing_can_be_reached():
    for relation in (AT_LEAST, AT_MOST, WITHIN):
        assert not Condition(("x",), relation, 2.0, 1.0, relative=True).met({"x": 0.0}, 0.0)


def test_a_goal_needs_all_its_conditions():
    goal = Goal("both", (Condition(("x",), AT_LEAST, 1.0), Condition(("y", "$word"), AT_MOST, 0.0)))
    start = {"x": 0.0, "y": [1.0, 1.0], "word": 1}
    assert goal.met({"x": 1.0, "y": [9.0, 0.0], "word": 1}, start)
    assert not goal.met({"x": 1.0, "y": [0.0, 9.0], "word": 1}, start)
    assert not goal.met({"x": 0.9, "y": [9.0, 0.0], "word": 1}, start)


@pytest.mark.parametrize(
    ("row", "least", "answer"),
    [
        ([3, 1, 2], False, 2),
        ([3, 1, 2], True, 1),
        ([3, math.nan, -2], False, 2),
        ([3, math.nan, math.nan], False, None),
        ([3, 1, 1], False, 1),
    ],
)
def test_a_guess_has_the_answer_that_is_on_screen(row, least, answer):
    """The word of interest, here the first, is no answer; nor is a number that is undefined."""
    guess = Guess("largest", ("x", "$word"), least=least)
    assert guess.answer({"x": np.array([row]), "word": 0}, [1, 2]) == answer
