import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import causal_mask, padding_mask, window_mask


def test_by_hand():
    np.testing.assert_array_equal(causal_mask(3), [[True, False, False], [True, True, False], [True, True, True]])
    np.testing.assert_array_equal(
        window_mask(3, 1), [[True, True, False], [True, True, True], [False, True, True]]
    )
    np.testing.assert_array_equal(padding_mask([False, True]), [[True, False], [True, False]])


@given(st.integers(0, 9), st.integers(0, 12))
def test_each_cell_as_the_formula_has_it(n, width):
    i, j = np.indices((n, n))
    np.testing.assert_array_equal(causal_mask(n), j <= i)
    np.testing.assert_array_equal(window_mask(n, width), abs(i - j) <= width)


def test_the_narrowest_and_the_widest_window():
    np.testing.assert_array_equal(window_mask(4, 0), np.eye(4))
    assert window_mask(4, 10**30).all()


def test_padding_closes_keys_and_leaves_queries():
    mask = padding_mask([[False, False, True], [True, False, False]])
    assert mask.shape == (2, 3, 3)
    assert not mask[0, :, 2].any()
    assert mask[0, 2, :2].all(), "a padded query goes on looking"
    assert mask[1, :, 1:].all()


def test_masks_are_boolean_and_the_callers_own():
    for mask in (causal_mask(2), window_mask(2, 1), padding_mask([False, True])):
        assert mask.dtype == bool
        mask[...] = False
    assert causal_mask(2).any()


def test_no_words():
    for mask in (causal_mask(0), window_mask(0, 1), padding_mask([])):
        assert mask.shape == (0, 0)
        assert mask.dtype == bool


@pytest.mark.parametrize("n", [-1, 2.0, 2.5, "3", None, True, np.float64(3)])
def test_a_length_must_be_whole(n):
    for mask in (lambda: causal_mask(n), lambda: window_mask(n, 1)):
        with pytest.raises(ValueError, match="n must be a whole number of at least 0"):
            mask()
    with pytest.raises(ValueError, match="width must be a whole number"):
        window_mask(3, n)


def test_numpy_integers_are_whole():
    np.testing.assert_array_equal(causal_mask(np.int32(3)), causal_mask(3))


@pytest.mark.parametrize("is_padding", [[0, 1], [0.0, -np.inf], ["no"], [None]])
def test_padding_must_be_boolean(is_padding):
    with pytest.raises(ValueError, match="is_padding must be boolean"):
        padding_mask(is_padding)


def test_padding_needs_an_axis():
    with pytest.raises(ValueError, match="is_padding must have shape"):
        padding_mask(True)
