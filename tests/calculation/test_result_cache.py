"""Results that are kept: the same for the same inputs, and within bounds."""

import numpy as np
import pytest

from attention_lab.calculation import record, result_cache
from attention_lab.calculation.operations import total
from attention_lab.calculation.result_cache import LARGEST, MOST, run_cached

WORDS = {"words": ["a", "b"]}


def summing(s):
    s.all = total(s.row)


@pytest.fixture
def calculation():
    return record(summing, ["row", "more"])


def inputs(*row, more=1):
    return {"row": np.array([row], dtype=float), "more": more}


def test_the_same_is_calculated_once(calculation):
    first = run_cached(calculation, inputs(1, 2), WORDS)
    assert first["all"] == 3
    assert run_cached(calculation, inputs(1, 2), {"words": ["a", "b"]}) is first
    assert run_cached(record(summing, ["row", "more"]), inputs(1, 2), WORDS) is not first, "another calculation"


def test_anything_else_is_calculated_again(calculation):
    first = run_cached(calculation, inputs(1, 2), WORDS)
    for number, others in enumerate(
        (
            (inputs(2, 1), WORDS),
            (inputs(1, 2), {"words": ["a", "c"]}),
            (inputs(1, 2), {"words": ("a", "b")}),
            (inputs(1, 2, more=1.0), WORDS),
            (inputs(1, 2, more=None), WORDS),
            ({"row": np.array([[1, 2]]), "more": 1}, WORDS),
            ({"row": np.array([[1.0], [2.0]]), "more": 1}, WORDS),
            (inputs(1, 2),),
        )
    ):
        found = run_cached(calculation, *others)
        assert found is not first, number
        assert found["all"] == np.sum(others[0]["row"])


def test_large_or_unknown_inputs_are_calculated_every_time(calculation):
    for more in (np.zeros(LARGEST), object(), np.array([object()]), {"deep": {1}}):
        found = run_cached(calculation, inputs(1, 2, more=more))
        assert found["all"] == 3
        assert run_cached(calculation, inputs(1, 2, more=more)) is not found


def test_only_the_most_recently_used_are_kept(calculation):
    first, second = run_cached(calculation, inputs(0)), run_cached(calculation, inputs(1))
    for number in range(2, MOST):
        run_cached(calculation, inputs(number))
    assert run_cached(calculation, inputs(0)) is first
    run_cached(calculation, inputs(MOST))
    assert run_cached(calculation, inputs(0)) is first
    assert run_cached(calculation, inputs(1)) is not second
    assert len(result_cache.RESULTS) == MOST
