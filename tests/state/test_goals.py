"""Goals hold exactly where they say; what is undefined fulfils nothing."""

import math

import numpy as np
import pytest

from attention_lab.calculation import Condition, record
from attention_lab.calculation.values import AT_LEAST, AT_MOST, WITHIN
from attention_lab.state.goals import Estimate, Goal, Guess


def nothing(s):
    """Calculate nothing: what is given is enough here."""


S = record(nothing, constants=["x", "y", "word"])


def now(**constants):
    return S.run(constants)


def condition(relation, target=2.0, tolerance=0.0, **more):
    return Condition(S.x, relation, target, tolerance, **more)


@pytest.mark.parametrize(
    ("relation", "met", "missed"),
    [(AT_LEAST, (2, 2.5), (1.999, -3)), (AT_MOST, (2, -9), (2.001,)), (WITHIN, (1.9, 2.1), (1.89, 2.11))],
)
def test_a_condition_is_met_up_to_its_bound(relation, met, missed):
    bound = condition(relation, tolerance=0.1 + 1e-12)
    assert all(bound.met(now(x=value), 0) for value in met)
    assert not any(bound.met(now(x=value), 0) for value in missed)


@pytest.mark.parametrize("relation", [AT_LEAST, AT_MOST, WITHIN])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_undefined_meets_no_goal(relation, value):
    assert not condition(relation, 0.0, 1e9).met(now(x=value), 1)
    assert not condition(relation, 1.0, 1e9, relative=True).met(now(x=1.0), value)


def test_a_relative_goal_is_a_multiple_of_the_start():
    twice = S.x >= 2 * S.x.at_start
    assert twice.met(now(x=16.0), 8.0)
    assert not twice.met(now(x=15.9), 8.0)


def test_twice_a_negative_number_is_further_down():
    twice = S.x >= 2 * S.x.at_start
    assert twice.met(now(x=-6.0), -3.0)
    assert not twice.met(now(x=-5.0), -3.0)


def test_no_multiple_of_nothing_can_be_reached():
    for relation in (AT_LEAST, AT_MOST, WITHIN):
        assert not condition(relation, 2.0, 1.0, relative=True).met(now(x=0.0), 0.0)


def test_a_goal_needs_all_its_conditions():
    goal = Goal("both", S.x >= 1.0, S.y[S.word] <= 0.0)
    start = now(x=0.0, y=[1.0, 1.0], word=1)
    assert goal.met(now(x=1.0, y=[9.0, 0.0], word=1), start)
    assert not goal.met(now(x=1.0, y=[0.0, 9.0], word=1), start)
    assert not goal.met(now(x=0.9, y=[9.0, 0.0], word=1), start)


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
    guess = Guess("largest", S.x[S.word], least=least)
    assert guess.answer(now(x=np.array([row]), word=0), [1, 2]) == answer


def test_an_estimate_is_right_where_its_first_condition_holds():
    estimate = Estimate("size", small=S.x <= 1, middling=S.x <= 2, large=S.x >= 2)
    assert [estimate.answer(now(x=x), [0, 1, 2]) for x in (0.5, 1.5, 3, math.nan)] == [0, 1, 2, None]
