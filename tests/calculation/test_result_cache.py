"""Results that are kept: the same for the same, and within bounds."""

import numpy as np
import pytest

from attention_lab.calculation import record
from attention_lab.calculation import result_cache as kept_results
from attention_lab.calculation.operations import total
from attention_lab.calculation.result_cache import LARGEST, MOST, run_cached


def summing(s):
    s.all = total(s.row)


@pytest.fixture
def calculation():
    return record(summing, ["row", "more"])


def inputs(*row, more=1):
    return {"row": np.array([row], dtype=float), "more": more}


def test_the_same_is_calculated_once(calculation):
    first = run_cached(calculation, inputs(1, 2), {"words": ["a", "b"]})
    assert first["all"] == 3
    assert run_cached(calculation, inputs(1, 2), {"words": ["a", "b"]}) is first


@pytest.mark.parametrize(
    "other",
    [
        (inputs(2, 1), {"words": ["a", "b"]}),
        (inputs(1, 2), {"words": ["a", "c"]}),
        (inputs(1, 2), {"words": ("a", "b")}),
        (inputs(1, 2, more=1.0), {"words": ["a", "b"]}),
        (inputs(1, 2, more=None), {"words": ["a", "b"]}),
        ({"row": np.array([[1, 2]]), "more": 1}, {"words": ["a", "b"]}),
        ({"row": np.array([[1.0], [2.0]]), "more": 1}, {"words": ["a", "b"]}),
        (inputs(1, 2),),
    ],
)
def test_anything_else_is_calculated_anew(calculation, other):
    first = run_cached(calculation, inputs(1, 2), {"words": ["a", "b"]})
    found = run_cached(calculation, *other)
    assert found is not first
    assert found["all"] == np.sum(other[0]["row"])


def test_another_calculation_is_another(calculation):
    assert run_cached(record(summing, ["row", "more"]), inputs(1)) is not run_cached(calculation, inputs(1))


@pytest.mark.parametrize("more", [np.zeros(LARGEST), object(), np.array([object()]), {"deep": {1}}])
def test_what_is_large_or_cannot_be_told_is_run_every_time(calculation, more):
    found = run_cached(calculation, inputs(1, 2, more=more))
    assert found["all"] == 3
    assert run_cached(calculation, inputs(1, 2, more=more)) is not found


def test_only_the_newest_are_kept(calculation):
    first, second = run_cached(calculation, inputs(0)), run_cached(calculation, inputs(1))
    for number in range(2, MOST):
        run_cached(calculation, inputs(number))
    assert run_cached(calculation, inputs(0)) is first
    run_cached(calculation, inputs(MOST))
    assert run_cached(calculation, inputs(0)) is first, "it was asked for more lately than the second"
    assert run_cached(calculation, inputs(1)) is not second
    assert len(kept_results.RESULTS) == MOST
