"""Why scores are divided by √d: random scores, and what the theory predicts of them."""

from functools import partial

import numpy as np
import pytest

from attention_core import random_scores, softmax, softmax_gradient
from tests.core.refusals import not_refused


def test_the_variance_of_a_dot_product_is_its_width_within_sampling_error():
    for d_k in (1, 4, 64, 256, 1024):
        drawn = random_scores(d_k)
        rows = (drawn.plain.scores**2).mean(axis=1)  # the queries are independent of one another
        error = rows.std(ddof=1) / np.sqrt(len(rows))
        assert abs(drawn.plain.variance - d_k) < 4 * error
        assert drawn.divided.variance == pytest.approx(drawn.plain.variance / d_k)


def test_undivided_scores_saturate_and_divided_ones_do_not():
    drawn = [random_scores(2**power) for power in range(11)]
    largest = [each.plain.largest_weight for each in drawn]
    gradients = [each.plain.gradient for each in drawn]
    assert largest == sorted(largest)
    assert gradients == sorted(gradients, reverse=True)
    assert largest[-1] > 0.9 > 0.3 > max(each.divided.largest_weight for each in drawn)
    assert gradients[-1] < 0.1 < 0.8 < min(each.divided.gradient for each in drawn)


def test_a_seed_determines_the_numbers():
    assert random_scores(8, 3) is random_scores(8, 3)
    assert not np.array_equal(random_scores(8, 3).plain.scores, random_scores(8, 4).plain.scores)
    assert random_scores(8).provenance == "random"
    assert not random_scores(8).plain.scores.flags.writeable


def test_the_gradient_is_the_trace_of_the_derivative():
    scores, step = np.array([0.3, -1.0, 2.0]), 1e-6
    trace = sum(
        (softmax(scores + step * unit) - softmax(scores - step * unit))[j] / (2 * step)
        for j, unit in enumerate(np.eye(3))
    )
    assert softmax_gradient(softmax(scores)) == pytest.approx(trace, abs=1e-8)
    assert softmax_gradient([0.25] * 4) == pytest.approx(0.75)
    assert softmax_gradient([1.0, 0.0]) == 0
    assert softmax_gradient(np.zeros((2, 3))).shape == (2,)


def test_refusals():
    sizes = {"d_k": 0}, {"d_k": 2.5}, {"d_k": 2, "seed": -1}, {"d_k": 2, "keys": 0}
    cases = [(partial(random_scores, **bad), "must be a whole number") for bad in sizes]
    assert not_refused([*cases, (lambda: softmax_gradient(1.0), "at least one axis")]) == []
