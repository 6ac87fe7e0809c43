"""Causal, window and padding masks."""

from functools import partial

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from attention_core import causal_mask, padding_mask, window_mask
from tests.core.refusals import not_refused


@given(st.integers(0, 9), st.integers(0, 12))
@example(4, 0)
def test_each_cell_follows_the_formula(n, width):
    i, j = np.indices((n, n))
    np.testing.assert_array_equal(causal_mask(n), j <= i)
    np.testing.assert_array_equal(window_mask(n, width), abs(i - j) <= width)
    assert window_mask(n, 10**30).all()


def test_padding_is_masked_as_a_key_but_not_as_a_query():
    np.testing.assert_array_equal(padding_mask([False, True]), [[True, False], [True, False]])
    mask = padding_mask([[False, False, True], [True, False, False]])
    assert mask.shape == (2, 3, 3)
    assert not mask[0, :, 2].any()
    assert mask[0, 2, :2].all()
    assert mask[1, :, 1:].all()


def test_masks_are_boolean_and_new_each_time():
    for mask in (causal_mask(2), window_mask(2, 1), padding_mask([False, True])):
        assert mask.dtype == bool
        mask[...] = False
    assert causal_mask(np.int32(2)).any()
    for mask in (causal_mask(0), window_mask(0, 1), padding_mask([])):
        assert (mask.shape, mask.dtype) == ((0, 0), bool)


def test_refusals():
    cases = [(lambda: padding_mask(True), "is_padding must have shape")]
    for is_padding in ([0, 1], [0.0, -np.inf], ["no"], [None]):
        cases.append((partial(padding_mask, is_padding), "is_padding must be boolean"))
    for n in (-1, 2.0, 2.5, "3", None, True, np.float64(3)):
        cases.append((partial(causal_mask, n), "n must be a whole number of at least 0"))
        cases.append((partial(window_mask, n, 1), "n must be a whole number of at least 0"))
        cases.append((partial(window_mask, 3, n), "width must be a whole number"))
    assert not_refused(cases) == []
