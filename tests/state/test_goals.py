"""Goals hold exactly where they say; what is undefined meets none."""

import math

import numpy as np

from attention_lab.calculation import Condition, record
from attention_lab.calculation.expressions import AT_LEAST, AT_MOST, WITHIN
from attention_lab.state.goals import ArgmaxQuestion, ChoiceQuestion, Goal

S = record(lambda s: None, constants=["x", "y", "word"])


def now(**constants):
    return S.run(constants)


def condition(relation, target=2.0, tolerance=0.0, **more):
    return Condition(S.x, relation, target, tolerance, **more)


def test_a_condition_is_met_up_to_its_bound():
    for relation, met, missed in (
        (AT_LEAST, (2, 2.5), (1.999, -3)),
        (AT_MOST, (2, -9), (2.001,)),
        (WITHIN, (1.9, 2.1), (1.89, 2.11)),
    ):
        bound = condition(relation, tolerance=0.1 + 1e-12)
        assert all(bound.met(now(x=value), 0) for value in met), relation
        assert not any(bound.met(now(x=value), 0) for value in missed), relation


def test_undefined_numbers_meet_no_goal():
    for relation in (AT_LEAST, AT_MOST, WITHIN):
        for value in (math.nan, math.inf, -math.inf):
            assert not condition(relation, 0.0, 1e9).met(now(x=value), 1)
            assert not condition(relation, 1.0, 1e9, relative=True).met(now(x=1.0), value)


def test_a_relative_goal_is_a_multiple_of_the_start():
    twice = S.x >= 2 * S.x.at_start
    assert [twice.met(now(x=x), 8.0) for x in (16.0, 15.9)] == [True, False]
    assert [twice.met(now(x=x), -3.0) for x in (-6.0, -5.0)] == [True, False], (
        "of a negative number, further down"
    )
    for relation in (AT_LEAST, AT_MOST, WITHIN):
        assert not condition(relation, 2.0, 1.0, relative=True).met(now(x=0.0), 0.0), "0 has no multiples"


def test_a_goal_needs_all_its_conditions():
    goal = Goal("both", S.x >= 1.0, S.y[S.word] <= 0.0)
    start = now(x=0.0, y=[1.0, 1.0], word=1)
    for x, y, met in ((1.0, [9.0, 0.0], True), (1.0, [0.0, 9.0], False), (0.9, [9.0, 0.0], False)):
        assert goal.met(now(x=x, y=y, word=1), start) == met


def test_a_guess_has_the_answer_that_is_on_screen():
    """Neither the word of interest, here the first, is an answer nor an undefined number."""
    for row, least, answer in (
        ([3, 1, 2], False, 2),
        ([3, 1, 2], True, 1),
        ([3, math.nan, -2], False, 2),
        ([3, math.nan, math.nan], False, None),
        ([3, 1, 1], False, 1),
    ):
        guess = ArgmaxQuestion("largest", S.x[S.word], least=least)
        assert guess.answer(now(x=np.array([row]), word=0), [1, 2]) == answer


def test_a_share_is_written_as_one_wherever_the_row_leaves_off():
    row = now(x=np.array([[0.25, 0.5, 0.2]]), word=0)
    shares, numbers = (ArgmaxQuestion("largest", S.x[S.word], shares=shares) for shares in (True, False))
    assert (shares.tell(row, 1), numbers.tell(row, 1)) == ("50.0%", "0.5")


def test_an_estimate_is_right_where_its_first_condition_holds():
    estimate = ChoiceQuestion("size", small=S.x <= 1, middling=S.x <= 2, large=S.x >= 2)
    assert [estimate.answer(now(x=x), [0, 1, 2]) for x in (0.5, 1.5, 3, math.nan)] == [0, 1, 2, None]
